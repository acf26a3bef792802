"""What is printed is true to scale, says what it must, and tells nobody who it was."""

import re
from dataclasses import replace

import numpy as np
import pytest
import reading_svg
from drawn_lines import pdf_lines, pdf_pages

from focal_app.ecg.complete import completed
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.explore.measured.unnamed import HEADING
from focal_app.explore.reading.document import NOTICE
from focal_app.explore.reading.reading import Finding
from focal_app.figures.paper import ecg_svg
from focal_app.figures.paper_settings import LAYOUTS, SPEEDS, PaperSettings
from focal_app.figures.prints import wording
from focal_app.figures.prints.columns import note_blocks, pages_of
from focal_app.figures.prints.pdf_canvas import A4_MM
from focal_app.figures.prints.pdf_fonts import fonts, writable
from focal_app.figures.prints.report import Report, report_pdf
from focal_app.figures.prints.svg_shapes import picture
from focal_app.figures.prints.tiles import tiles
from focal_app.figures.sheet import LEFT_MM
from focal_app.lexicon import load_lexicon, load_prompt_sets

RATE = 500
NO_WAVES = Waves(*np.zeros((3, 0, 2)), np.zeros(0))


@pytest.fixture
def pulses():
    """Every lead flat but for a pulse of 1 mV from 1 s to 1.2 s after each whole 2 seconds."""
    time = np.arange(10 * RATE) / RATE
    row = ((time % 2 >= 1) & (time % 2 < 1.2)).astype(np.float32)
    return completed(ECG(np.tile(row, (12, 1)), LEADS, RATE, SourceFacts("test", age_years=61)))


@pytest.fixture
def report(pulses, make_reading):
    weights = np.full((12, 10), 0.9)
    weights[6:9, 5:7] = 3.0
    return Report(ecg=pulses, reading=make_reading(pulses, weights))


def rhythm_strip(lines):
    """The longest line that is drawn: the strip of ten seconds at the foot of 3x4."""
    return max(reversed(lines), key=lambda line: np.ptp(line[:, 0]) if len(line) > 6 else 0)


def check_scale(lines, *, mm_per_s=25.0, mm_per_mv=10.0):
    strip = rhythm_strip(lines)
    x, y = strip.T
    assert np.ptp(y) == pytest.approx(mm_per_mv, abs=0.02)
    rises = x[1:][np.diff(y) > mm_per_mv / 2]
    assert np.diff(rises) == pytest.approx(2 * mm_per_s, abs=0.05)
    falls = x[1:][np.diff(y) < -mm_per_mv / 2]
    assert falls - rises == pytest.approx(0.2 * mm_per_s, abs=0.11)
    pulse = [line for line in lines if len(line) == 6]
    assert pulse and all(np.ptp(line[:, 1]) == pytest.approx(mm_per_mv, abs=0.02) for line in pulse)
    assert all(line[3, 0] - line[1, 0] == pytest.approx(5, abs=0.02) for line in pulse)


def check_grid(lines):
    """Every millimetre across the paper a line, and the trace's seconds on lines of the grid."""
    pairs = [line for line in lines if len(line) == 2]
    upright = {round(float(a[0]), 1) for a, b in pairs if a[0] == b[0] and abs(a[1] - b[1]) > 50}
    found = np.array(sorted(at for at in upright if at < 282))  # what lies outside is clipped
    assert np.diff(found) == pytest.approx(1, abs=0.101)


def test_a_millivolt_is_ten_millimetres_of_the_pdf_and_a_second_twenty_five(report):
    page = pdf_pages(report_pdf(report))[0]
    size = [float(side) * 25.4 / 72 for side in page.mediabox[2:]]
    assert size == pytest.approx(A4_MM, abs=0.01) and "/UserUnit" not in page
    lines = pdf_lines(page)
    check_scale(lines)
    check_grid(lines)


def test_the_pdf_is_printed_at_its_own_size(report):
    viewer = pdf_pages(report_pdf(report))[0].pdf.trailer["/Root"]["/ViewerPreferences"]
    assert viewer["/PrintScaling"] == "/None"


@pytest.mark.parametrize("gain", [5.0, 20.0])
def test_the_gain_that_was_set_is_the_gain_that_is_printed(report, gain):
    settings = PaperSettings(gain_mm_per_mv=gain)
    lines = pdf_lines(pdf_pages(report_pdf(replace(report, settings=settings)))[0])
    check_scale(lines, mm_per_mv=gain)


def test_at_twice_the_speed_the_seconds_go_over_two_pages(report):
    pages = pdf_pages(report_pdf(replace(report, settings=PaperSettings(speed_mm_per_s=50.0))))
    assert len(pages) == 3
    starts = []
    for page in pages[:2]:
        strip = rhythm_strip(pdf_lines(page))
        assert np.ptp(strip[:, 0]) == pytest.approx(500, abs=0.5)  # clipped by the page's window
        starts.append(strip[0, 0])
    assert starts[0] - starts[1] == pytest.approx(250, abs=0.5)


EVERY_PAPER = [
    PaperSettings(layout=layout, speed_mm_per_s=speed) for layout in LAYOUTS for speed in SPEEDS
]


@pytest.mark.parametrize("settings", EVERY_PAPER, ids=lambda s: f"{s.layout}-{s.speed_mm_per_s:g}")
def test_pages_show_every_millimetre_of_the_paper_once(pulses, settings):
    drawn = picture(ecg_svg(pulses, settings=settings))
    room = {"x_mm": 15.0, "y_mm": 25.0, "width_mm": 267.0, "height_mm": 177.0}
    pages = tiles(drawn, **room)
    windows = [window for page in pages for window in page]
    assert all(w.to_x_mm + w.width_mm <= 282.01 and w.height_mm <= 177.01 for w in windows)
    parts = {(w.x_mm, w.y_mm): w.width_mm * w.height_mm for w in windows}
    assert sum(parts.values()) == pytest.approx(drawn.width_mm * drawn.height_mm)
    cuts = {round(w.y_mm, 3) for w in windows} - {0.0}
    assert cuts <= {round(row, 3) for row in drawn.rows_mm}


@pytest.mark.parametrize("settings", [*EVERY_PAPER[::2], EVERY_PAPER[1]], ids=str)
def test_all_that_the_paper_can_hold_is_printed(report, make_ecg, settings):
    """A paper with every kind of mark: what the PDF did not know would be an error."""
    beats = np.array([[0.5, 0.6], [1.5, 1.6]])
    waves = Waves(beats, beats + 0.2, beats + 0.4, np.array([0.7]))
    ecg = make_ecg(seconds=8.0)
    ecg.signal_mv[6, 1000:1020] = 9.0
    report.reading.findings[0].weights[3, 4:] = np.nan
    reading = replace(report.reading, measured=Measured(Measurements(), waves))
    marked = replace(settings, fiducials=True, half_chest=True)
    content = report_pdf(Report(ecg=ecg, reading=reading, shown=("a prompt",), settings=marked))
    text = "".join(page.extract_text() for page in pdf_pages(content))
    assert "recording ends" in text


@pytest.mark.parametrize("settings", EVERY_PAPER[::2], ids=lambda s: s.layout)
def test_page_and_pdf_place_the_same_sample_at_the_same_millimetre(report, ecg, settings):
    (line, *_) = reading_svg.lines(ecg_svg(ecg, settings=settings), settings.rhythm)
    page = pdf_pages(report_pdf(replace(report, ecg=ecg, settings=settings)))[0]
    speed = settings.speed_mm_per_s * settings.page_layout.magnified
    wanted = np.stack([15 + LEFT_MM + line.second * speed, line.height_mm], 1)
    same_length = [one for one in pdf_lines(page) if len(one) == len(wanted)]
    assert any(_same(one, wanted) for one in same_length)


def _same(one, wanted):
    """Whether a line lies where another does, its zero line aside."""
    moved = one - [0, one[0, 1] - wanted[0, 1]]
    return np.abs(moved - wanted).max() < 0.05


@pytest.mark.parametrize("strange", ["<image/>", "<script/>", "<circle/>"])
def test_a_shape_that_the_pdf_does_not_know_is_an_error_and_not_left_out(strange):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10mm" height="10mm" viewBox="0 0 10 10">'
    with pytest.raises(ValueError, match="does not know"):
        picture(f"{svg}{strange}</svg>")


def test_a_path_is_read_as_browsers_read_it():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9mm" height="9mm" viewBox="-1 0 9 9">'
    drawn = "M0 4l1-2 1 2h1v-2H0zM5 5L6 6"
    path = f'<path transform="translate(1 2) scale(2 .5)" d="{drawn}" fill="none"/>'
    (shape,) = picture(f"{svg}{path}</svg>").shapes
    first, second = (line.tolist() for line in shape.lines_mm)
    assert first == [[2, 4], [4, 3], [6, 4], [8, 4], [8, 3], [2, 3], [2, 4]]
    assert second == [[12, 4.5], [14, 5]]


def test_every_page_says_what_it_is_not_for_and_by_which_model(report):
    pages = pdf_pages(report_pdf(replace(report, shown=("a prompt",), checkpoint="org/name@v1")))
    assert len(pages) == 3
    for number, page in enumerate(pages, 1):
        text = page.extract_text()
        assert NOTICE in text and "org/name@v1" in text and f"Page {number} of 3" in text


def test_findings_measurements_and_contradictions_are_printed(report):
    measured = Measurements(
        rate_per_min=Measurement(61.4, 1.2, 60), pr_ms=Measurement(None, None, 158)
    )
    (finding,) = report.reading.findings
    refuted = replace(finding, measured="RR varies by 2 %", contradicted=True)
    reading = replace(report.reading, findings=(refuted,))
    reading = replace(reading, measured=Measured(measured, NO_WAVES))
    content = report_pdf(replace(report, reading=reading))
    text = "\n".join(page.extract_text() for page in pdf_pages(content))
    assert "80 %" in text and "a prompt" in text and "61 years" in text
    assert "61/min ± 1 (device 60)" in text and "(device 158)" in text
    assert "Measured against it: RR varies by 2 %" in text


def test_what_is_measured_and_named_by_none_is_printed(report):
    wide = Measured(Measurements(qrs_ms=Measurement(154.0, 2.0, None)), NO_WAVES)
    for measured, told in ((wide, True), (Measured(Measurements(), NO_WAVES), False)):
        reading = replace(report.reading, measured=measured)
        content = report_pdf(replace(report, reading=reading))
        text = " ".join(word for page in pdf_pages(content) for word in page.extract_text().split())
        assert ("wide QRS complex (QRS 154 ms)" in text) is told
        assert (HEADING in text) is told


def test_what_the_device_says_is_printed_and_where_it_says_nothing_no_heading(report):
    text = "\n".join(page.extract_text() for page in pdf_pages(report_pdf(report)))
    assert wording.DEVICE_SAYS not in text and "no spikes seen" not in text
    record = replace(
        report.reading.record,
        device="Philips PageWriter",
        filters=("0.05-150 Hz", "50 Hz notch"),
        statements=("Sinus rhythm", "Old inferior infarct"),
    )
    paced = Measured(Measurements(), NO_WAVES, spikes_seen=False)
    reading = replace(report.reading, record=record, measured=paced)
    content = report_pdf(replace(report, reading=reading))
    text = "\n".join(page.extract_text() for page in pdf_pages(content))
    assert wording.DEVICE_SAYS in text and "Old inferior infarct" in text
    assert "Philips PageWriter, 0.05-150 Hz, 50 Hz notch" in text
    assert text.count("no spikes seen") == 2


def test_a_page_a_chosen_heatmap_says_what_is_tinted(report):
    plain, tinted = (
        pdf_pages(report_pdf(replace(report, shown=shown))) for shown in ((), ("a prompt", "gone"))
    )
    assert (len(plain), len(tinted)) == (2, 3)
    assert "Where the model looks for “a prompt” (80 %)" in tinted[2].extract_text()
    assert "looked here, times the average" in tinted[2].extract_text()


def test_a_tint_is_as_transparent_in_the_pdf_as_on_the_page(report):
    """A viewer takes an opacity only from the picture's own resources; without it all is opaque."""
    page = pdf_pages(report_pdf(replace(report, shown=("a prompt",))))[2]
    (drawn,) = (one.get_object() for one in page["/Resources"]["/XObject"].values())
    asked = set(re.findall(rb"/(\S+) gs", drawn.get_data()))
    known = drawn["/Resources"]["/ExtGState"]
    assert {known[f"/{name.decode()}"]["/ca"] for name in asked if name} > {1}
    assert min(known[f"/{name.decode()}"].get("/ca", 1) for name in asked) < 0.3


def test_warnings_and_what_was_not_recorded_are_said(report, make_ecg, make_reading):
    ecg = make_ecg(leads=("I", "II", "V1", "V2"))
    reading = replace(make_reading(ecg, np.full((12, 10), 0.9)), warnings=("Flat: V2.",))
    pages = pdf_pages(report_pdf(Report(ecg=ecg, reading=reading)))
    assert "not recorded" in pages[0].extract_text() and "Flat: V2." in pages[1].extract_text()


def test_the_pdf_has_no_date_and_no_author_and_is_the_same_twice(report):
    content = report_pdf(report)
    assert content == report_pdf(report)
    about = pdf_pages(content)[0].pdf.metadata
    assert about.title == wording.TITLE and about.author in (None, "anonymous")
    assert about.creation_date is None or about.creation_date.year == 2000
    assert not [word for word in (b"/home", b"/work", b"/tmp") if word in content]


def test_words_of_other_alphabets_are_written_in_latin_and_that_is_said(report):
    finding = Finding("мерцание предсердий 心", "other", 0.1, 0.6, np.full((12, 10), 1.0))
    reading = replace(report.reading, findings=(finding,))
    text = "\n".join(
        p.extract_text() for p in pdf_pages(report_pdf(replace(report, reading=reading)))
    )
    assert "mertsanie predserdiy [U+5FC3]" in text
    assert "written in Latin" in text.replace("\n", " ")


def test_every_word_that_the_app_knows_can_be_written_as_it_stands():
    statements = load_lexicon().statements.values()
    known = [one.tag + one.description for one in statements]
    known += [prompt for one in load_prompt_sets().values() for prompt in one.prompts]
    assert [text for text in known if writable(text) != text] == []
    assert set("–×±°µ≥≤“”") <= fonts()


def test_anything_that_can_be_typed_is_written_in_letters_of_the_font():
    typed = "".join(map(chr, range(32, 0x2FA20, 7)))
    assert set(writable(typed)) <= fonts()


def test_a_heading_never_stands_alone_at_the_foot_of_a_column():
    room = {"left_mm": 0.0, "top_mm": 0.0, "bottom_mm": 100.0}
    for lines in range(1, 40):
        notes = {"above": ["a line"] * lines, "heading": ["its sentence"]}
        (marks,) = pages_of(list(note_blocks(notes)), **room)
        at = {mark.text: mark.x_mm for mark in marks}
        assert at["heading"] == at["its sentence"]


def test_values_above_an_ecg_are_told_apart(report):
    values = {"rate_per_min": Measurement(61.4, 1.2, 60), "pr_ms": Measurement(None, None, 158)}
    measured = Measured(Measurements(**values), NO_WAVES)
    content = report_pdf(replace(report, reading=replace(report.reading, measured=measured)))
    text = " ".join(pdf_pages(content)[0].extract_text().split())
    assert "Rate 61/min ± 1 (device 60) · PR – (device 158)" in text


def test_a_hundred_and_fifty_long_findings_go_over_pages_and_none_is_lost(report):
    prompts = [f"finding number {n} " + "of many words " * 10 for n in range(150)]
    many = tuple(Finding(p, "other", 0.1, 0.3, np.full((12, 10), 1.0)) for p in prompts)
    pages = pdf_pages(report_pdf(replace(report, reading=replace(report.reading, findings=many))))
    text = "".join(page.extract_text() for page in pages[1:])
    assert all(f"finding number {n} " in text.replace("\n", " ") for n in range(150))
