"""An earlier ECG beside the one that is open: what changed, and both on one scale."""

import pytest
from steps import DESKTOP, PHONE, first_case, go, serious, sideways, texts, trouble, until

from focal_app.explore.reading.bundled_cases import CASES
from focal_app.ui.server.upload_folder import LOCK

pytestmark = pytest.mark.browser
as_at_first = first_case


def choose(page, box, name):
    page.click(f"{box} input")
    page.locator('[role="option"]', has_text=name).first.click()


def until_compared(page, prompt):
    said = "prompt => document.querySelector('#changes').textContent.includes(prompt)"
    until(page, said, prompt)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["1440", "390"])
def test_what_is_new_and_what_is_gone_stands_above_both_ecgs(page_at, save, viewport):
    page = page_at(viewport)
    choose(page, "#case", "Inferior")
    until(page, "() => document.querySelector('#recording').textContent.includes('80 years')")
    go(page, "Compare")
    choose(page, "#earlier-case", "Normal")
    until_compared(page, "ST elevation")
    rows = {row.split("\t")[0]: row.split("\t")[-1] for row in texts(page, "#changes tr")}
    assert rows["ST elevation"] == "new" and rows["normal ECG"] == "gone"
    assert rows["sinus rhythm"] == "as before"
    drawn = """box => [...document.querySelectorAll(`${box} .strip`)]
        .map(strip => strip.dataset.gain + strip.dataset.zero)"""
    then, now = (page.evaluate(drawn, f"#compare-{one}-paper") for one in ("earlier", "later"))
    assert then == now and len(then) == 13
    for table in page.locator("#changes table").all():
        right = table.locator(".verdict").last.bounding_box()
        assert right["x"] + right["width"] <= viewport["width"]
    assert sideways(page) <= 0 and serious(page) == []
    page.evaluate("scrollTo(0, 0)")
    save(page, f"compare-{viewport['width']}", full_page=True)


def test_the_comparison_follows_what_is_open_in_read(page_at):
    page = page_at(DESKTOP)
    go(page, "Compare")
    choose(page, "#earlier-case", "Inferior")
    until_compared(page, "ST elevation")
    go(page, "Read")
    choose(page, "#case", "Inferior")
    until(page, "() => document.querySelector('#recording').textContent.includes('80 years')")
    go(page, "Compare")
    until(page, "() => !document.querySelector('#changes .gone')")
    assert not page.locator("#changes .new").count()


def test_the_earlier_ecg_can_be_uploaded_and_is_deleted_at_once(page_at, app):
    page = page_at(DESKTOP)
    go(page, "Compare")
    with page.expect_file_chooser() as chooser:
        page.click("#earlier-upload")
    chooser.value.set_files([str(CASES / f"hypertrophy{end}") for end in (".hea", ".dat")])
    until_compared(page, "left ventricular hypertrophy")
    assert [path.name for path in app.left() if path.name != LOCK] == []


def test_a_refused_upload_is_said_and_leaves_the_comparison(page_at, app, tmp_path):
    page = page_at(DESKTOP)
    go(page, "Compare")
    choose(page, "#earlier-case", "Inferior")
    until_compared(page, "ST elevation")
    broken = tmp_path / "a.hea"
    broken.write_text("nothing")
    with page.expect_file_chooser() as chooser:
        page.click("#earlier-upload")
    chooser.value.set_files([str(broken)])
    assert "Found" in trouble(page, "#compare-trouble")
    assert "ST elevation" in page.inner_text("#changes")
    assert [path.name for path in app.left() if path.name != LOCK] == []
