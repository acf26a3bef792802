"""What a visitor does on the tab where an ECG is read, for the tests of its pages."""

from steps import first_case, settled, until

from focal_app.explore.reading.prompts import EVERYDAY, prompt_set
from focal_app.figures import labels


def scores(page):
    """What the list says of every prompt: percentage and similarity."""
    read = """rows => Object.fromEntries(rows.map(row => [
        row.querySelector("button.finding").dataset.prompt,
        row.querySelector(".percent").textContent + row.querySelector(".score").textContent]))"""
    return page.locator("#findings .row").evaluate_all(read)


def finding(page, prompt):
    """The button of a finding."""
    return page.locator(f'button.finding[data-prompt="{prompt}"]')


def until_shown(page, prompt):
    """Waits until a finding is chosen, spoken of and tinted."""
    condition = """prompt => document.querySelector("#places h2")?.textContent.includes(prompt)
        && document.querySelector("#paper g.tint")
        && document.querySelector('.finding[aria-pressed="true"]').dataset.prompt === prompt"""
    until(page, condition, prompt)


def unfold(page):
    """Shows the improbable findings too."""
    folded = page.locator("details.folded:not([open]) > summary")
    if folded.count():
        folded.click()


def choose(page, prompt):
    """Chooses a finding, improbable or not."""
    unfold(page)
    finding(page, prompt).click()
    until_shown(page, prompt)


def dimmed(page):
    """Whether the desk is dimmed, as what is shown is not what was asked for."""
    return float(page.eval_on_selector(".desk", "desk => getComputedStyle(desk).opacity")) < 1


def traces(page):
    """How many traces the paper has."""
    return page.locator("#paper path.trace").count()


def tint_is_visible(page):
    """Whether the paper shows a tint and its legend."""
    box = page.locator("#paper g.tint").first.bounding_box()
    legend = page.locator("#paper text", has_text=labels.LOOKED)
    return box is not None and box["width"] > 100 and legend.count() == 1


def as_first_read(page):
    """Opens the first case with its first prompts; none is chosen, and nothing is unfolded."""
    first_case(page)
    chosen = page.locator('button.finding[aria-pressed="true"]')
    if chosen.count():
        chosen.evaluate("one => one.click()")
        settled(page)
    page.fill("#new-prompt textarea", "")
    asked = sorted(scores(page)) != sorted(prompt_set(EVERYDAY).prompts)
    if asked or page.locator(".trouble").count():
        page.click("#reset")
        settled(page)
    opened = page.locator("details.folded[open] > summary")
    if opened.count():
        opened.click()
    page.evaluate("scrollTo(0, 0)")
