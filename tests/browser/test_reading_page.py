"""A clinician's way through the findings of an ECG, in a real browser."""

import pytest
from reading_steps import (
    as_first_read,
    choose,
    dimmed,
    finding,
    scores,
    tint_is_visible,
    traces,
    unfold,
    until_shown,
)
from steps import BOTH_SIZES, IN_SIGHT, PHONE, in_sight, serious, settled, sideways, trouble, until

from focal_app.explore.reading.prompts import LONGEST
from focal_app.figures.sheet import LEFT_MM
from focal_app.ui import wording
from focal_app.ui.read import wording_paper

pytestmark = pytest.mark.browser

as_at_first = as_first_read


def until_listed(page, *prompts):
    """Waits until the list holds exactly these prompts, in any order."""
    condition = """wanted => [...document.querySelectorAll("button.finding")]
        .map(row => row.dataset.prompt).sort().join("|") === wanted.sort().join("|")"""
    until(page, condition, list(prompts))


def choose_option(page, box, number):
    """Takes an option of a dropdown and returns what it is called."""
    page.click(f"{box} input")
    option = page.locator('[role="option"]').nth(number)
    name = option.get_attribute("aria-label") or option.inner_text()
    option.click()
    return name.strip()


def test_a_bundled_case_is_there_at_once(page_at, save):
    page = page_at()
    assert traces(page) >= 13
    assert len(scores(page)) >= 10
    assert wording.SIMULATED in page.inner_text("#recording")
    assert page.locator("#paper g.tint").count() == 0
    save(page, "case-1440")


def test_another_case_is_read_when_it_is_chosen(page_at, save):
    page = page_at()
    before, about = scores(page), page.inner_text("#recording .about")
    choose_option(page, "#case", 4)
    until(page, """old => document.querySelector("#recording .about").textContent !== old""", about)
    assert scores(page) != before
    choose(page, "left bundle branch block")
    assert tint_is_visible(page)
    assert "times as much as on average" in page.inner_text("#places")
    save(page, "case-tinted-1440")


def test_prompts_are_added_removed_reset_and_exchanged(page_at):
    page = page_at()
    before = scores(page)
    page.fill("#new-prompt textarea", "delta wave")
    page.click("#add")
    until_shown(page, "delta wave")
    added = scores(page)
    assert {p: s for p, s in added.items() if p != "delta wave"} == before
    page.click(".detail:visible .remove")
    until_listed(page, *before)
    assert scores(page) == before
    choose(page, "sinus rhythm")
    page.click(".detail:visible .remove")
    until_listed(page, *before.keys() - {"sinus rhythm"})
    page.click("#reset")
    until_listed(page, *before)
    assert scores(page) == before
    choose_option(page, "#prompt-set", 1)
    until(page, "document.querySelectorAll('button.finding').length === 5")
    choose_option(page, "#prompt-set", 0)
    until_listed(page, *before)


def test_three_prompts_removed_at_once_are_all_gone(page_at):
    page = page_at()
    before = scores(page)
    gone = list(before)[:3]
    press = """prompts => prompts.forEach(prompt => [...document.querySelectorAll("form.detail")]
        .find(form => form.dataset.prompt === prompt).querySelector(".remove").click())"""
    page.evaluate(press, gone)
    until_listed(page, *before.keys() - set(gone))
    assert page.locator("#trouble .trouble").count() == 0


@pytest.mark.parametrize(("pressed", "left"), [("ABA", "A"), ("ABB", None), ("AAB", "B")])
def test_of_quick_choices_the_last_one_holds(page_at, pressed, left):
    page = page_at()
    prompts = dict(zip("AB", scores(page), strict=False))
    press = """prompts => prompts.forEach(prompt =>
        document.querySelector(`button.finding[data-prompt="${prompt}"]`).click())"""
    page.evaluate(press, [prompts[name] for name in pressed])
    settled(page)  # the first choice is answered in between, and could pass for the last
    last_holds = """wanted => wanted ===
        (document.querySelector('.finding[aria-pressed="true"]')?.dataset.prompt ?? null)
        && !!wanted === !!document.querySelector("#places h2")"""
    until(page, last_holds, prompts[left] if left else None)


def test_passing_through_a_dropdown_changes_nothing(page_at):
    page = page_at()
    choose(page, "sinus rhythm")
    page.click(".detail:visible .remove")
    until(page, """!document.querySelector('button.finding[data-prompt="sinus rhythm"]')""")
    choose(page, "ST elevation")
    before = scores(page)
    for box in ("#case input", "#prompt-set input"):
        page.click(box)
        page.keyboard.press("Tab")
    settled(page)
    assert scores(page) == before
    assert finding(page, "ST elevation").get_attribute("aria-pressed") == "true"
    assert tint_is_visible(page)


def test_a_prompt_that_cannot_be_asked_says_why_and_keeps_the_rest(page_at):
    page = page_at()
    before = scores(page)
    page.fill("#new-prompt textarea", "Sinus rhythm")
    page.keyboard.press("Enter")
    assert "already" in trouble(page, "#add-trouble")
    assert scores(page) == before and not dimmed(page)
    choose(page, "sinus rhythm")
    assert page.locator(".trouble").count() == 0


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
def test_a_prompt_that_is_too_long_stays_in_its_field_and_is_answered_beside_it(
    page_at, save, viewport
):
    page = page_at(viewport)
    page.fill("#new-prompt textarea", "ST elevation " * 100)
    page.click("#add")
    assert str(LONGEST) in trouble(page, "#add-trouble")
    field = page.locator("#new-prompt textarea").bounding_box()
    said = page.locator("#add-trouble .trouble").bounding_box()
    assert field["height"] < 110
    assert 0 <= said["y"] - (field["y"] + field["height"]) < 40
    save(page, f"long-prompt-{1440 if viewport is None else 390}")


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
def test_the_tint_of_what_is_improbable_is_faint_and_said_to_be(page_at, save, viewport):
    page = page_at(viewport)
    choose(page, "sinus rhythm")
    assert wording.IMPROBABLE not in page.inner_text("#places")
    assert wording.EVEN in page.inner_text("#places")
    choose(page, "atrial flutter")
    assert wording.IMPROBABLE in page.inner_text("#places")
    assert page.locator("#paper g.tint.faint").count() == 1
    save(page, f"improbable-{1440 if viewport is None else 390}")


def test_a_synonym_is_read_as_its_finding(page_at, save):
    page = page_at()
    page.fill("#new-prompt textarea", "LBBB")
    page.click("#add")
    until_shown(page, "LBBB")
    row = page.locator("#findings .row", has=finding(page, "LBBB"))
    assert "read as left bundle branch block" in row.inner_text()
    read = scores(page)
    assert read["LBBB"] == read["left bundle branch block"]
    save(page, "synonym-1440")


def test_the_focus_changes_the_tint_and_no_probability(page_at):
    page = page_at()
    choose(page, "sinus rhythm")
    before, places = scores(page), page.inner_text("#places")
    page.get_by_role("button", name=wording_paper.MORE).click()
    usual = page.locator("#focus label:has(input:checked)").get_attribute("data-testid")
    page.click("#focus label:nth-of-type(1)")
    until(page, "old => document.querySelector('#places').innerText !== old", places)
    assert scores(page) == before
    page.get_by_test_id(usual).click()
    until(page, "old => document.querySelector('#places').innerText === old", places)
    page.get_by_role("button", name=wording_paper.MORE).click()


def test_a_finding_is_chosen_by_keyboard_alone(page_at, save):
    page = page_at()
    page.locator("#reset").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.dataset.prompt ?? null"
    assert page.evaluate(focused) is not None
    first = page.evaluate(focused)
    page.keyboard.press("Enter")
    until_shown(page, first)
    page.keyboard.press("ArrowDown")
    second = page.evaluate(focused)
    assert second not in (None, first)
    until_shown(page, second)
    assert page.evaluate(focused) == second
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    save(page, "keyboard-1440")
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('#paper g.tint')")


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["1440", "390"])
def test_what_is_measured_stands_above_the_paper(page_at, save, viewport):
    page = page_at(viewport)
    strip = page.inner_text("#measured")
    assert all(name in strip for name in ("Rate", "PR", "QRS", "QTc (Bazett)", "Axis", "Pacing"))
    assert "/min" in strip and " ms" in strip and "apart from what the model says" in strip
    boxes = [page.locator(one).bounding_box() for one in ("#measured", "#paper")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 1
    page.click("#measured summary")
    assert "median" in page.inner_text("#measured") and sideways(page) <= 0
    save(page, f"measured-{1440 if viewport is None else 390}")
    page.click("#measured summary")


def test_improbable_findings_are_folded_and_open_by_keyboard(page_at):
    page = page_at()
    folded = page.locator("details.folded")
    count = folded.locator("button.finding").count()
    summary = folded.locator("> summary")
    assert summary.inner_text() == f"{count} others below 10 %" and count > 10
    assert not folded.locator("button.finding").first.is_visible()
    summary.focus()
    page.keyboard.press("Enter")
    inside = folded.locator("button.finding").first
    inside.focus()
    page.keyboard.press("Enter")
    until_shown(page, inside.get_attribute("data-prompt"))
    assert folded.get_attribute("open") is not None
    assert page.inner_text(".inshort").startswith("Probably: normal ECG")


def test_the_findings_scroll_with_the_page_alone(page_at):
    page = page_at()
    unfold(page)
    scrolls = """[...document.querySelectorAll('.side, .side *')].filter(one =>
        one.scrollHeight > one.clientHeight + 1
        && ['auto', 'scroll'].includes(getComputedStyle(one).overflowY)
        && one.querySelector('button.finding'))"""
    assert page.evaluate(f"{scrolls}.length") == 0


@pytest.mark.parametrize("width", [1440, 1280])
def test_the_pointer_is_told_the_patch_below_it(page_at, width):
    page = page_at({"width": width, "height": 900})
    choose(page, "sinus rhythm")
    said = page.locator("#paper .told")
    for step in range(200):  # a finer tint, when it comes, takes away what was said of the first
        paper = page.locator("#paper svg.ecg").bounding_box()
        px_per_mm = paper["width"] / 267
        right, down = (LEFT_MM + 8.5 * 25) * px_per_mm, (15 + 30 + 12) * px_per_mm
        page.mouse.move(paper["x"] + right + step % 2, paper["y"] + down)
        page.wait_for_timeout(250)
        if said.count():
            break
    assert said.text_content().startswith(("V5, 8.4–8.6 s: looked here", "V5, 8–9 s: looked here"))


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
def test_the_disclaimer_is_always_in_sight(page_at, viewport):
    page = page_at(viewport)
    assert page.inner_text(".disclaimer") == wording.DISCLAIMER
    for place in (0, 300, 5000):
        page.evaluate(f"window.scrollTo(0, {place})")
        settled(page)
        assert in_sight(page, ".disclaimer")


def test_a_phone_scrolls_the_paper_and_not_the_page(open_page, save):
    page = open_page(**BOTH_SIZES["phone"])
    save(page, "case-390")
    assert sideways(page) == 0
    paper = page.locator("#paper").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert paper[0] > paper[1]
    goes_on = "getComputedStyle(document.querySelector('#paper')).maskImage !== 'none'"
    assert page.evaluate(goes_on), "its edge fades where it goes on"
    page.evaluate("document.querySelector('#paper').scrollLeft = 1e6")
    until(page, f"!({goes_on})")
    choose(page, "sinus rhythm")
    until(page, IN_SIGHT, "#paper")
    assert tint_is_visible(page)
    assert sideways(page) == 0
    save(page, "case-tinted-390")
    save(page, "case-tinted-390-whole", full_page=True)


def test_dark_mode_leaves_the_paper_light(open_page, save):
    page = open_page(color_scheme="dark")
    choose(page, "sinus rhythm")
    assert page.evaluate("document.body.classList.contains('dark')")
    background = page.locator("#paper svg.ecg rect").first.evaluate("e => getComputedStyle(e).fill")
    assert background == "rgb(255, 253, 250)"
    assert serious(page) == []
    save(page, "dark-1440")


def test_opening_a_case_sends_less_than_400_kb_of_data(page_at):
    page = page_at()
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    received = []
    network.on("Network.dataReceived", lambda event: received.append(event["dataLength"]))
    about = page.inner_text("#recording .about")
    choose_option(page, "#case", 2)
    until(page, """old => document.querySelector("#recording .about").textContent !== old""", about)
    opened = sum(received)
    choose(page, "sinus rhythm")
    assert 10_000 < opened < 400_000
    assert sum(received) - opened < 400_000
    network.detach()
