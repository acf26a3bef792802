"""Similar cases, search and teaching on the page, over the embedded gallery."""

import json
from pathlib import Path

import pytest
from steps import go, sideways, texts, tinted, trouble, until

from focal_app.ui import wording_cases as wording

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
SIZES = pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
LISTED = "box => document.querySelectorAll(`${box} button.open`).length > 0"


def size(viewport):
    return 1440 if viewport is None else 390


def search(page, query):
    """Opens the tab, asks, and waits for cases."""
    go(page, wording.SEARCH_TAB)
    page.fill("#query textarea, #query input", query)
    page.click("#search")
    until(page, LISTED, "#search-cases")


def keep(page, count):
    """Puts the first cases into the set."""
    for number in range(count):
        page.locator("#search-cases button.keep").nth(number).click()
        until(
            page,
            "count => document.querySelectorAll('#set .kept li').length === count",
            number + 1,
        )


@SIZES
def test_similar_cases_lie_beside_the_ecg_on_the_same_scale(open_page, save, viewport):
    page = open_page(viewport)
    go(page, wording.SIMILAR_TAB)
    until(page, LISTED, "#similar-cases")
    until(page, "document.querySelectorAll('.pair .main-svg').length >= 4")
    widths = page.locator(".pair .js-plotly-plot").evaluate_all(
        "plots => plots.map(plot => plot.layout.width)"
    )
    assert len(widths) == 2 and widths[0] == widths[1]
    assert tinted(page, "#similar-your-paper") and tinted(page, "#similar-their-paper")
    assert sideways(page) == 0
    first = page.inner_text("#similar-place")
    page.click("#case-after")
    until(page, "old => document.querySelector('#similar-place').innerText !== old", first)
    save(page, f"similar-{size(viewport)}", full_page=True)


def test_cases_like_one_finding_and_like_a_marked_segment(open_page):
    page = open_page()
    go(page, wording.SIMILAR_TAB)
    until(page, LISTED, "#similar-cases")
    page.locator("#by label").nth(1).click()
    page.wait_for_selector("#by-finding:visible")
    page.click("#find-similar")
    until(
        page,
        "document.querySelector('#similar-cases .percent').textContent.includes('%')",
    )
    page.locator("#by label").nth(2).click()
    page.wait_for_selector("#by-finding", state="hidden")
    page.click("#find-similar")
    until(
        page,
        "!document.querySelector('#similar-cases .percent').textContent.includes('%')",
    )


@SIZES
def test_an_example_is_understood_and_its_hits_are_tinted(open_page, save, viewport):
    page = open_page(viewport)
    go(page, wording.SEARCH_TAB)
    page.locator("button.example").nth(3).click()
    until(page, LISTED, "#search-cases")
    said = page.inner_text("#understood")
    assert "atrial fibrillation" in said and "without left bundle branch block" in said
    until(page, "!!document.querySelector('#search-paper .heatmaplayer image')")
    assert sideways(page) == 0
    save(page, f"search-{size(viewport)}", full_page=True)


def test_hits_are_browsed_by_keyboard(open_page):
    page = open_page()
    search(page, "LBBB")
    page.locator("#search-cases button.open").first.focus()
    page.keyboard.press("ArrowDown")
    until(
        page,
        "document.querySelectorAll('#search-cases button.open')[1].getAttribute('aria-pressed')"
        " === 'true' && document.activeElement.classList.contains('open')",
    )


def test_labels_stay_hidden_until_they_are_revealed(open_page, save):
    page = open_page()
    search(page, "LBBB")
    assert wording.HIDDEN not in page.inner_text("#search-cases")
    page.locator("#hide input").check()
    until(page, "document.querySelectorAll('#search-cases button.reveal').length > 5")
    assert set(texts(page, "#search-cases .name")) == {wording.HIDDEN}
    assert not tinted(page, "#search-paper")
    save(page, "teaching-1440", full_page=True)
    page.locator("button.reveal").first.click()
    until(page, "!!document.querySelector('#search-paper .heatmaplayer image')")
    assert texts(page, "#search-cases .name").count(wording.HIDDEN) >= 5
    assert texts(page, "#search-cases .name")[0] != wording.HIDDEN


def test_a_set_is_saved_opened_shared_and_printed(open_page, app, save, tmp_path):
    page = open_page()
    search(page, "RSR' pattern in V1-V3")
    keep(page, 3)
    with page.expect_download() as saved:
        page.get_by_text(wording.SAVE_SET).click()
    file = tmp_path / "set.json"
    file.write_bytes(Path(saved.value.path()).read_bytes())
    assert len(json.loads(file.read_text())["cases"]) == 3
    sheets = {}
    for button in ("#sheet-without", "#sheet-with"):
        with page.expect_download() as printed:
            page.click(button)
        sheets[button] = Path(printed.value.path()).read_text(encoding="utf-8")
    labels = texts(page, "#search-cases .name")[0].split(", ")[0]
    assert sheets["#sheet-without"].count("<svg") >= 3
    assert labels in sheets["#sheet-with"] and labels not in sheets["#sheet-without"]
    sheet = tmp_path / "sheet.html"
    sheet.write_text(sheets["#sheet-with"], encoding="utf-8")
    link = page.get_attribute("#set button.copy", "data-link")
    page.goto(f"{app.url}/?set={link}")
    page.wait_for_selector("#search-cases button.open", timeout=120_000)
    assert texts(page, "#search-cases .name") == [wording.HIDDEN] * 3
    save(page, "set-from-link-1440", full_page=True)
    page.goto(app.url)
    page.wait_for_selector("button.finding", timeout=60_000)
    go(page, wording.SEARCH_TAB)
    page.set_input_files("#open-set input", str(file))
    until(page, "document.querySelectorAll('#search-cases button.open').length === 3")


@pytest.mark.parametrize("link", ["nonsense", "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "eJw"])
def test_a_link_that_is_no_set_is_a_message(open_page, app, link):
    page = open_page()
    page.goto(f"{app.url}/?set={link}")
    assert "teaching set" in trouble(page, "#search-trouble")


def test_a_planted_script_in_a_query_a_title_or_a_file_does_not_run(open_page, tmp_path):
    planted = "<img src=x onerror=\"alert('ran')\">"
    page = open_page()
    search(page, f"LBBB and {planted}")
    keep(page, 1)
    page.locator(".setwords input, .setwords textarea").first.fill(planted)
    page.keyboard.press("Tab")
    page.wait_for_timeout(800)
    with page.expect_download() as printed:
        page.click("#sheet-with")
    assert "<img" not in Path(printed.value.path()).read_text(encoding="utf-8")
    wrong = tmp_path / f"{'a' * 20}.json"
    wrong.write_text(json.dumps({"kind": planted, "cases": [planted]}))
    page.set_input_files("#open-set input", str(wrong))
    trouble(page, "#search-trouble")
    assert page.locator(".tabitem img").count() == 0


def test_filters_leave_only_what_they_name(open_page):
    page = open_page()
    go(page, wording.SEARCH_TAB)
    page.locator(".filters:visible > button").first.click()
    page.locator("#search-sex label").nth(1).click()
    search(page, "sinus rhythm")
    beside = texts(page, "#search-cases .beside")
    assert beside and all("female" in said for said in beside)
