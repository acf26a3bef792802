"""A report is verified on the page: table, summary, zones, heatmap, model, enriched report."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from running import started
from steps import (
    DESKTOP,
    first_case,
    go,
    serious,
    settled,
    sideways,
    texts,
    tinted,
    trouble,
    until,
)

from focal_app.llm.prompts import ORGANISE_PROMPT, question
from focal_app.ui.verify import wording

pytestmark = pytest.mark.browser
REPORT = "Sinus rhythm. Left bundle branch block, no acute ST elevation."
GERMAN = """Sinusrhythmus, Frequenz 76/min.
Überdrehter Linkstyp, Achse -50°.
AV-Block I. Grades, PQ 210 ms.
Kompletter Linksschenkelblock, QRS 160 ms.
V.a. alten inferioren Infarkt.
T negativ in V5, V6.
Keine akuten ST-Hebungen. QTc 470 ms.
Im Vergleich zur Voraufnahme vom 12.03. unverändert."""
LISTEN = """() => {
  window.heard = [];
  new MutationObserver(() => heard.push(
    ...[...document.querySelectorAll("[role=status].sr-only")].map((one) => one.textContent.trim()),
  )).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""
PLANTED = "<img src=x onerror=\"alert('ran')\">"


def as_at_first(page):
    """Opens the first case, and has a report checked that nothing is wrong with."""
    first_case(page)
    verify(page, "AF")


def verify(page, report):
    """Pastes a report and waits for its table."""
    go(page, wording.TAB)
    page.fill("#report textarea", report)
    settled(page)
    page.evaluate("document.querySelector('#verdicts table')?.classList.add('before')")
    page.click("#verify")
    until(page, "!!document.querySelector('#verdicts table:not(.before)')")


def rows(page):
    """What the report says, row by row."""
    return texts(page, "#verdicts th[scope=row] .name")


def summed(page):
    return dict(zip(texts(page, ".summed dt"), texts(page, ".summed dd"), strict=True))


def test_every_line_of_a_german_report_is_a_row_or_is_named(shared_page, save):
    page = shared_page
    verify(page, GERMAN)
    said = rows(page)
    assert said[0] == "sinus rhythm" and "heart rate 76/min" in said
    for words in ("possible old inferior myocardial infarction", "no ST elevation"):
        assert words in said
    assert "inverted T waves in V5-V6" in said
    pills = texts(page, "#verdicts tbody > .row .pill")
    assert len(pills) == len(said) and all(pill for pill in pills)
    aside = texts(page, "#verdicts .aside li")
    assert len(aside) == 2 and all("earlier ECG" in line for line in aside)
    counts = [int(name.partition("(")[2].rstrip(")")) for name in summed(page) if "add" not in name]
    assert sum(counts) == len(said)
    assert sideways(page) == 0
    save(page, f"verify-{page.viewport_size['width']}", full_page=True)


def test_a_row_shows_where_and_what_is_unfolded_stays_so(shared_page):
    page = shared_page
    verify(page, REPORT)
    page.locator("#verdicts .nested summary").first.focus()
    page.keyboard.press("Enter")
    page.locator("#verdicts .features button.finding").first.click()
    until(page, "!!document.querySelector('#verify-paper g.tint')")
    assert "times as much as on average" in page.inner_text("#verify-places")
    assert page.locator("#verdicts .features button.finding").first.is_visible()
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('#verify-paper g.tint')")
    page.locator("#verdicts button.finding").first.focus()
    page.keyboard.press("ArrowDown")
    until(page, "document.querySelectorAll('#verdicts [aria-pressed=true]').length === 1")


def test_words_that_are_no_ecg_term_and_other_languages_are_not_checked(shared_page):
    page = shared_page
    verify(page, "Sinus rhythm. Sgarbossa positive. Rythme sinusal. VF. Rate 900. No VF.")
    assert summed(page)["Not checked (1)"].startswith("Sgarbossa positive")
    named = page.inner_text("#verdicts .aside")
    assert "French" in named and "“Rate 900”: not understood" in named
    assert "“no ventricular fibrillation”: the report names the same finding too" in named
    assert "ventricular fibrillation" in rows(page)


def test_the_border_moves_what_is_supported_and_says_what_that_means(shared_page):
    page = shared_page
    verify(page, REPORT)
    bounds = page.inner_text("#zones li.zone3")
    supported = page.locator("#verdicts .pill.supported").count()
    page.locator("#zones summary").click()
    assert page.locator("#zones table tr").count() == 3
    page.locator("#move > button").click()
    page.wait_for_selector("#threshold input[type=range]", state="visible")
    page.locator("#threshold input[type=range]").press("End")
    until(page, "was => document.querySelector('#zones li.zone3').innerText !== was", bounds)
    until(
        page,
        "was => document.querySelectorAll('#verdicts .pill.supported').length < was",
        supported,
    )


def test_the_table_has_no_serious_trouble_for_screen_readers(shared_page):
    page = shared_page
    verify(page, GERMAN)
    page.locator("#verdicts .nested summary").first.click()
    assert serious(page) == []


def test_statements_are_changed_added_and_removed_by_keyboard_alone(page_at):
    page = page_at()
    verify(page, "LBBB")
    page.locator("#verdicts .change summary").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("possible RBBB")
    page.keyboard.press("Enter")
    changed = "document.querySelector('#verdicts th .name').textContent.includes('right')"
    until(page, changed)
    assert rows(page) == ["possible right bundle branch block"]
    page.locator("#verdicts form.more input").focus()
    page.keyboard.type("no P waves")
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#verdicts th[scope=row]').length === 2")
    assert rows(page)[1] == "absent P waves"
    page.locator("#verdicts .change summary").first.focus()
    page.keyboard.press("Enter")
    page.locator("#verdicts .change .remove").first.focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#verdicts th[scope=row]').length === 1")


def test_the_enriched_report_is_saved_and_another_recording_makes_it_stale(page_at):
    page = page_at()
    verify(page, REPORT)
    for link, read in ((wording.SAVE_TEXT, str), (wording.SAVE_JSON, json.loads)):
        with page.expect_download() as saved:
            page.get_by_text(link).click()
        content = read(Path(saved.value.path()).read_text(encoding="utf-8"))
        assert REPORT in (content if isinstance(content, str) else content["report"])
    go(page, "Read")
    about = page.inner_text("#recording .about")
    page.click("#case input")
    page.locator('[role="option"]').nth(3).click()
    until(page, "old => document.querySelector('#recording .about').textContent !== old", about)
    go(page, wording.TAB)
    page.wait_for_selector(f"#verify-summary .stale:has-text('{wording.STALE[:30]}')")
    row = page.locator("#verdicts button.finding").first
    row.click()
    until(page, "document.querySelector('#verdicts button.finding').ariaPressed === 'true'")
    assert texts(page, "#verify-summary .stale") == [wording.STALE]
    assert page.evaluate("getComputedStyle(document.querySelector('#verdicts')).opacity") == "0.4"


def test_a_screen_reader_hears_words_and_no_keys_of_them(page_at):
    page = page_at()
    go(page, wording.TAB)
    page.evaluate(LISTEN)
    verify(page, REPORT)
    until(page, "heard.includes('Done')")
    assert not [one for one in page.evaluate("heard") if "common." in one]


def test_a_refused_report_leaves_no_verdict_of_the_one_before(page_at):
    page = page_at()
    verify(page, REPORT)
    page.locator("#verdicts button.finding").first.click()
    until(page, "!!document.querySelector('#verify-paper g.tint')")
    page.fill("#report textarea", "sinusrytm, högersidigt skänkelblock, avvikande qrs")
    page.click("#verify")
    assert "Swedish" in trouble(page, "#verify-trouble")
    assert texts(page, "#verdicts") == [wording.NOTHING_YET] and not summed(page)
    assert page.inner_text("#enriched") == "" and not tinted(page, "#verify-paper")


def test_a_report_without_findings_says_so_and_a_planted_script_does_not_run(page_at):
    page = page_at()
    go(page, wording.TAB)
    page.fill("#report textarea", "12 34")
    page.click("#verify")
    assert trouble(page, "#verify-trouble") == wording.NO_TAGS
    verify(page, f"LBBB and {PLANTED}")
    page.locator("#verdicts form.more input").fill(PLANTED)
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#verdicts th[scope=row]').length >= 2")
    for box in ("#verify-summary", "#verdicts", "#enriched", "#verify-places"):
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


def test_a_model_gets_what_was_shown_and_its_death_is_a_message(contexts, tmp_path, save):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.heard = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    configured = {
        "FOCAL_LLM_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
        "FOCAL_LLM_MODEL": "tiny",
    }
    with started(tmp_path, **configured) as app:
        page = contexts(viewport=DESKTOP).new_page()
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        page.goto(app.url)
        page.wait_for_selector("button.finding")
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
        page.locator("#verdicts form.more input").fill("atrial fibrillation")
        page.keyboard.press("Enter")
        page.wait_for_selector("#send:visible")
        page.click("#send")
        assert "lexicon" in trouble(page, "#verify-trouble")
        until(page, "document.querySelector('#verdicts').textContent.includes('gave no answer')")
        page.locator("#feature-source label").nth(0).click()
        until(page, "document.querySelectorAll('#verdicts .features button').length > 2")
        page.locator("#verdicts button.finding").first.click()
        until(page, "!!document.querySelector('#verify-paper g.tint')")
        assert tinted(page, "#verify-paper")
        page.close()
    thread.join()


def test_a_word_without_end_stays_in_its_cell(shared_page):
    page = shared_page
    verify(page, f"LBBB. {'sinus' * 60}.")
    for kept in ("#verdicts th[scope=row] > .name", "#verdicts th[scope=row]", ".summed dd"):
        assert not any(
            page.locator(kept).evaluate_all(
                "all => all.map(e => e.scrollWidth > e.clientWidth + 1)"
            )
        )
