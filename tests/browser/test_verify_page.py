"""A report is verified on the page: tags, verdicts, threshold, heatmap, model, enriched report."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from running import started
from steps import go, sideways, texts, tinted, trouble, until

from focal_app.explore.report.verification import FROM_SUSPECTED, THRESHOLD
from focal_app.llm.prompts import ORGANISE_PROMPT, question
from focal_app.ui.verify import wording

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
REPORT = "Sinus rhythm. Left bundle branch block, no acute ST elevation."
PLANTED = "<img src=x onerror=\"alert('ran')\">"


def verify(page, report):
    """Pastes a report and waits for its verdicts."""
    go(page, wording.TAB)
    page.fill("#report textarea", report)
    page.click("#verify")
    page.wait_for_selector("#verdicts button.finding", timeout=60_000)
    page.wait_for_timeout(300)


def tags(page):
    return page.locator("#chips form.chip:not(.more) input").evaluate_all(
        "fields => fields.map(field => field.value)"
    )


def counted(page, kind):
    return page.locator(f"#verdicts .{kind} button.finding").count()


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
def test_a_report_is_verified_and_a_row_shows_where(open_page, save, viewport):
    page = open_page(viewport)
    verify(page, REPORT)
    assert tags(page) == ["sinus rhythm", "left bundle branch block", "no ST elevation"]
    assert counted(page, "rejected") + counted(page, "accepted") >= 3
    page.locator("#verdicts button.finding").first.click()
    until(page, "!!document.querySelector('#verify-paper g.tint')")
    assert "times as much as on average" in page.inner_text("#verify-places")
    assert sideways(page) == 0
    save(page, f"verify-{1440 if viewport is None else 390}", full_page=True)


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
def test_doubt_and_unknown_words_are_said_on_chips_and_rows(open_page, save, viewport):
    page = open_page(viewport)
    verify(page, "Sinus rhythm. Possible anterior infarct, age undetermined. asdf")
    assert tags(page) == ["sinus rhythm", "possible anterior myocardial infarction", "asdf"]
    assert texts(page, ".chipnote") == ["suspected", wording.UNKNOWN]
    assert page.locator(".chip.unknown .chipnote").is_visible()
    listed = texts(page, "#verdicts .rejected .beside")
    assert sum(FROM_SUSPECTED in line for line in listed) >= 3
    assert wording.DRAWN[False] in listed
    assert texts(page, "#verdicts .unknown .beside") == [wording.UNKNOWN]
    assert wording.STANCES["suspected"] in texts(page, "#verdicts .said .beside")
    assert sideways(page) == 0
    save(page, f"verify-doubt-{1440 if viewport is None else 390}", full_page=True)


def test_the_mark_on_a_bar_stands_at_the_line(open_page):
    page = open_page()
    verify(page, REPORT)
    part = """bar => parseFloat(getComputedStyle(bar, "::after").left) / bar.clientWidth"""
    for kind in ("accepted", "rejected"):
        bar = page.locator(f"#verdicts .{kind} .bar").first
        assert bar.evaluate(part) == pytest.approx(THRESHOLD, abs=0.01)


def test_the_threshold_moves_rows_between_accepted_and_rejected(open_page):
    page = open_page()
    verify(page, REPORT)
    every = counted(page, "accepted") + counted(page, "rejected")
    assert counted(page, "accepted") > 0
    page.locator("#threshold input[type=range]").focus()
    page.keyboard.press("End")
    until(page, "document.querySelectorAll('#verdicts .accepted button').length === 0")
    assert counted(page, "accepted") + counted(page, "rejected") == every


def test_tags_are_changed_added_and_removed_by_keyboard_alone(open_page):
    page = open_page()
    verify(page, "LBBB")
    page.locator("#chips .chip input").first.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("RBBB")
    page.keyboard.press("Enter")
    until(
        page,
        "document.querySelector('#chips .chip input').value === 'right bundle branch block'",
    )
    page.locator("#chips .chip.more input").focus()
    page.keyboard.type("no P waves")
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#chips .chip:not(.more)').length === 2")
    assert tags(page)[1] == "absent P waves"
    page.locator("#chips .chip .remove").first.focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#chips .chip:not(.more)').length === 1")


def test_the_enriched_report_is_saved_as_text_and_as_json(open_page):
    page = open_page()
    verify(page, REPORT)
    for link, read in ((wording.SAVE_TEXT, str), (wording.SAVE_JSON, json.loads)):
        with page.expect_download() as saved:
            page.get_by_text(link).click()
        content = read(Path(saved.value.path()).read_text(encoding="utf-8"))
        assert REPORT in (content if isinstance(content, str) else content["report"])


def test_another_recording_makes_the_verdicts_stale(open_page):
    page = open_page()
    verify(page, REPORT)
    go(page, "Read")
    about = page.inner_text("#recording .about")
    page.click("#case input")
    page.locator('[role="option"]').nth(3).click()
    until(page, "old => document.querySelector('#recording .about').textContent !== old", about)
    go(page, wording.TAB)
    assert trouble(page, "#verify-trouble") == wording.STALE


def test_a_report_without_findings_says_so(open_page):
    page = open_page()
    go(page, wording.TAB)
    page.fill("#report textarea", "12 34")
    page.click("#verify")
    assert trouble(page, "#verify-trouble") == wording.NO_TAGS


def test_a_planted_script_in_a_report_or_a_tag_does_not_run(open_page):
    page = open_page()
    verify(page, f"LBBB and {PLANTED}")
    page.locator("#chips .chip.more input").fill(PLANTED)
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#chips .chip:not(.more)').length >= 3")
    for box in ("#chips", "#verdicts", "#enriched", "#verify-places"):
        assert page.locator(f"{box} img").count() == 0


class Model(BaseHTTPRequestHandler):
    """An OpenAI-compatible server that remembers what it was sent."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.heard.append(asked)
        listed = json.dumps({"features": ["wide QRS complex", PLANTED]})
        said = listed if "response_format" in asked else "They are wide."
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"choices": [{"message": {"content": said}}]}).encode())

    def log_message(self, *_):
        pass


def test_a_model_gets_what_was_shown_and_its_death_is_a_message(chromium, tmp_path, save):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.heard = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    configured = {
        "FOCAL_LLM_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
        "FOCAL_LLM_MODEL": "tiny",
    }
    with started(tmp_path, **configured) as app:
        context = chromium.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        page.goto(app.url)
        page.wait_for_selector("button.finding", timeout=120_000)
        verify(page, "LBBB")
        page.locator("#feature-source label").nth(1).click()
        page.wait_for_selector("#send:visible")
        shown = texts(page, "#sent pre")
        assert server.heard == []
        save(page, "verify-model-1440")
        page.click("#send")
        until(page, "document.querySelector('#verdicts').textContent.includes('wide QRS')")
        assert shown == [question(["left bundle branch block"]), ORGANISE_PROMPT]
        assert [m["content"] for m in server.heard[-1]["messages"]][::2] == shown
        assert page.locator("#verdicts img").count() == 0
        server.shutdown()
        server.server_close()
        page.locator("#chips .chip.more input").fill("atrial fibrillation")
        page.keyboard.press("Enter")
        page.wait_for_selector("#send:visible")
        page.click("#send")
        assert "lexicon" in trouble(page, "#verify-trouble")
        page.locator("#feature-source label").nth(0).click()
        until(
            page,
            "document.querySelectorAll('#verdicts .rejected button, .accepted button').length > 2",
        )
        page.locator("#verdicts button.finding").first.click()
        until(page, "!!document.querySelector('#verify-paper g.tint')")
        assert tinted(page, "#verify-paper")
        context.close()
    thread.join()
