"""The paper's tools in a real browser: by mouse, by touch and by keyboard, wide and narrow.

One page a size serves all claims, because opening one takes most of the time.
"""

import io
import re

import numpy as np
import pytest
from made_records import beats, write_record
from pypdf import PdfReader
from steps import DESKTOP, go, serious, sideways, until

from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.bundled_cases import bundled_cases
from focal_app.figures import labels
from focal_app.ui import wording
from focal_app.ui.read import wording_paper

pytestmark = pytest.mark.browser
ANSWER = re.compile(r"(\d+) ms · (\d+)/min · (−?\d+\.\d\d) mV \((.+)\)")
AT_ONCE_MS = 50
FIRST = {"layout": "3x4", "rhythm": "II", "gain_mm_per_mv": "auto", "speed_mm_per_s": "25"}
HALF_AN_HOUR_S = 1800
WIDER = "wide => document.querySelector('#paper svg.ecg').getBoundingClientRect().width > wide"


@pytest.fixture
def page(shared_page):
    """The page as it is at first: the first case at its first settings, and nothing chosen."""
    yield shared_page
    shared_page.emulate_media(media="screen")
    for tool in ("march", "calipers"):
        if shared_page.get_attribute(f'[data-tool="{tool}"]', "aria-pressed") == "true":
            shared_page.click(f'[data-tool="{tool}"]')
    shared_page.locator("#paper").focus()
    shared_page.keyboard.press("0")
    if shared_page.locator('button.finding[aria-pressed="true"]').count():
        shared_page.locator('button.finding[aria-pressed="true"]').click()
        until(shared_page, "!document.querySelector('#paper g.tint')")
    for name in ("half_chest", "fiducials"):
        if shared_page.is_checked(f"#tools input[name={name}]"):
            switched(shared_page, name)
    for name, first in FIRST.items():
        field = shared_page.locator(f"#tools select[name={name}]")
        if field.count() and field.input_value() != first:
            setting(shared_page, name, first)
    if shared_page.inner_text("#recording .origin") != wording.SIMULATED or (
        shared_page.input_value("#case input") != bundled_cases()[0].title
    ):
        case(shared_page, 0)


def case(page, number):
    """Opens one of the bundled cases."""
    before = page.locator("#paper .leaf").inner_html()
    page.click("#case input")
    page.locator('[role="option"]').nth(number).click()
    until(page, "old => document.querySelector('#paper .leaf').innerHTML !== old", before)


def switched(page, name):
    """Turns a switch on the toolbar, and waits for the paper."""
    before = page.locator("#paper .leaf").inner_html()
    page.click(f"#tools input[name={name}]")
    until(page, "old => document.querySelector('#paper .leaf').innerHTML !== old", before)


def sized(page, name):
    """A picture's name with the width of the page."""
    return f"{name}-{page.viewport_size['width']}"


def shows(page, x):
    """Scrolls a place, in millimetres of the paper, to where a hand reaches it."""
    page.evaluate(
        """x => { const frame = document.querySelector("#paper");
            const { left, width } = frame.querySelector("svg.ecg").getBoundingClientRect();
            const wide = +frame.querySelector("svg.ecg").dataset.wide;
            const at = left + (13 + x) * width / wide - frame.getBoundingClientRect().left;
            if (at < 100 || at > frame.clientWidth - 100) frame.scrollLeft += at - 200;
            window.scrollBy({ top: frame.getBoundingClientRect().top - 120, behavior: "instant" });
        }""",
        x,
    )


def setting(page, name, value):
    """Sets one thing on the toolbar by its keyboard-operable control, and waits for the paper."""
    before = page.locator("#paper .leaf").inner_html()
    page.select_option(f"#tools select[name={name}]", value)
    until(page, "old => document.querySelector('#paper .leaf').innerHTML !== old", before)


def data(page, name):
    return float(page.locator("#paper svg.ecg").get_attribute(f"data-{name}"))


def width(page):
    return page.locator("#paper svg.ecg").bounding_box()["width"]


def touched(page, touch, fingers):
    """Fingers on the paper, each step the place of all of them across, at one height."""
    y = page.locator("#paper").bounding_box()["y"] + 120
    kinds = ["touchStart", *["touchMove"] * (len(fingers) - 1)]
    for kind, places in zip(kinds, fingers, strict=True):
        points = [{"x": x, "y": y} for x in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_timeout(200)  # lifted in motion they would fling, and the next tap only ends that
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def traces(page):
    return page.locator("#paper path.trace").count()


def measured(page):
    found = ANSWER.fullmatch(page.inner_text("#tools output.answer"))
    return int(found[1]), int(found[2]), float(found[3].replace("−", "-")), found[4]


def drag(page, first, last):
    """Draws the calipers between two places, in millimetres of the paper."""
    shows(page, first[0])
    box = page.locator("#paper svg.ecg").bounding_box()
    px = box["width"] / data(page, "wide")
    ends = [(box["x"] + (13 + x) * px, box["y"] + y * px) for x, y in (first, last)]
    page.mouse.move(*ends[0])
    page.mouse.down()
    page.mouse.move(*ends[1], steps=3)
    page.mouse.up()


def upload(page, paths):
    with page.expect_file_chooser() as chooser:
        page.click("#upload")
    chooser.value.set_files(paths)
    condition = """recording => document.querySelector("#trouble .trouble") ||
        document.querySelector("#recording .origin").textContent === recording"""
    until(page, condition, wording.UPLOADED)


def test_every_layout_gain_and_speed_is_one_choice_away(page, save):
    for layout, count in (("6x2", 12), ("cabrera", 13), ("3x4+3", 15), ("one", 1), ("12x1", 12)):
        setting(page, "layout", layout)
        assert traces(page) == count
        save(page, sized(page, f"paper-{layout}"))
    setting(page, "layout", "one")
    setting(page, "enlarged", "V2")
    assert page.locator("#paper g.strip").get_attribute("data-lead") == "V2"
    setting(page, "layout", "3x4")
    setting(page, "rhythm", "V5")
    assert page.locator("#paper g.strip").last.get_attribute("data-lead") == "V5"
    setting(page, "gain_mm_per_mv", "20")
    assert page.locator("#paper g.strip").first.get_attribute("data-gain") == "20"
    page.check("#tools input[name=half_chest]")
    until(page, "document.querySelector('[data-lead=V1]').dataset.gain === '10'")
    page.click('button.finding[data-prompt="sinus rhythm"]')
    until(page, "document.querySelector('#paper g.tint')?.dataset.step === '0.2'")
    scale, looked = (page.locator(f"#paper text.{of}").bounding_box() for of in ("scale", "looked"))
    assert scale["x"] + scale["width"] < looked["x"]
    setting(page, "speed_mm_per_s", "50")
    assert "50 mm/s · 20 mm/mV (V1–V6: 10)" in page.text_content("#paper text.scale")
    assert data(page, "wide") == 517 and sideways(page) == 0
    until(page, "document.querySelector('#paper g.tint')?.dataset.step === '0.2'")
    page.click("#case input")
    page.locator('[role="option"]').nth(3).click()
    until(page, "!document.querySelector('#paper g.tint')")
    assert "50 mm/s · 20 mm/mV" in page.text_content("#paper text.scale")
    assert page.input_value("#tools select[name=rhythm]") == "V5"


def test_calipers_measure_by_mouse_at_once_and_ask_no_server_and_a_hand_moves_the_paper(page, save):
    page.click('[data-tool="calipers"]')
    assert page.inner_text("#tools output.answer") == wording_paper.DRAG
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    drag(page, (100.0, 110.0), (120.0, 100.0))
    assert asked == []
    ms, rate, mv, lead = measured(page)
    assert (ms, rate, lead) == (pytest.approx(800, abs=8), pytest.approx(75, abs=1), "II")
    assert mv == pytest.approx(1.0, abs=0.03)
    page.keyboard.press("ArrowRight")  # the keys go on where the hand has ended
    assert measured(page)[0] > ms
    page.keyboard.press("ArrowLeft")
    answered = """() => { const said = document.querySelector("#tools output.answer");
        const paper = document.querySelector("#paper").getBoundingClientRect();
        const at = (name, x) => document.querySelector("#paper svg.ecg").dispatchEvent(
            new PointerEvent(name,
                { bubbles: true, clientX: paper.x + x, clientY: paper.y + 150 }));
        at("pointerdown", 200);
        const took = [300, 350, 400, 450, 500].map((x) => {
            const before = said.textContent, start = performance.now();
            at("pointermove", x);
            return said.textContent === before ? Infinity : performance.now() - start;
        });
        at("pointerup", 500);
        return Math.min(...took); }"""
    assert page.evaluate(answered) < AT_ONCE_MS
    page.click('[data-tool="march"]')
    assert page.locator("#paper .march").count() >= 2
    save(page, sized(page, "paper-calipers"))
    page.keyboard.press("Tab")
    page.click('button.finding[data-prompt="sinus rhythm"]')
    until(page, "document.querySelector('#paper g.tint')?.dataset.step === '0.2'")
    assert page.locator("#paper svg.calipers .end").count() == 2
    page.click('[data-tool="calipers"]')
    assert page.locator("#paper svg.calipers").count() == 0
    page.click('[data-tool="larger"]')
    page.click('[data-tool="larger"]')
    shows(page, 150.0)
    before = page.eval_on_selector("#paper", "paper => paper.scrollLeft")
    drag(page, (150.0, 60.0), (120.0, 60.0))
    assert page.eval_on_selector("#paper", "paper => paper.scrollLeft") > before + 100


def test_every_tool_works_by_keyboard_alone(page, save):
    page.locator("#tools select[name=layout]").focus()
    page.keyboard.press("ArrowDown")
    until(page, "document.querySelectorAll('#paper path.trace').length === 15")
    assert page.evaluate("document.activeElement.name") == "layout"
    page.keyboard.press("ArrowUp")
    until(page, "document.querySelectorAll('#paper path.trace').length === 13")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.tool") == "calipers":
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.end") == "1"
    before = measured(page)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    after = measured(page)
    assert after[0] - before[0] == pytest.approx(110, abs=1)
    assert after[2] - before[2] == pytest.approx(0.5, abs=0.011)
    assert page.evaluate("document.activeElement.dataset.end") == "1"
    page.keyboard.press("m")
    assert page.locator("#paper .march").count() >= 2
    save(page, sized(page, "paper-keyboard"))
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.tool") == "calipers"
    page.locator("#paper").focus()
    wide = width(page)
    page.keyboard.press("+")
    assert width(page) == pytest.approx(wide * 2**0.5, rel=0.01)
    page.keyboard.press("0")
    assert width(page) == pytest.approx(wide, rel=0.001)
    page.locator("#paper").hover(position={"x": 200, "y": 60})
    page.keyboard.down("Control")
    page.mouse.wheel(0, -150)
    page.keyboard.up("Control")
    until(page, WIDER, wide)
    assert width(page) == pytest.approx(wide * np.exp(150 / 300), rel=0.01)


def test_fingers_measure_and_enlarge(page, save):
    wide = width(page)
    page.tap('[data-tool="larger"]')
    assert width(page) > 1.3 * wide
    page.tap('[data-tool="smaller"]')
    page.tap('[data-tool="smaller"]')
    assert width(page) < 0.8 * wide
    page.tap('[data-tool="larger"]')
    page.tap('[data-tool="calipers"]')
    touch = page.context.new_cdp_session(page)
    page.locator("#paper").scroll_into_view_if_needed()
    second = 25 * width(page) / data(page, "wide")
    touched(page, touch, [[120], [150], [120 + second]])
    ms, *_ = measured(page)
    assert ms == pytest.approx(1000, abs=15)
    page.wait_for_timeout(500)  # else it could pass for the second tap of two, which is no click
    page.tap('[data-tool="march"]')
    until(page, "document.querySelectorAll('#paper .march').length >= 2")
    save(page, sized(page, "paper-fingers"))
    page.tap('[data-tool="calipers"]')
    size = width(page)
    touched(page, touch, [[150, 230], [130, 250], [110, 270]])
    assert width(page) == pytest.approx(2 * size, rel=0.05)
    assert sideways(page) == 0


def test_tall_complexes_halve_the_gain_and_a_long_recording_is_chosen_from_its_overview(
    page, save, tmp_path
):
    upload(page, write_record(tmp_path, np.tile(beats(10, depth_mv=-5.9), (1, 18)), name="long"))
    assert " 5 mm/mV" in page.text_content("#paper text.scale")
    assert page.locator("#paper .break").count() == 0
    setting(page, "gain_mm_per_mv", "10")
    assert page.locator("#paper .break").count() >= 2
    assert "−5.9 mV" in page.locator("#paper text.peak").all_text_contents()
    save(page, sized(page, "paper-tall"))
    page.locator("#overview .overview").scroll_into_view_if_needed()
    box = page.locator("#overview .overview").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    until(page, "+document.querySelector('#paper svg.ecg').dataset.start > 70")
    assert 75 < data(page, "start") < 95
    page.locator("#overview input").focus()
    start = data(page, "start")
    page.keyboard.press("PageUp")
    until(page, "old => +document.querySelector('#paper svg.ecg').dataset.start > old", start)
    assert data(page, "start") == pytest.approx(start + 10, abs=0.11)
    save(page, sized(page, "paper-long"), full_page=True)


def test_the_names_of_leads_stay_in_sight_of_a_paper_that_is_moved_and_not_in_print(page, save):
    page.locator("#paper").focus()
    for _ in range(3):
        page.keyboard.press("+")
    setting(page, "layout", "12x1")
    page.evaluate("document.querySelector('#paper').scrollLeft = 500")
    seen = """() => {
        const { left, right } = document.querySelector("#paper").getBoundingClientRect();
        return [...document.querySelectorAll("#paper text.lead")]
            .map(name => name.getBoundingClientRect())
            .filter(name => name.left >= left && name.right <= right).length; }"""
    until(page, f"({seen})() === 12")
    save(page, sized(page, "paper-moved"))
    setting(page, "layout", "3x4")
    page.evaluate("document.querySelector('#paper').scrollLeft = 1e6")
    until(page, f"({seen})() >= 4")
    page.emulate_media(media="print")
    moved = "name => getComputedStyle(name).transform"
    assert page.locator("#paper text.lead").first.evaluate(moved) == "none"


def test_the_waves_are_marked_on_request(page, save):
    assert page.locator("#paper g.waves").count() == 0
    switched(page, "fiducials")
    assert page.locator("#paper g.waves").count() > 0
    save(page, sized(page, "paper-waves"))
    switched(page, "fiducials")
    assert page.locator("#paper g.waves").count() == 0


def test_half_an_hour_is_opened_and_any_of_its_windows_chosen(page, save, tmp_path):
    rate_hz = 500 if page.viewport_size == DESKTOP else 250
    whole = np.tile(beats(10), (1, HALF_AN_HOUR_S // 10))[:, :: 500 // rate_hz]
    upload(page, write_record(tmp_path, whole, rate_hz, name="holter"))
    assert page.locator("#trouble .trouble").count() == 0
    assert page.inner_text("#recording .origin") == wording.UPLOADED
    page.locator("#overview .overview").scroll_into_view_if_needed()
    box = page.locator("#overview .overview").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    until(page, "+document.querySelector('#paper svg.ecg').dataset.start > 600")
    assert data(page, "start") == pytest.approx(HALF_AN_HOUR_S / 2, abs=HALF_AN_HOUR_S / 20)
    page.locator("#overview input").focus()
    page.keyboard.press("End")
    until(page, "+document.querySelector('#paper svg.ecg').dataset.start > 1700")
    assert data(page, "start") == HALF_AN_HOUR_S - 10
    assert traces(page) == 13 and sideways(page) == 0
    save(page, sized(page, f"paper-half-an-hour-{rate_hz}"))


PARTS = """() => {
    window.dispatchEvent(new Event("beforeprint"));
    const parts = [...document.querySelectorAll("#paper .part")].map((part) => {
        const [from, , wide] = part.lastChild.getAttribute("viewBox").split(" ").map(Number);
        const names = [...part.lastChild.querySelectorAll("text.lead")].filter(
            (one) => +one.getAttribute("x") > from && +one.getAttribute("x") < from + wide);
        return [from, from + wide, names.map((one) => one.textContent),
            part.firstChild.querySelectorAll(".pulse").length];
    });
    window.dispatchEvent(new Event("afterprint"));
    return parts;
}"""
"""Of every sheet of a wide print: from where to where, the leads named on it, and its pulses."""


def sheets(page):
    """The sizes of the sheets of a print, in points."""
    page.emulate_media(media="null")
    pages = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages
    return [(round(one.mediabox.width), round(one.mediabox.height)) for one in pages]


def test_a_print_is_true_to_scale_holds_nothing_but_the_paper_and_loses_no_lead(page):
    setting(page, "layout", "12x1")
    page.emulate_media(media="print")
    px_per_mm = 96 / 25.4
    box = page.locator("#paper svg.ecg").bounding_box()
    assert box["width"] / px_per_mm == pytest.approx(267, abs=0.1)
    assert box["height"] / px_per_mm == pytest.approx(data(page, "high"), abs=0.1)
    clips = page.locator("#paper").evaluate("paper => getComputedStyle(paper).overflowX")
    assert clips == "visible"  # a sheet is wider than the column: 5 cm of V4 to V6 were cut off
    for hidden in ("#tools", ".side", "#places", ".toolbar"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator(".disclaimer").is_visible()
    assert sheets(page) == [(842, 595)] and page.evaluate(PARTS) == []
    setting(page, "speed_mm_per_s", "50")
    assert sheets(page) == [(842, 595)] * 2
    wide = [[0, 250, [*LEADS], 12], [250, 500, [*LEADS], 12]]
    assert page.evaluate(PARTS) == wide
    assert page.locator("#paper .part").count() == 0


def test_no_serious_barrier_is_found(page):
    page.click('button.finding[data-prompt="sinus rhythm"]')
    until(page, "!!document.querySelector('#paper g.tint')")
    page.locator('[data-tool="calipers"]').focus()
    page.keyboard.press("Enter")
    for opened in ("#take-away summary", ".measured summary", "#more > button", ".folded summary"):
        page.locator(opened).first.press("Enter")
    assert serious(page) == []
    page.keyboard.press("Escape")
    for opened in (".measured summary", "#more > button", ".folded summary"):
        page.locator(opened).first.press("Enter")


def test_no_serious_barrier_is_found_on_the_other_tabs(page):
    found = {}
    for tab in ("Verify", "Compare", "Similar cases", "Search", "Teach", "About"):
        go(page, tab)
        found[tab] = serious(page)
    go(page, "Read")
    assert not {tab: barriers for tab, barriers in found.items() if barriers}


def test_a_hidden_place_is_one_click_away_and_the_toolbar_says_what_is_drawn(page):
    """Also after a hand has set the layout, which a browser remembers over what is written."""
    case(page, 2)
    setting(page, "layout", "6x2")
    setting(page, "layout", "3x4")
    page.click('button.finding[data-prompt="ST elevation"]')
    page.locator("#places [data-layout]").first.click()
    until(page, "document.querySelectorAll('#paper path.trace').length === 12")
    assert page.input_value("#tools select[name=layout]") == "12x1"
    assert page.locator("#places [data-layout]").count() == 0
    assert page.locator("#paper text", has_text=labels.LOOKED).count() == 1


def test_the_waves_that_a_rhythm_is_measured_by_are_one_press_away(page):
    """The map of a rhythm tells no P wave from a QRS; what was measured does."""
    page.click('button.finding[data-prompt="sinus rhythm"]')
    until(page, "document.querySelector('#places .overall')?.innerText.includes('P waves before')")
    page.locator("#places [data-switch]").press("Enter")
    page.wait_for_selector("#paper g.waves")
    # The parts of the page are drawn one after the other.
    until(page, "document.querySelector('#tools input[name=fiducials]').checked")
    until(page, "!document.querySelector('#places [data-switch]')")
    switched(page, "fiducials")


def test_one_lead_in_numbers_is_drawn_when_it_is_opened_and_follows_the_finding(page, save):
    loaded = (
        "() => performance.getEntriesByType('resource').filter(e => /plotly/i.test(e.name)).length"
    )
    assert page.evaluate(loaded) == 0
    page.locator("#lead-chart button").first.press("Enter")
    page.wait_for_selector("#chart .js-plotly-plot .scatterlayer")
    assert "II, mV" in page.inner_text("#chart")
    page.click('button.finding[data-prompt="sinus rhythm"]')
    page.wait_for_selector("#chart .heatmaplayer image")
    assert sideways(page) <= 0
    save(page, sized(page, "lead-chart"))
