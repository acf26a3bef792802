"""Similar cases and search on the page, over the embedded gallery."""

import pytest
from steps import BOTH_SIZES, PHONE, go, search, settled, sideways, texts, tinted, trouble, until

from focal_app.ui.cases import wording

pytestmark = pytest.mark.browser
SIZES = pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
AT_FIRST_S = "5", "7.5"
"""Where the segment begins and ends before anybody has chosen another."""
LISTED = "box => document.querySelectorAll(`${box} button.open`).length > 0"


def size(viewport):
    return 1440 if viewport is None else 390


def similar(page):
    """Opens the tab as it is at first: the whole ECG is compared, and the first case is open."""
    go(page, wording.SIMILAR_TAB)
    until(page, LISTED, "#similar-cases")
    if not page.locator("#by input").first.is_checked():
        page.locator("#by label").first.click()
        settled(page)
        find(page)
    if not page.inner_text("#similar-place").startswith("1 of"):
        page.locator("#similar-cases button.open").first.click()
        settled(page)


def compare_by(page, way):
    """Opens the tab and chooses a way of comparing."""
    similar(page)
    page.locator("#by label").filter(has_text=way).click()
    page.wait_for_selector("#similar-stale .stale")
    settled(page)


def find(page):
    """Asks for similar cases, and waits until the old ones are gone."""
    page.click("#find-similar")
    page.wait_for_selector("#similar-stale .stale", state="detached")
    settled(page)


@SIZES
def test_similar_cases_lie_beside_the_ecg_on_the_same_scale(page_at, save, viewport):
    page = page_at(viewport)
    similar(page)
    until(page, "document.querySelectorAll('.pair svg.ecg').length === 2")
    assert page.evaluate("scrollY") == 0, "the tabs and the question stay in sight"
    widths = page.locator(".pair svg.ecg").evaluate_all(
        "papers => papers.map(paper => paper.getBoundingClientRect().width)"
    )
    assert len(widths) == 2 and widths[0] == widths[1]
    assert tinted(page, "#similar-your-paper") and tinted(page, "#similar-their-paper")
    assert sideways(page) == 0
    first = page.inner_text("#similar-place")
    page.click("#case-after")
    until(page, "old => document.querySelector('#similar-place').innerText !== old", first)
    save(page, f"similar-{size(viewport)}", full_page=True)


@SIZES
def test_why_a_case_is_alike_differs_from_case_to_case(page_at, save, viewport):
    page = page_at(viewport)
    similar(page)
    beside = texts(page, "#similar-cases .because")
    assert all("both: " in said for said in beside) and len(set(beside)) == len(beside)
    assert all(said.endswith(" of 100") for said in texts(page, "#similar-cases .percent"))
    assert "random pairs" in page.inner_text("#similar-cases")
    told = [page.inner_text("#similar-why")]
    for _ in range(2):
        page.locator("#case-after").focus()
        page.keyboard.press("Enter")
        until(page, "old => document.querySelector('#similar-why').innerText !== old", told[-1])
        told.append(page.inner_text("#similar-why"))
    assert len(set(told)) == 3 and any(wording.DIFFERS in said for said in told)
    assert sideways(page) == 0
    save(page, f"similar-why-{size(viewport)}", full_page=True)


@SIZES
def test_how_to_have_real_ecgs_is_told_and_fetches_nothing(page_at, save, viewport):
    page = page_at(viewport)
    go(page, wording.SEARCH_TAB)
    told = page.locator("#search-gallery details")
    told.locator("summary").focus()
    page.keyboard.press("Enter")
    assert wording.REAL_CASES_BUILD in told.inner_text()
    assert sideways(page) == 0
    save(page, f"real-cases-{size(viewport)}")
    page.keyboard.press("Enter")
    assert wording.REAL_CASES_BUILD not in told.inner_text()


def test_a_search_shows_no_case_that_does_not_fit(page_at, save):
    page = page_at()
    search(page, "third degree AV block")
    figures = [said for said in texts(page, "#search-cases .percent") if said]
    assert figures and "all the cases that fit" in page.inner_text("#understood .understood")
    assert page.locator("#understood .warned").count() == 0
    save(page, "search-fitting-1440", full_page=True)


@SIZES
def test_hits_say_whether_they_are_labelled_so_and_others_are_left_out(page_at, save, viewport):
    page = page_at(viewport)
    search(page, "complete heart block")
    said = texts(page, "#search-cases .because")
    assert set(said) == {wording.LABELLED_SO, wording.NOT_LABELLED_SO}
    assert sideways(page) == 0
    for tick in ("#only-labelled", "#hide"):  # no column clips it
        box = page.locator(tick).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    save(page, f"search-labelled-{size(viewport)}", full_page=True)
    page.locator("#only-labelled input").focus()
    page.keyboard.press("Space")
    until(
        page,
        "said => [...document.querySelectorAll('#search-cases .because')]"
        ".every(one => one.textContent === said)",
        wording.LABELLED_SO,
    )
    assert all("third degree AV block" in name for name in texts(page, "#search-cases .name"))
    page.locator("#hide input").check()
    until(page, "document.querySelectorAll('#search-cases .because').length === 0")
    for tick in ("#hide input", "#only-labelled input"):
        page.locator(tick).uncheck()
        settled(page)


def test_cases_like_one_finding_name_it_first(page_at):
    page = page_at()
    compare_by(page, wording.BY_FINDING)
    page.wait_for_selector("#by-finding:visible")
    find(page)
    asked = page.input_value("#by-finding input")
    assert all("%" in said for said in texts(page, "#similar-cases .percent"))
    assert page.inner_text("#similar-why").startswith(f"{asked}: ")


@SIZES
def test_a_segment_is_framed_on_the_visitors_own_paper(page_at, save, viewport):
    page = page_at(viewport)
    framed = "#similar-your-paper rect.marked"
    compare_by(page, wording.BY_SEGMENT)
    page.wait_for_selector(framed, state="attached")
    fields = [page.get_by_label(name) for name in (wording.FROM_S, wording.TO_S)]
    assert tuple(field.input_value() for field in fields) == AT_FIRST_S
    find(page)
    assert page.locator(framed).count() == 1
    assert "V1 from 5 to 7.5 s" in page.inner_text("#similar-why")
    for choice in page.locator("#by label").all():
        inside = choice.evaluate("label => label.scrollWidth <= label.clientWidth + 1")
        assert inside and choice.bounding_box()["x"] >= 0
    assert sideways(page) == 0
    save(page, f"segment-{size(viewport)}", full_page=True)


def set_seconds(page, first, last):
    """Types from where to where the segment goes."""
    page.get_by_label(wording.FROM_S).fill(first)
    page.get_by_label(wording.TO_S).fill(last)
    settled(page)


def segment_asked(page):
    """The lead and the seconds that the fields hold."""
    fields = [page.get_by_label(name) for name in (wording.FROM_S, wording.TO_S)]
    return [page.get_by_label(wording.LEAD, exact=True).input_value()] + [
        float(one.input_value()) for one in fields
    ]


def on_paper(page, lead, second):
    """Where on the screen a second of a lead lies on the visitor's own paper."""
    return page.evaluate(
        """([lead, second]) => {
            const svg = document.querySelector("#similar-your-paper svg.ecg");
            const strip = svg.querySelector(`g.strip[data-lead="${lead}"]`).dataset;
            svg.querySelector(`g.strip[data-lead="${lead}"]`).scrollIntoView({block: "center"});
            const box = svg.getBoundingClientRect(), { wide, high, left, speed } = svg.dataset;
            return {
                x: box.left + (+left + second * speed) / wide * box.width,
                y: box.top + (+strip.top + +strip.bottom) / 2 / high * box.height,
            };
        }""",
        [lead, second],
    )


def marked(page, segment):
    """Waits until the fields and the frame on the paper are those of a segment."""
    for _ in range(240):
        if segment_asked(page) == segment:
            break
        page.wait_for_timeout(250)
    settled(page)
    assert segment_asked(page) == segment
    frame = page.locator("#similar-your-paper rect.marked")
    svg = page.locator("#similar-your-paper svg.ecg")
    speed = float(svg.get_attribute("data-speed"))
    seconds = [float(frame.get_attribute(name)) / speed for name in ("x", "width")]
    assert seconds == pytest.approx([segment[1], segment[2] - segment[1]], abs=0.01)


def test_a_segment_is_marked_on_the_paper_by_mouse_and_by_keys(open_page, save):
    page = open_page()
    compare_by(page, wording.BY_SEGMENT)
    page.wait_for_selector("#similar-your-paper rect.marked", state="attached")
    assert wording.MARK_HELP in page.inner_text("#marking")
    first = on_paper(page, "V3", 2.05)
    last = on_paper(page, "V3", 4.4)
    page.mouse.move(first["x"], first["y"])
    page.mouse.down()
    page.mouse.move(last["x"], last["y"], steps=4)
    page.mouse.up()
    marked(page, ["V3", 2.0, 4.5])
    place = on_paper(page, "aVF", 7.4)
    page.mouse.click(place["x"], place["y"])
    marked(page, ["aVF", 7.0, 8.0])
    page.locator("#similar-your-paper").focus()
    for key in ("ArrowDown", "ArrowLeft", "ArrowLeft", "Shift+ArrowRight"):
        page.keyboard.press(key)
    marked(page, ["V1", 6.0, 7.5])
    page.keyboard.press("ArrowUp")
    marked(page, ["aVF", 6.0, 7.5])
    save(page, "marked-1440", full_page=True)
    find(page)
    assert "aVF from 6 to 7.5 s" in page.inner_text("#similar-why")
    assert page.locator("#similar-your-paper rect.marked").count() == 1


def test_a_segment_is_marked_by_a_finger(open_page, save):
    page = open_page(**BOTH_SIZES["phone"])
    compare_by(page, wording.BY_SEGMENT)
    page.wait_for_selector("#similar-your-paper rect.marked", state="attached")
    shown = page.locator("#similar-your-paper").bounding_box()
    place = on_paper(page, "II", 5.3)
    assert 0 < place["x"] < shown["x"] + shown["width"]
    page.touchscreen.tap(place["x"], place["y"])
    marked(page, ["II", 5.0, 6.0])
    assert sideways(page) == 0
    save(page, "marked-390", full_page=True)


def test_nothing_is_marked_on_the_paper_where_the_whole_is_compared(page_at):
    page = page_at()
    similar(page)
    page.locator("#similar-your-paper").scroll_into_view_if_needed()
    box = page.locator("#similar-your-paper").bounding_box()
    page.mouse.click(box["x"] + 100, box["y"] + 100)
    settled(page)
    assert page.locator("#similar-stale .stale").count() == 0
    assert not page.locator("#marking").is_visible()


def test_empty_seconds_are_the_whole_window(page_at):
    page = page_at()
    compare_by(page, wording.BY_SEGMENT)
    set_seconds(page, "", "")
    find(page)
    assert "V1 from 0 to 10 s" in page.inner_text("#similar-why")
    set_seconds(page, *AT_FIRST_S)


def test_cases_of_an_older_question_are_dimmed_and_said_to_be_old(page_at):
    page = page_at()
    compare_by(page, wording.BY_SEGMENT)
    assert wording.OLD_COMPARISON in page.inner_text("#similar-stale")
    faded = "box => getComputedStyle(document.querySelector(box)).opacity < 0.6"
    assert page.evaluate(faded, "#similar-cases .cases")
    set_seconds(page, "9", "2")
    page.click("#find-similar")
    assert "start before its end" in trouble(page, "#similar-trouble")
    assert page.evaluate(faded, "#similar-their-paper")
    set_seconds(page, *AT_FIRST_S)
    search(page, "LBBB")
    page.fill("#query textarea, #query input", "")
    page.click("#search")
    trouble(page, "#search-trouble")
    assert wording.OLD_SEARCH in page.inner_text("#understood")
    assert page.evaluate(faded, "#search-cases .cases")


def test_the_rows_of_both_papers_lie_at_the_same_heights(page_at):
    page = page_at()
    similar(page)
    tops = page.locator(".pair .block.paper").evaluate_all("all => all.map(p => p.offsetTop)")
    rows = page.locator(".pair svg.ecg").evaluate_all(
        """papers => papers.map(paper => [paper.dataset.high,
            ...[...paper.querySelectorAll("g.strip")].map(strip => strip.dataset.zero)].join())"""
    )
    assert tops[0] == tops[1] and rows[0] == rows[1]


def test_a_case_that_is_tapped_comes_into_sight_with_its_tint(page_at, save):
    page = page_at(PHONE)
    search(page, "rsR' in V1")
    page.evaluate("scrollTo(0, 0); document.querySelector('#search-paper').scrollLeft = 0")
    page.locator("#search-cases button.open").nth(2).click()
    until(page, "document.querySelector('#search-paper').scrollLeft > 100")
    until(
        page,
        """high => { const { y } = document.querySelector("#search-facts").getBoundingClientRect();
            return 0 <= y && y < high / 2; }""",
        PHONE["height"],
    )
    save(page, "tapped-case-390")


def test_a_question_is_one_stop_of_the_keyboard_and_its_arrows_choose(page_at):
    page = page_at()
    similar(page)
    page.locator("#by input").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#by-finding:visible")
    settled(page)
    assert page.locator("#by input").nth(1).is_checked()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#by-finding') !== null")


def test_a_list_that_the_keyboard_has_left_is_closed(page_at):
    page = page_at()
    compare_by(page, wording.BY_FINDING)
    page.locator("#by-finding input").focus()
    page.wait_for_selector("[role=listbox]:visible")
    page.keyboard.press("Tab")
    page.wait_for_selector("[role=listbox]", state="detached")
    assert page.evaluate("document.activeElement.id") == "find-similar"
    page.locator(".filters:visible > button").first.click()
    page.locator("#similar-labels input").click()
    page.wait_for_selector("[role=listbox]:visible")
    page.keyboard.press("Tab")
    page.wait_for_selector("[role=listbox]", state="detached")
    assert page.evaluate("document.activeElement.closest('#similar-sex') !== null")
    page.locator(".filters:visible > button").first.click()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("slurred terminal S", "not a known ECG term; ranked by likeness of words alone"),
        ("wobbly LBBB", "wobbly"),
    ],
)
def test_what_a_search_did_not_understand_is_a_warning_on_top(page_at, query, said):
    page = page_at()
    search(page, query)
    warning = page.locator("#understood .warned")
    assert said in warning.inner_text() and warning.get_attribute("role") == "alert"
    assert warning.bounding_box()["y"] < page.locator("#search-cases").bounding_box()["y"]


def test_words_are_understood_in_any_order(page_at):
    page = page_at()
    search(page, "STEMI anterior")
    assert page.locator("#understood .warned").count() == 0
    assert "acute anterior myocardial infarction" in page.inner_text("#understood")
    assert all("anter" in said for said in texts(page, "#search-cases .name")[:3])


@SIZES
def test_an_example_is_understood_and_its_hits_are_tinted(page_at, save, viewport):
    page = page_at(viewport)
    go(page, wording.SEARCH_TAB)
    page.locator("button.example").nth(3).click()
    until(page, LISTED, "#search-cases")
    said = page.inner_text("#understood")
    assert "atrial fibrillation" in said and "without left bundle branch block" in said
    until(page, "!!document.querySelector('#search-paper g.tint')")
    assert sideways(page) == 0
    save(page, f"search-{size(viewport)}", full_page=True)


def test_hits_are_browsed_by_keyboard(page_at):
    page = page_at()
    search(page, "LBBB")
    page.locator("#search-cases button.open").first.focus()
    page.keyboard.press("ArrowDown")
    until(
        page,
        "document.querySelectorAll('#search-cases button.open')[1].getAttribute('aria-pressed')"
        " === 'true' && document.activeElement.classList.contains('open')",
    )


def test_labels_stay_hidden_until_they_are_revealed(page_at, save):
    page = page_at()
    search(page, "LBBB")
    assert wording.HIDDEN not in page.inner_text("#search-cases")
    page.locator("#hide input").check()
    until(page, "document.querySelectorAll('#search-cases button.reveal').length > 5")
    assert set(texts(page, "#search-cases .name")) == {wording.HIDDEN}
    assert not tinted(page, "#search-paper")
    save(page, "teaching-1440", full_page=True)
    page.locator("button.reveal").first.click()
    until(page, "!!document.querySelector('#search-paper g.tint')")
    assert texts(page, "#search-cases .name").count(wording.HIDDEN) >= 5
    assert texts(page, "#search-cases .name")[0] != wording.HIDDEN
    page.locator("#hide input").uncheck()
    settled(page)


def test_filters_leave_only_what_they_name(page_at):
    page = page_at()
    go(page, wording.SEARCH_TAB)
    page.locator(".filters:visible > button").first.click()
    page.locator("#search-sex label").nth(1).click()
    search(page, "sinus rhythm")
    beside = texts(page, "#search-cases .beside:not(.because)")
    assert beside and all("female" in said for said in beside)
    page.locator("#search-sex label").first.click()
    page.locator(".filters:visible > button").first.click()
