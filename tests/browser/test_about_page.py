"""About: figures from the checkpoint's own file, and a tour that goes where it says."""

import json

import pytest
from steps import IN_SIGHT, PHONE, go, sideways, until

from focal_app.explore.reading.checkpoint_card import FIGURES
from focal_app.explore.reading.explorer import EMBEDDED
from focal_app.ui.about import wording

pytestmark = pytest.mark.browser
ARRIVED = {
    1: "document.querySelector('#places h2')?.textContent.includes('ST elevation')",
    2: "document.querySelector('#places h2')?.textContent.includes('broad notched')",
    3: "document.querySelectorAll('#verdicts button.finding').length > 3",
    4: "document.querySelectorAll('#search-cases button.reveal').length > 3",
}


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
def test_figures_stand_with_their_intervals_and_the_page_stays_in_the_window(
    page_at, save, viewport
):
    page = page_at(viewport)
    go(page, wording.TAB)
    page.wait_for_selector("#figures table")
    figures = json.loads((EMBEDDED / FIGURES).read_text())["zeroshot"]
    said = page.inner_text("#figures")
    for task in figures.values():
        assert f"{task['macro_auc']['value']:.3f}" in said
    assert sideways(page) == 0
    beyond = "box => box.scrollWidth - box.clientWidth"  # the interval is read without scrolling
    assert page.eval_on_selector("#figures .scroll", beyond) <= 0
    save(page, f"about-{1440 if viewport is None else 390}", full_page=True)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_every_step_of_the_tour_arrives(page_at, save, step):
    page = page_at()
    go(page, wording.TAB)
    page.click(f"#tour-{step}")
    until(page, ARRIVED[step])
    if step == 2:
        until(page, IN_SIGHT, '#findings button[aria-pressed="true"]')
    save(page, f"tour-{step}-1440")
