"""What a visitor does on the page, for the tests of every tab."""

import time

from focal_app.ui.cases import wording

DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LONGEST_MS = 60_000
"""How long anything may take on a busy machine; what never comes fails all the same."""
HELD, HELD_PX = "held", 1
"""While there is such a file, no visit of this width begins in `odd_app`."""
QUIET = """([call, lasting]) => {
    const status = document.querySelector("#waiting [data-testid='status-tracker'] .progress-text");
    const now = performance.now(), busy = status?.textContent.trim();
    if (window.quiet?.call !== call || busy) window.quiet = { call, since: now };
    return now - window.quiet.since > lasting;
}"""
"""Whether no request of the page has been under way for a moment, in which a next would follow."""

IN_SIGHT = """selector => {
    const box = document.querySelector(selector).getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return !!document.elementFromPoint(x, y)?.closest(selector);
}"""


def settled(page, lasting_ms=300):
    """Waits until all that the page has asked for is answered and drawn, for so long.

    What is done before is done on the page of before: an answer on its way would draw over it.
    """
    page.wait_for_function(QUIET, arg=[time.monotonic(), lasting_ms], timeout=LONGEST_MS)


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


def trouble(page, box):
    """The message that a tab shows."""
    page.wait_for_selector(f"{box} .trouble")
    return page.inner_text(f"{box} .trouble")


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
