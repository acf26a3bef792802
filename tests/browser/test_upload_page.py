"""Files of a visitor's own on the page, in a real browser: read, refused, and never kept."""

import re

import numpy as np
import pytest
from reading_steps import (
    as_first_read,
    choose,
    dimmed,
    scores,
    tint_is_visible,
    traces,
    until_shown,
)
from running import within
from steps import PHONE, go, in_sight, serious, trouble, until

from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.bundled_cases import bundled_case
from focal_app.ui import wording
from focal_app.ui.server.upload_folder import LOCK

pytestmark = pytest.mark.browser

as_at_first = as_first_read


def upload(page, *paths):
    """Uploads files and waits for the recording or for the reason why there is none."""
    with page.expect_file_chooser() as chooser:
        page.click("#upload")
    chooser.value.set_files([str(path) for path in paths])
    condition = """recording => document.querySelector("#trouble .trouble") ||
        document.querySelector("#recording .origin").textContent === recording"""
    until(page, condition, wording.UPLOADED)


def leftovers(app):
    """What the app has left in its folders, its log and its sign of life aside."""
    files = [path for path in within(app.temporary) if path.is_file()]
    return [path for path in files if path.name not in ("log", LOCK)]


def test_an_uploaded_recording_from_traces_to_heatmap(open_page, shared_ecg, app, save):
    record = sorted((shared_ecg / "ptb-xl" / "records500").rglob("*.hea"))[0]
    page = open_page()
    upload(page, record, record.with_suffix(".dat"))
    assert wording.UPLOADED in page.inner_text("#recording")
    assert traces(page) >= 13
    assert record.stem not in page.content()
    save(page, "upload-1440")

    before = scores(page)
    choose(page, "ST elevation")
    page.locator(".detail:visible input").fill("ST elevation in V2 and V3")
    page.keyboard.press("Enter")
    until_shown(page, "ST elevation in V2 and V3")
    after = scores(page)
    assert "ST elevation" not in after
    untouched = {prompt for prompt in before if prompt != "ST elevation"}
    assert {p: after[p] for p in untouched} == {p: before[p] for p in untouched}
    assert tint_is_visible(page)
    save(page, "upload-reworded-1440")

    page.select_option("#tools select[name=layout]", "12x1")
    until(page, "document.querySelectorAll('#paper path.trace').length === 12")
    assert tint_is_visible(page)
    save(page, "upload-12x1-1440", full_page=True)
    assert leftovers(app) == []


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
def test_an_upload_is_said_to_be_read_and_when_refused_what_is_still_shown(
    page_at, save, viewport, tmp_path
):
    page = page_at(viewport)
    other = tmp_path / "doe-jane.dcm"
    other.write_bytes(bytes(4_000_000))
    title, held = bundled_case("normal").title, []
    for _ in range(2):
        page.route(re.compile("/upload"), lambda route: held.append(route))
        with page.expect_file_chooser() as chooser:
            page.click("#upload")
        with page.expect_request(re.compile("/upload")):
            chooser.value.set_files([str(other)])
        page.wait_for_selector(f".readingnow:has-text('{wording.READING}')")
        assert in_sight(page, ".readingnow")
        save(page, f"reading-now-{1440 if viewport is None else 390}")
        while held:
            held.pop().continue_()
        page.unroute_all()
        page.wait_for_selector(".readingnow", state="detached")
        said = trouble(page, "#trouble")
        assert "DICOM" in said and wording.still_showing(title) in said
        assert not dimmed(page)
    assert serious(page) == []
    save(page, f"refused-{1440 if viewport is None else 390}")
    page.locator("#paper").evaluate("paper => scrollBy(0, paper.getBoundingClientRect().top - 150)")
    kept = page.locator("#trouble .still").bounding_box()
    assert in_sight(page, "#trouble .still") and kept["y"] + kept["height"] < 150
    choose(page, "sinus rhythm")
    assert page.locator(".trouble").count() == 0


@pytest.mark.parametrize("wrong", ["lonely header", "text as signal", "picture", "empty"])
def test_a_bad_upload_says_what_to_do_and_keeps_the_recording(page_at, app, tmp_path, wrong):
    page = page_at()
    before = scores(page)
    header = tmp_path / "doe-jane.hea"
    header.write_text("doe-jane 12 500 5000\n" + "doe-jane.dat 16 1000/mV 16 0 0 0 0 I\n" * 12)
    signal = tmp_path / "doe-jane.dat"
    signal.write_text("this is no signal")
    picture, empty = tmp_path / "doe-jane.png", tmp_path / "empty.dat"
    picture.write_bytes(b"\x89PNG")
    empty.touch()
    chosen = {
        "lonely header": [header],
        "text as signal": [header, signal],
        "picture": [picture],
        "empty": [header, empty],
    }
    upload(page, *chosen[wrong])
    said = trouble(page, "#trouble")
    assert said.rstrip().endswith(".") and len(said) > 30
    assert "jane" not in page.content().lower()
    assert scores(page) == before
    assert leftovers(app) == []


@pytest.mark.parametrize("button", ["#upload", "#earlier-upload"])
def test_a_file_that_is_too_large_is_told_of_at_once_and_not_sent(page_at, tmp_path, app, button):
    page, sent = page_at(), []
    page.on("request", lambda request: sent.append(request.method == "POST"))
    if button == "#earlier-upload":
        go(page, "Compare")
    large = tmp_path / "doe-jane.dat"
    large.write_bytes(bytes(30_000_000))
    sent.clear()
    with page.expect_file_chooser() as chooser:
        page.click(button)
    chooser.value.set_files([str(large)])
    box = "#trouble" if button == "#upload" else "#compare-trouble"
    said = trouble(page, box)
    assert "30.0 MB" in said and "at most 25 MB" in said and "jane" not in said
    assert not any(sent) and page.locator(".readingnow, .toast-body").count() == 0
    page.locator(".intro:visible, #recording:visible").first.click()
    assert page.locator(f"{box} .trouble").count() == 0
    assert leftovers(app) == []


def test_a_long_recording_offers_its_windows(page_at, tmp_path, save):
    seconds = np.arange(12_500) / 500
    beats = [np.sin(2 * np.pi * (1 + i / 20) * seconds) ** 15 for i in range(12)]
    stored = (800 * np.stack(beats, 1)).astype("<i2")
    (tmp_path / "long.dat").write_bytes(stored.tobytes())
    sums = stored.sum(axis=0, dtype=np.int16)
    lines = [
        f"long.dat 16 1000(0)/mV 16 0 {b[0]:d} {s:d} 0 {lead}"
        for b, s, lead in zip(stored.T, sums, LEADS, strict=True)
    ]
    (tmp_path / "long.hea").write_text("\n".join(["long 12 500 12500", *lines]) + "\n")
    page = page_at()
    upload(page, tmp_path / "long.hea", tmp_path / "long.dat")
    slider = page.locator("#overview input")
    slider.focus()
    page.keyboard.press("PageUp")
    until(page, "document.querySelector('#paper svg.ecg').dataset.start === '10'")
    assert "10–20 s" in page.inner_text("#overview")
    choose(page, "sinus rhythm")
    page.click(".numbers summary")
    until(page, "document.querySelector('.numbers thead th').innerText === '10'")
    save(page, "long-1440")


def test_a_planted_script_does_not_run(page_at, tmp_path):
    page = page_at()
    planted = "<img src=x onerror=\"alert('ran')\">${alert('ran')}{{constructor}}"
    page.fill("#new-prompt textarea", planted)
    page.click("#add")
    page.locator("#add-trouble .trouble").wait_for()
    assert "<img src=x" in trouble(page, "#add-trouble")
    marked = "slurred <s>terminal</s> QRS"  # of words that an ECG has, so it is asked as it stands
    page.fill("#new-prompt textarea", marked)
    page.click("#add")
    until_shown(page, marked)
    again = "<s>slurred</s> terminal <q>"
    page.locator(".detail:visible input").fill(again)
    page.keyboard.press("Enter")
    until_shown(page, again)
    assert page.locator("main :is(s, q, script, img[src=x])").count() == 0
    named = tmp_path / "<img src=x onerror=alert(1)>.hea"
    named.write_text("<img src=x onerror=alert('ran')> 12 500 5000\n")
    upload(page, named)
    assert page.locator("#trouble img").count() == 0
    assert "onerror" not in page.inner_text("#trouble")
