"""A quiz on the page: typed and chosen, by mouse and by keyboard alone, at both sizes."""

import json

import pytest
from steps import (
    DESKTOP,
    PHONE,
    empty,
    go,
    keep,
    search,
    serious,
    settled,
    sideways,
    texts,
    tinted,
    until,
)
from visiting import Visit

from focal_app.explore.cases.gallery.gallery import EMBEDDED
from focal_app.ui.teach import quiz_wording as wording
from focal_app.ui.teach import wording as teach_wording

pytestmark = pytest.mark.browser
SIZES = pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
ASKED = "!!document.querySelector('#quiz-panel [data-phase=asked]')"
TOLD = "!!document.querySelector('#quiz-panel [data-phase=told]')"
OVER = "!!document.querySelector('#quiz-panel [data-phase=over]')"


def as_at_first(page):
    """Ends a quiz, empties the set, and takes back what was wished of the next."""
    empty(page)
    page.locator("#quiz-by label").filter(has_text=wording.TYPING).click()
    if page.is_visible("#quiz-draw"):
        page.locator("#quiz-wishes label").filter(has_text="Any").first.click()
        page.locator("#quiz-wishes > button").click()
    settled(page)


def started(page, query="complete left bundle branch block", count=3):
    """A quiz on the first cases of a search."""
    search(page, query)
    keep(page, count)
    page.click("#in-set button")
    until(page, "!!document.querySelector('#set-cards .card')")
    page.click("#quiz-start")
    until(page, ASKED)


def answer(page, said):
    """Types an answer and sends it."""
    page.fill("#quiz-answer input, #quiz-answer textarea", said)
    page.click("#quiz-send")
    settled(page)


def known_labels():
    """Labels of the embedded cases that no word of the page has by chance."""
    lines = (EMBEDDED / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return {label for line in lines for label in json.loads(line)["labels"]}


@SIZES
def test_a_set_is_answered_case_by_case_and_summed_up(page_at, save, viewport):
    page = page_at(viewport)
    started(page, "complete right bundle branch block")
    assert page.locator("#set-cards:visible").count() == 0
    assert "1 of 3" in page.inner_text("#quiz-progress")
    assert not tinted(page, "#quiz-paper") and sideways(page) == 0
    save(page, f"quiz-asked-{viewport['width']}", full_page=True)
    answer(page, "banana")
    page.wait_for_selector("#quiz-trouble .trouble")
    assert serious(page) == []
    assert "1 of 3" in page.inner_text("#quiz-progress") and page.evaluate(ASKED)
    answer(page, "complete RBBB")
    until(page, TOLD)
    assert texts(page, "#quiz-panel h2") == [wording.RIGHT]
    assert page.locator("#quiz-trouble .trouble").count() == 0
    until(page, "!!document.querySelector('#quiz-paper g.tint')")
    if viewport is PHONE:  # V1 to V3 lie to the right of what the paper shows at first
        until(page, "document.querySelector('#quiz-paper').scrollLeft > 100")
    assert sideways(page) == 0 and serious(page) == []
    save(page, f"quiz-told-{viewport['width']}", full_page=True)
    page.click("#quiz-next")
    until(page, ASKED)
    assert "2 of 3" in page.inner_text("#quiz-progress")
    answer(page, "bundle branch block")
    until(page, TOLD)
    assert texts(page, "#quiz-panel h2") == [wording.PART]
    page.click("#quiz-next")
    until(page, ASKED)
    page.click("#quiz-give-up")
    until(page, TOLD)
    assert page.inner_text("#quiz-next") == wording.SUM_UP
    page.click("#quiz-next")
    until(page, OVER)
    summed = "1.5 of 3 points: 1 right, 1 partly right, 0 missed, 1 not answered."
    assert summed in page.inner_text("#quiz-panel")
    assert len(texts(page, ".results li")) == 3 and sideways(page) == 0
    save(page, f"quiz-over-{viewport['width']}", full_page=True)
    page.click("#quiz-again")
    until(page, ASKED)
    assert "1 of 2" in page.inner_text("#quiz-progress")
    page.click("#quiz-leave")
    page.wait_for_selector("#set-cards:visible")


def test_a_quiz_goes_by_keyboard_alone(page_at):
    page = page_at()
    search(page, "atrial fibrillation")
    keep(page, 2)
    page.click("#in-set button")
    until(page, "!!document.querySelector('#set-cards .card')")
    page.locator("#quiz-start").focus()
    page.keyboard.press("Enter")
    until(page, "document.activeElement.closest('#quiz-answer') !== null")
    page.keyboard.type("AF")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'quiz-next'")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.closest('#quiz-answer') !== null")
    page.keyboard.type("LBBB")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'quiz-next'")
    page.keyboard.press("Enter")
    until(page, OVER)
    until(page, "document.activeElement.id === 'quiz-leave'")


@SIZES
def test_answers_can_be_chosen_by_keys_and_the_quiz_drawn_from_the_gallery(page_at, save, viewport):
    page = page_at(viewport)
    go(page, teach_wording.TAB)
    page.locator("#quiz-by label").filter(has_text=wording.CHOOSING).click()
    page.locator("#quiz-wishes > button").click()
    page.wait_for_selector("#quiz-rule:has-text('Easy:')")
    page.locator("#quiz-wishes label").filter(has_text="Easy").click()
    save(page, f"quiz-wishes-{viewport['width']}", full_page=True)
    page.click("#quiz-draw")
    until(page, ASKED)
    assert page.locator("#quiz-panel .choice").count() == 4
    assert page.locator("#quiz-typing:visible").count() == 0
    save(page, f"quiz-choices-{viewport['width']}", full_page=True)
    page.locator("#quiz-panel .choice").first.focus()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    until(page, TOLD)
    assert texts(page, "#quiz-panel h2")[0] in (wording.RIGHT, wording.PART, wording.WRONG)
    assert sideways(page) == 0


@SIZES
def test_the_cases_of_a_drawn_quiz_are_kept_in_the_set_by_one_button(page_at, save, viewport):
    page = page_at(viewport)
    started(page, "WPW", count=1)
    page.click("#quiz-give-up")
    until(page, TOLD)
    page.click("#quiz-next")
    until(page, OVER)
    assert not page.is_visible("#quiz-keep")  # they are the set's
    page.click("#quiz-leave")
    page.locator("#quiz-wishes > button").click()
    page.wait_for_selector("#quiz-draw:visible")
    page.click("#quiz-draw")
    for number in range(5):
        until(page, ASKED)
        assert f"{number + 1} of 5" in page.inner_text("#quiz-progress")
        assert not page.is_visible("#quiz-keep")
        page.click("#quiz-give-up")
        until(page, TOLD)
        page.click("#quiz-next")
    until(page, OVER)
    save(page, f"quiz-keep-{viewport['width']}", full_page=True)
    assert sideways(page) == 0
    page.locator("#quiz-keep").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#set-cards:visible .card")
    until(page, "document.querySelectorAll('#set-cards .card').length >= 5")
    assert page.locator("#set-cards .card").count() in (5, 6)  # the WPW may have been drawn
    assert page.locator("#quiz:visible").count() == 0


def test_a_quiz_can_be_about_one_finding(open_page):
    page = open_page()
    go(page, teach_wording.TAB)
    page.locator("#quiz-wishes > button").click()
    page.wait_for_selector("#quiz-rule:has-text('Easy:')")
    page.locator("#quiz-finding input").fill("left bundle branch block")
    page.locator("[role=option]").filter(has_text="left bundle branch block (").first.click()
    page.click("#quiz-draw")
    until(page, ASKED)
    page.click("#quiz-give-up")
    until(page, TOLD)
    assert "left bundle branch block" in page.inner_text("#quiz-panel .shows")


def test_no_answer_is_in_the_page_before_it_is_given(open_page):
    page = open_page()
    heard = []
    page.on("response", lambda answer: heard.append(answer) if "queue" in answer.url else None)
    go(page, teach_wording.TAB)
    page.locator("#quiz-wishes > button").click()
    page.wait_for_selector("#quiz-rule:has-text('Easy:')")
    page.click("#quiz-draw")
    until(page, ASKED)
    shown = page.locator("#quiz").evaluate("quiz => quiz.outerHTML")
    shown = shown.replace(wording.HELP, "")
    told = [label for label in known_labels() if label in shown]
    assert told == []
    assert "simulated-0" not in shown and "Simulated: " not in shown


def test_what_the_server_answers_before_the_answer_holds_no_label(app):
    with Visit(app.url) as visit:
        visit.open()
        asked = visit.do("quiz_drawn", None, wording.TYPING, 5, "Any", wording.ANY)
        page = json.dumps(asked, ensure_ascii=False).replace(wording.HELP, "")
        assert "svg" in page
        assert [label for label in known_labels() if label in page] == []
        assert "simulated-0" not in page
        # A refusal names a finding by way of example, the same whatever the case is.
        refused = json.dumps(visit.do("reply", None, "banana"))
        refused = refused.replace("inverted T waves in V1-V4", "")
        assert [label for label in known_labels() if label in refused] == []
        told = json.dumps(visit.do("give_up", None))
        assert [label for label in known_labels() if label in told]
