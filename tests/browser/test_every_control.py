"""No control of the page is out of reach: every one of every tab, by keyboard alone and by touch.

One page a size is walked tab by tab. At both sizes the keyboard has to reach, show and name every
control, and nothing may lie over where a hand aims; pressed they are by key at 1440 and by finger
at 390, as each press at both sizes would take half a minute more. The tests hold what was found.
A control that is new is walked with the others, and fails them where it does nothing.
"""

import re
from pathlib import Path

import hospital_files
import numpy as np
import pytest
from controls import Walk
from made_records import beats, write_record
from steps import BOTH_SIZES, PHONE, settled

from focal_app.explore.reading.bundled_cases import load_case
from focal_app.ui.cases import wording as case_wording
from focal_app.ui.teach import quiz_wording
from focal_app.ui.teach import wording as teach_wording
from focal_app.ui.verify import wording as verify_wording

pytestmark = pytest.mark.browser
HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "focal_app" / "ui"
SHOWN = ".tabitem"
WORKED = {"button", "uploadbutton", "textbox", "number", "dropdown", "radio", "checkbox", "slider"}
WORKED |= {"accordion", "tabitem"}
ELSEWHERE = {
    "#send": "test_a_model_gets_what_was_shown_and_its_death_is_a_message",
    "#feature-source": "test_a_model_gets_what_was_shown_and_its_death_is_a_message",
    "#quiz-keep": "test_the_cases_of_a_drawn_quiz_are_kept_in_the_set_by_one_button",
}
"""Controls that only a language model or a long quiz brings, and the test that works them."""
NARROW = {"a back"}
"""Where the list lies beside the paper no link leads back to it."""


def unfold(page):
    """Opens all that is folded, but the menu, which would lie over the rest."""
    page.evaluate("""() => {
        document.querySelectorAll(".label-wrap:not(.open)").forEach((one) => {
            if (one.checkVisibility()) one.click();
        });
        document.querySelectorAll("details:not(.menu)").forEach((one) => (one.open = true));
    }""")


def tab(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def read(walk, folder):
    """A long recording, a finding chosen, the calipers on the paper; then the menu."""
    page = walk.page
    files = write_record(folder, np.tile(beats(10), (1, 2)), name="long")
    page.set_input_files(".toolbar input[type=file]", files)
    page.wait_for_selector("#overview input")
    page.click('button.finding[data-prompt="sinus rhythm"]')
    page.wait_for_selector("#places button.show")
    page.locator('[data-tool="calipers"]').press("Enter")
    unfold(page)
    page.wait_for_selector("#chart .js-plotly-plot")
    walk.part(SHOWN)
    page.click("#take-away summary")
    walk.part("#take-away")


def ask(walk):
    """Mere numbers, which the page asks about."""
    content = hospital_files.csv(load_case("normal"))
    file = {"name": "numbers.csv", "mimeType": "text/csv", "buffer": content}
    walk.page.set_input_files(".toolbar input[type=file]", file)
    walk.page.wait_for_selector("#asking-apply:visible")
    walk.part("#asking")


def verify(walk):
    page = walk.page
    tab(page, verify_wording.TAB)
    page.fill("#report textarea", "Sinus rhythm. Left bundle branch block, no acute ST elevation.")
    page.click("#verify")
    page.wait_for_selector("#verdicts table")
    unfold(page)
    walk.part(SHOWN)


def compare(walk):
    tab(walk.page, "Compare")
    walk.part(SHOWN)


def similar(walk):
    page = walk.page
    tab(page, case_wording.SIMILAR_TAB)
    page.wait_for_selector("#similar-cases button.open")
    page.locator("#by label").filter(has_text=case_wording.BY_FINDING).click()
    page.wait_for_selector("#by-finding:visible")
    walk.part("#by-finding")
    page.locator("#by label").filter(has_text=case_wording.BY_SEGMENT).click()
    page.wait_for_selector("#marking:visible")
    unfold(page)
    walk.part(SHOWN)


def search(walk):
    """Cases whose labels are hidden, one of them in the set."""
    page = walk.page
    tab(page, case_wording.SEARCH_TAB)
    page.fill("#query textarea, #query input", "WPW")
    page.locator("#hide input").check()
    page.click("#search")
    page.wait_for_selector("#search-cases button.reveal")
    settled(page)
    page.locator("#search-cases button.keep").first.click()
    page.wait_for_selector("#in-set:has-text('1 case')")
    unfold(page)
    walk.part(SHOWN)


def teach(walk):
    """The set with its labels hidden and told."""
    page = walk.page
    tab(page, teach_wording.TAB)
    page.wait_for_selector("#set-cards .card")
    page.locator("#teach-hide input").check()
    page.wait_for_selector("#set-cards .reveal")
    walk.part("#set-cards")
    page.locator("#teach-hide input").uncheck()
    page.wait_for_selector("#share .copy")
    unfold(page)
    walk.part(SHOWN)


def quiz(walk):
    """Typed and told, then summed up, then chosen."""

    def on(button, shown):
        settled(page)
        page.click(button)
        page.wait_for_selector(shown)

    page = walk.page
    page.locator("#quiz-by label").filter(has_text=quiz_wording.TYPING).click()
    for button, shown in (
        ("#quiz-start", "#quiz-typing:visible"),
        ("#quiz-give-up", "#quiz-panel [data-phase=told]"),
        ("#quiz-next", "#quiz-panel [data-phase=over]"),
    ):
        on(button, shown)
        walk.part("#quiz")
    on("#quiz-leave", "#quiz-start:visible")
    page.locator("#quiz-by label").filter(has_text=quiz_wording.CHOOSING).click()
    on("#quiz-start", "#quiz-panel .choice")
    walk.part("#quiz")


def about(walk):
    tab(walk.page, "About")
    walk.page.wait_for_selector("#figures table")
    walk.part(SHOWN)
    walk.part("#tabs > .tab-wrapper")


TABS = (ask, verify, compare, similar, search, teach, quiz, about)


@pytest.fixture(scope="module", params=BOTH_SIZES)
def walk(kept_pages, request, tmp_path_factory):
    """The whole page, walked once: by finger where it is narrow."""
    _, open_at, _ = kept_pages
    page = open_at(**BOTH_SIZES[request.param])
    made = Walk(page, touch=page.viewport_size == PHONE)
    read(made, tmp_path_factory.mktemp("long"))
    for way in TABS:
        way(made)
    return made


def test_every_control_is_a_named_stop_of_the_keyboard_and_shows_it(walk):
    assert walk.unreached == [] and walk.nameless == []


def test_every_control_is_large_enough_for_a_finger_and_nothing_lies_over_it(walk):
    assert walk.small == [] and walk.covered == []


def test_every_control_does_something_when_it_is_pressed(walk):
    assert walk.idle == []


def of_templates():
    """Every control that a template tells apart, as the walk calls it: `button finding`."""
    for template in PAGE.rglob("*.html"):
        tags = r"<(button|input|select|textarea|summary|a) ([^>]*)>"
        for tag, attributes in re.findall(tags, template.read_text(encoding="utf-8")):
            told = dict(re.findall(r'(data-tool|name|class)="([\w -]+)"', attributes))
            own = told.get("class", "").removeprefix("small").strip()
            if own := told.get("data-tool") or told.get("name") or own:
                yield f"{tag} {own}"


def of_gradio(page):
    """Every component of Gradio's that a hand works, by its id or else by its label."""
    for one in page.evaluate("window.gradio_config.components"):
        told = one["props"]
        if one["type"] in WORKED and told.get("elem_id"):
            yield f"#{told['elem_id']}"
        elif one["type"] in WORKED and told.get("visible", True):
            yield told["label"][:30]


def test_no_control_is_left_out(walk):
    met = " \n".join(walk.met) + " "
    wanted = {*of_templates(), *of_gradio(walk.page)}
    missing = {one for one in wanted if f"{one} " not in met}
    assert missing - (set() if walk.touch else NARROW) == ELSEWHERE.keys()
    tests = "".join(file.read_text(encoding="utf-8") for file in HERE.glob("test_*_page.py"))
    for control, test in ELSEWHERE.items():
        assert f'"{control}' in tests.partition(f"def {test}(")[2].partition("\ndef ")[0]


def test_a_control_that_nobody_reaches_or_that_does_nothing_would_be_found(walk):
    walk.page.evaluate("""() => document.body.insertAdjacentHTML("afterbegin",
        `<div id="bad" style="position: relative">
            <button tabindex="-1" style="width: 9px; height: 9px"></button>
            <div style="position: absolute; inset: 0"></div>
        </div>`)""")
    settled(walk.page)
    second = Walk(walk.page, touch=walk.touch, patience_s=0.5)
    second.part("#bad")
    found = (second.unreached, second.nameless, second.covered, second.idle)
    assert [len(one) for one in found] == [1, 1, 1, 1]
    assert len(second.small) == walk.touch


def test_the_labels_of_fields_pass_below_what_is_always_in_sight(walk):
    tab(walk.page, "Read")
    above = """() => {
        const label = document.querySelector("#case [data-testid=block-info]");
        scrollTo({ top: scrollY + label.getBoundingClientRect().top - 16, behavior: "instant" });
        const { x, y, height } = label.getBoundingClientRect();
        return document.elementFromPoint(x + 5, y + height / 2).closest("#masthead") !== null;
    }"""
    assert walk.page.evaluate(above)
