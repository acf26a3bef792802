"""The Teach tab over the embedded gallery: a set as cards, hidden, shared and printed."""

import json
import re
from pathlib import Path

import pytest
from steps import (
    DESKTOP,
    PHONE,
    empty,
    go,
    in_sight,
    keep,
    search,
    settled,
    sideways,
    texts,
    tinted,
    trouble,
    until,
)

from focal_app.ui.cases import wording as case_wording
from focal_app.ui.teach import wording

pytestmark = pytest.mark.browser
SIZES = pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
CARDS = "count => document.querySelectorAll('#set-cards .card').length === count"


as_at_first = empty


def collected(page, query, count):
    """A set of the first cases of a search, opened in its tab from where they were found."""
    search(page, query)
    keep(page, count)
    page.click("#in-set button")
    until(page, CARDS, count)


def pages_printed(browser, file):
    """How many sheets of A4 a page takes in print."""
    page = browser.new_page()
    page.goto(file.as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    return len(re.findall(rb"/Type\s*/Page\b", printed))


def hide(page):
    """Labels hidden, as learners see them."""
    page.locator("#teach-hide input").check()
    until(page, "document.querySelectorAll('#set-cards .reveal').length > 0")


@SIZES
def test_a_set_is_filled_under_search_and_taught_from_under_teach(page_at, save, viewport):
    page = page_at(viewport)
    collected(page, "LBBB", 5)
    names = texts(page, "#set-cards .name")
    assert all("left bundle branch block" in name for name in names)
    assert all(page.locator(".card").nth(n).locator(".chip").count() <= 2 for n in range(3))
    until(page, "!!document.querySelector('#teach-paper svg.ecg')")
    assert sideways(page) == 0
    if viewport is PHONE:
        the_cards_scroll_with_the_page_alone(page)
    the_hint_of_an_empty_note_does_not_look_like_a_note(page)
    save(page, f"teach-{viewport['width']}", full_page=True)
    hide(page)
    assert texts(page, "#set-cards .name") == [wording.case_number(n) for n in range(1, 6)]
    here = page.locator("#set-cards, #teach-facts, #teach-paper, #share")
    told = " ".join(here.evaluate_all("all => all.map(one => one.outerHTML)"))
    assert "bundle" not in told and "simulated-0" not in told and "Simulated: " not in told
    save(page, f"teach-hidden-{viewport['width']}", full_page=True)
    page.locator("#set-cards .reveal").nth(1).click()
    until(page, "document.querySelectorAll('#set-cards .reveal').length === 4")
    assert texts(page, "#set-cards .name")[1] == names[1]


def the_cards_scroll_with_the_page_alone(page):
    hidden = "document.querySelector('#set-cards').scrollHeight - "
    assert page.evaluate(f"{hidden} document.querySelector('#set-cards').clientHeight") <= 1
    cards = page.locator("#set-cards").bounding_box()
    below = page.locator(".setwords").bounding_box()
    assert cards["y"] + cards["height"] <= below["y"]


def the_hint_of_an_empty_note_does_not_look_like_a_note(page):
    page.wait_for_selector("label.remark textarea")
    written, hint = page.locator("label.remark textarea").evaluate(
        "box => [getComputedStyle(box), getComputedStyle(box, '::placeholder')].map(s => s.color)"
    )
    assert written != hint


def test_cards_are_walked_by_keyboard(page_at):
    page = page_at()
    collected(page, "LBBB", 3)
    page.locator("#set-cards button.open").first.focus()
    page.keyboard.press("ArrowRight")
    pressed = "document.querySelectorAll('#set-cards button.open')[1]"
    until(page, f"{pressed}.getAttribute('aria-pressed') === 'true'")
    assert page.evaluate(f"document.activeElement === {pressed}")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until(page, CARDS, 2)


def test_the_way_back_leads_to_the_cases_that_were_found(page_at):
    page = page_at()
    collected(page, "LBBB", 1)
    assert wording.UNCHECKED in page.inner_text("#teach-set .intro")
    page.click("#to-search")
    page.wait_for_selector("#search-cases button.keep:visible")
    assert texts(page, "#search-cases .keep")[0] == case_wording.DROP
    page.locator("#search-cases .keep").first.click()
    until(page, "document.querySelector('#in-set').innerText.startsWith('No cases')")
    go(page, wording.TAB)
    page.wait_for_selector(f"#set-cards:has-text('{wording.EMPTY[:30]}')")


@SIZES
def test_a_similar_case_is_put_into_the_set_by_keyboard_and_taken_out_again(
    page_at, save, viewport
):
    page = page_at(viewport)
    go(page, case_wording.SIMILAR_TAB)
    page.wait_for_selector("#similar-cases button.keep")
    page.locator("#similar-cases button.open").nth(1).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#similar-in-set').innerText.startsWith('1 case')")
    pressed = "#similar-cases .keep[aria-pressed=true]"
    assert page.evaluate(f"document.activeElement === document.querySelector('{pressed}')")
    key = page.get_attribute(pressed, "data-key")
    assert sideways(page) == 0
    save(page, f"similar-kept-{viewport['width']}", full_page=True)
    page.locator("#case-after").focus()  # the keyboard stays there when the list is drawn anew
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#similar-place').innerText.startsWith('2 of')")
    assert page.evaluate("document.activeElement.id") == "case-after"
    page.click("#similar-in-set button")
    until(page, CARDS, 1)
    assert key in page.get_attribute("#share .save", "href")
    search(page, "sinus rhythm")
    assert page.inner_text("#in-set").startswith("1 case")
    page.locator("#search-cases .keep").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # before the answer: the keyboard stays where it went
    ahead = page.evaluate("document.activeElement.dataset.key")
    until(page, "document.querySelector('#in-set').innerText.startsWith('2 cases')")
    assert page.evaluate("document.activeElement.dataset.key") == ahead
    page.locator("#search-cases .keep").first.click()
    until(page, "document.querySelector('#in-set').innerText.startsWith('1 case')")
    for place in (-2, -1):  # without a pause: neither answer moves the list
        page.locator("#search-cases .keep").nth(place).click()
    until(page, "document.querySelector('#in-set').innerText.startsWith('3 cases')")
    assert in_sight(page, "#search-cases .case:last-child .keep")  # the list has not moved
    go(page, case_wording.SIMILAR_TAB)
    assert page.inner_text("#similar-in-set").startswith("3 cases")
    page.click(f"#similar-cases .keep[data-key='{key}']")
    until(page, "document.querySelector('#similar-in-set').innerText.startsWith('2 cases')")
    go(page, wording.TAB)
    until(page, CARDS, 2)
    assert key not in page.get_attribute("#share .save", "href")


def test_a_set_is_saved_opened_shared_and_printed(open_page, app, save, tmp_path):
    page = open_page()
    collected(page, "RSR' pattern in V1-V3", 3)
    with page.expect_download() as saved:
        page.get_by_text(wording.SAVE_SET).click()
    file = tmp_path / "set.json"
    file.write_bytes(Path(saved.value.path()).read_bytes())
    assert len(json.loads(file.read_text())["cases"]) == 3
    sheets = {}
    page.locator(".setwords input, .setwords textarea").first.fill("RSR' — tutorial")
    page.keyboard.press("Tab")
    settled(page)
    for button in ("#sheet-without", "#sheet-with"):
        with page.expect_download() as printed:
            page.click(button)
        ending = "-answers" if button == "#sheet-with" else ""
        assert printed.value.suggested_filename == f"rsr-tutorial{ending}.html"
        sheets[button] = Path(printed.value.path()).read_text(encoding="utf-8")
    label = texts(page, "#set-cards .name")[0]
    assert sheets["#sheet-without"].count("<svg") >= 3
    assert label in sheets["#sheet-with"] and label not in sheets["#sheet-without"]
    sheet = tmp_path / "sheet.html"
    sheet.write_text(sheets["#sheet-with"], encoding="utf-8")
    assert pages_printed(page.context.browser, sheet) == 3
    link = page.get_attribute("#share button.copy", "data-link")
    page.goto(f"{app.url}/?set={link}")
    page.wait_for_selector("#set-cards button.open")
    assert texts(page, "#set-cards .name") == [wording.case_number(n) for n in (1, 2, 3)]
    heading = page.locator("#teach-heading .settitle")
    assert "RSR' — tutorial" in heading.inner_text() and wording.TASK_FIRST in heading.inner_text()
    assert heading.bounding_box()["y"] < page.locator("#teach-paper").bounding_box()["y"]
    assert not tinted(page, "#teach-paper")
    save(page, "set-from-link-1440", full_page=True)
    page.goto(app.url)
    page.wait_for_selector("button.finding")
    go(page, wording.TAB)
    page.set_input_files("#open-set input", str(file))
    until(page, CARDS, 3)


@SIZES
def test_a_note_on_a_case_is_kept_and_told_with_its_answer(page_at, app, save, viewport):
    page = page_at(viewport)
    collected(page, "complete left bundle branch block", 2)
    page.locator("#set-cards button.open").nth(1).click()
    page.wait_for_selector("#remark textarea[data-number='1']")
    page.fill("#remark textarea", "The q in V6 is gone.")
    page.locator("#set-cards button.open").first.click()
    page.wait_for_selector("#remark textarea[data-number='0']")
    until(page, "document.querySelector('#remark textarea').value === ''")
    page.locator("#set-cards button.open").nth(1).click()
    until(page, "document.querySelector('#remark textarea').value === 'The q in V6 is gone.'")
    assert wording.NOTES_GO_ALONG in page.inner_text("#share")
    save(page, f"teach-noted-{viewport['width']}", full_page=True)
    link = page.get_attribute("#share button.copy", "data-link")
    page.goto(f"{app.url}/?set={link}")
    page.wait_for_selector("#set-cards button.open")
    assert "The q in V6" not in page.content()
    page.click("#quiz-start")
    for _ in range(2):
        page.wait_for_selector("#quiz-panel [data-phase=asked]")
        assert "The q in V6" not in page.content()
        page.click("#quiz-give-up")
        page.wait_for_selector("#quiz-panel [data-phase=told]")
        told = page.inner_text("#quiz-panel")
        page.click("#quiz-next")
    assert "Educator's note: The q in V6 is gone." in told and sideways(page) == 0


def test_a_quiz_page_is_done_without_the_app_and_scored_by_it(page_at, tmp_path, save):
    page = page_at()
    collected(page, "complete left bundle branch block", 2)
    with page.expect_download() as made:
        page.click("#quiz-page")
    text = Path(made.value.path()).read_text(encoding="utf-8")
    assert "bundle" not in text and "simulated-0" not in text and "Simulated: " not in text
    file = tmp_path / made.value.suggested_filename
    assert file.name == "teaching-set-quiz.html"
    file.write_text(text, encoding="utf-8")
    learner = page.context.browser.new_page(viewport=PHONE)
    wrong = []
    learner.on("console", lambda said: wrong.append(said.text))
    learner.goto(file.as_uri())
    assert sideways(learner) == 0
    learner.locator("input").first.fill("complete LBBB")
    learner.locator("input").nth(1).fill("banana")
    save(learner, "quiz-page-390", full_page=True)
    with learner.expect_download() as answers:
        learner.keyboard.press("Enter")
    handed = tmp_path / "answers.json"
    handed.write_bytes(Path(answers.value.path()).read_bytes())
    learner.close()
    assert wrong == []
    page.set_input_files("#hand-in input", str(handed))
    until(page, "!!document.querySelector('#quiz-panel [data-phase=over]')")
    assert "1 of 2 points: 1 right, 0 partly right, 1 missed" in page.inner_text("#quiz-panel")
    page.click("#quiz-leave")
    page.wait_for_selector("#set-cards:visible")
    page.locator("#set-cards .drop").first.click()
    until(page, CARDS, 1)
    page.set_input_files("#hand-in input", str(handed))
    assert wording.OTHER_SET in trouble(page, "#quiz-trouble")


def test_a_link_that_is_no_set_is_a_message(page_at, app):
    page = page_at()
    for link in ("nonsense", "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "eJw"):
        page.goto(f"{app.url}/?set={link}")
        assert "teaching set" in trouble(page, "#teach-trouble")


def test_a_planted_script_in_a_query_a_title_or_a_file_does_not_run(open_page, tmp_path):
    planted = "<img src=x onerror=\"alert('ran')\">"
    page = open_page()
    collected(page, f"LBBB and {planted}", 1)
    page.locator(".setwords input, .setwords textarea").first.fill(planted)
    page.keyboard.press("Tab")
    settled(page)
    with page.expect_download() as printed:
        page.click("#sheet-with")
    assert "<img" not in Path(printed.value.path()).read_text(encoding="utf-8")
    wrong = tmp_path / f"{'a' * 20}.json"
    wrong.write_text(json.dumps({"kind": planted, "cases": [planted]}))
    page.set_input_files("#open-set input", str(wrong))
    trouble(page, "#teach-trouble")
    assert page.locator(".tabitem img").count() == 0
