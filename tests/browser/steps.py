"""What a visitor does on the page, for the tests of every tab."""

from focal_app.ui.cases import wording

DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def until(page, condition, argument=None):
    """Waits until a condition holds in the browser, and until what it changed is drawn."""
    page.wait_for_function(condition, arg=argument, timeout=60_000)
    page.wait_for_timeout(300)


def go(page, tab):
    """Opens a tab by its name."""
    page.get_by_role("tab", name=tab, exact=True).click()
    page.wait_for_timeout(300)


def sideways(page):
    """How many pixels the page itself is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def texts(page, selector):
    """What every element of a selector says."""
    return page.locator(selector).all_inner_texts()


def tinted(page, paper):
    """Whether a paper carries a tint."""
    return page.locator(f"{paper} g.tint").count() > 0


def trouble(page, box):
    """The message that a tab shows."""
    page.wait_for_selector(f"{box} .trouble", timeout=60_000)
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
