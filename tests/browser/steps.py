"""What a visitor does on the page, for the tests of every tab."""

import time

import pytest

from focal_app.explore.reading.bundled_cases import bundled_cases
from focal_app.ui import wording as reading_wording
from focal_app.ui.cases import wording
from focal_app.ui.teach import wording as teach_wording

DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
BOTH_SIZES = {
    "desktop": {"viewport": DESKTOP, "has_touch": True, "is_mobile": False},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}
LONGEST_MS = 60_000
"""How long anything may take on a busy machine; what never comes fails all the same."""
HELD, HELD_PX = "held", 1
"""While there is such a file, no visit of this width begins in `odd_app`."""
AT_REST_MS, AT_REST_FRAMES = 80, 5
"""How long nothing may have gone on, and for how many frames: on a busy machine those last."""
SOON_MS = 260
"""The longest that the page's own scripts wait before they ask for something more."""
TIMERS = f"""(() => {{
    const begin = window.setTimeout, end = window.clearTimeout;
    window.awaited = new Set();
    window.setTimeout = (act, after, ...rest) => {{
        const timer = begin((...all) => {{ awaited.delete(timer); act(...all); }}, after, ...rest);
        if (after > 0 && after <= {SOON_MS}) awaited.add(timer);
        return timer;
    }};
    window.clearTimeout = (timer) => {{ awaited.delete(timer); end(timer); }};
}})()"""
"""Run before a page's own scripts: keeps account of what is put off for a moment."""
QUIET = f"""call => {{
    const status = document.querySelector("#waiting [data-testid='status-tracker'] .progress-text");
    const now = performance.now(), busy = awaited.size || status?.textContent.trim();
    if (window.quiet?.call !== call || busy) window.quiet = {{ call, since: now, frames: 0 }};
    window.quiet.frames += 1;
    return now - window.quiet.since > {AT_REST_MS} && window.quiet.frames > {AT_REST_FRAMES};
}}"""
"""Whether the page asks for nothing and puts nothing off: no more follows from what was done."""

IN_SIGHT = """selector => {
    const box = document.querySelector(selector).getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return !!document.elementFromPoint(x, y)?.closest(selector);
}"""


def settled(page):
    """Waits until all that the page has asked for is answered and drawn.

    What is done before is done on the page of before: an answer on its way would draw over it.
    """
    page.wait_for_function(QUIET, arg=time.monotonic(), timeout=LONGEST_MS)


def until(page, condition, argument=None):
    """Waits until a condition holds in the browser, and until nothing more follows."""
    page.wait_for_function(condition, arg=argument, timeout=LONGEST_MS)
    settled(page)


def go(page, tab):
    """Opens a tab by its name."""
    page.get_by_role("tab", name=tab, exact=True).click()
    settled(page)


def sideways(page):
    """How many pixels the page itself is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def in_sight(page, selector):
    """Whether an element lies within the window and nothing covers it."""
    return page.evaluate(IN_SIGHT, selector)


def texts(page, selector):
    """What every element of a selector says."""
    return page.locator(selector).all_inner_texts()


def tinted(page, paper):
    """Whether a paper carries a tint."""
    return page.locator(f"{paper} g.tint").count() > 0


def serious(page):
    """What axe finds that keeps somebody out."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    return [
        (one["id"], [node["target"] for node in one["nodes"]])
        for one in axe.run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def trouble(page, box):
    """The message that a tab shows."""
    page.wait_for_selector(f"{box} .trouble")
    return page.inner_text(f"{box} .trouble")


def first_case(page):
    """Opens the first bundled case, where another recording is open."""
    go(page, reading_wording.READ_TAB)
    if page.input_value("#case input") != bundled_cases()[0].title:
        page.click("#case input")
        page.locator('[role="option"]').first.click()
        settled(page)


def search(page, query):
    """Opens the tab, asks, and waits for cases."""
    go(page, wording.SEARCH_TAB)
    page.fill("#query textarea, #query input", query)
    page.click("#search")
    until(page, "document.querySelectorAll('#search-cases button.open').length > 0")


def keep(page, count):
    """Puts the first cases that were found into the set."""
    for number in range(count):
        page.locator("#search-cases button.keep").nth(number).click()
        until(
            page,
            "count => document.querySelector('#in-set').innerText.startsWith(`${count} case`)",
            number + 1,
        )


def empty(page):
    """Ends a quiz, takes every case out of the set, and stays where that is done."""
    go(page, teach_wording.TAB)
    if page.is_visible("#quiz-leave"):
        page.click("#quiz-leave")
        page.wait_for_selector("#set-cards:visible")
    if page.locator("#set-cards .card").count():
        page.click("#empty-set")
        until(page, "!document.querySelector('#set-cards .card')")
