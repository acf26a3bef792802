"""A normal ECG: what other findings leave, in a reading, in a search and in a comparison alike."""

import numpy as np
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.measured import Quantities
from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.cases.profiles import profiles
from focal_app.explore.cases.search import search
from focal_app.explore.cases.similar import Finding, similar
from focal_app.explore.reading.bundled_cases import bundled_cases, load_case
from focal_app.explore.reading.document import document
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.normal import ABNORMAL, KINDS, NORMAL
from focal_app.explore.reading.reading import LEFT, MODEL, RAISED, percent
from focal_app.explore.reading.told import Telling
from focal_app.explore.reading.zones import SUPPORTED
from focal_app.explore.report.documents import table_document
from focal_app.explore.report.verification import verify
from focal_app.lexicon import load_lexicon
from focal_app.model.combination import Combined, Term
from focal_app.ui.read.findings_list import findings_list
from focal_app.ui.read.state import View
from focal_app.ui.read.wording import made_of
from focal_app.words.statements import report_tags
from tests.benchmarks import normal as bench
from train.fit.combination import GIVEN

CLOSE = 1e-5


@pytest.fixture(scope="module")
def embedded() -> Explorer:
    return Explorer.load()


@pytest.fixture(scope="module")
def of_cases(embedded):
    """Every bundled case, asked for all that bears on it."""
    return {
        case.name: embedded.read(load_case(case.name), (NORMAL, *KINDS)).findings
        for case in bundled_cases()
    }


def told(reading) -> dict[str, float]:
    return {one.prompt: one.probability for one in reading.findings}


def test_the_kinds_are_what_the_lexicon_excludes_beside_arrhythmia_and_block():
    beside = {"cardiac arrhythmia", "AV block", "paced rhythm", "long QT interval"}
    measured = {one for one in GIVEN if ABNORMAL in load_lexicon().ancestors(one)}
    under = {one for one in measured if set(KINDS) & set(load_lexicon().ancestors(one))}
    excluded = {*load_lexicon()[NORMAL].excludes, *beside, *(measured - under)}
    assert {*KINDS, ABNORMAL} == excluded
    assert "cardiac arrhythmia" not in load_lexicon().ancestors("sinus arrhythmia")


def test_it_is_what_the_most_probable_of_the_others_leaves(of_cases):
    joined = 0
    for normal, *others in of_cases.values():
        most = max(others, key=lambda one: one.probability)
        assert normal.probability == pytest.approx(1 - most.probability, abs=CLOSE)
        assert normal.left_by == most.prompt
        assert [one.left_by for one in others] == [None] * len(KINDS)
        joined += most.model_probability is not None
    assert joined, "measurements count as they do in the others"


def test_bundled_cases_lie_on_the_right_side(of_cases):
    likely = {name for name, (normal, *_) in of_cases.items() if normal.likely}
    assert likely == {"normal"}


def test_an_abnormal_ecg_is_as_probable_as_its_most_probable_kind_and_says_which(embedded):
    for case in bundled_cases():
        reading = embedded.read(load_case(case.name), (ABNORMAL, NORMAL))
        abnormal, normal = reading.findings
        assert abnormal.probability + normal.probability == pytest.approx(1, abs=CLOSE)
        assert (abnormal.raised_by, abnormal.left_by) == (normal.left_by, None)
        assert abnormal.made_of == RAISED
        said = f"Made of the percentage of {normal.left_by}; by its own prompt: "
        assert made_of(abnormal) == f"{said}{percent(abnormal.own_probability)}."
    gallery = Telling().told([ABNORMAL, *KINDS], np.full((2, 1 + len(KINDS)), 0.25), [])
    assert gallery[:, 0].tolist() == [0.25, 0.25]


def test_where_spikes_are_seen_an_ecg_is_not_normal_however_silent_the_other_kinds_are():
    own = np.array([[0.9, *[0.02] * len(KINDS)]] * 2)
    telling = Telling({"paced rhythm": GIVEN["paced rhythm"]})
    found = [Quantities({"spikes": spikes}) for spikes in (0.0, 1.0)]
    without, paced = telling.told([NORMAL, *KINDS], own, found)[:, 0]
    assert without == pytest.approx(0.98) and paced < 0.5


def test_what_is_asked_beside_it_and_in_which_order_changes_nothing(embedded, of_cases):
    ecg = load_case("complete-heart-block")
    every = {one.prompt: one.probability for one in of_cases["complete-heart-block"]}
    wordings = ("unremarkable ECG", "ECG within normal limits")
    for asked in ([NORMAL], [*KINDS[::-1], NORMAL], [KINDS[2], "AF", NORMAL], wordings):
        for finding in embedded.read(ecg, asked).findings:
            same = NORMAL if finding.prompt in wordings else finding.prompt
            if same in every:
                assert finding.probability == pytest.approx(every[same], abs=CLOSE)
    beside, alone = (embedded.read(ecg, asked) for asked in ((NORMAL, "AF"), ("AF",)))
    assert told(beside)["AF"] == pytest.approx(told(alone)["AF"], abs=CLOSE)
    assert [one.prompt for one in beside.findings] == [NORMAL, "AF"]


def test_similarity_heatmap_and_the_models_own_are_those_of_its_own_prompt(embedded):
    ecg = load_case("inferior-infarction")
    (finding,) = embedded.read(ecg, [NORMAL]).findings
    own = embedded.probability(np.array([finding.similarity], np.float32))
    assert finding.own_probability == pytest.approx(float(own[0]))
    assert finding.own_probability != pytest.approx(finding.probability)
    both = embedded.read(ecg, ["ST elevation and normal ECG", "normal ECG in V1"])
    joined, in_v1 = both.findings
    assert (joined.made_of, joined.left_by) == (LEFT, finding.left_by)
    assert joined.probability == pytest.approx(finding.probability, abs=CLOSE)
    assert (in_v1.made_of, in_v1.left_by) == (MODEL, None), "a lead is asked on its own"


def test_the_page_and_json_say_what_left_so_much(embedded):
    ecg = load_case("left-bundle-branch-block")
    reading = embedded.read(ecg, (NORMAL, "ST elevation"))
    normal, other = document(reading, heatmap=False)["findings"]
    assert normal["made_of"] == "what other findings leave"
    assert normal["left_by"] == "wide QRS complex"
    assert normal["model_probability"] != normal["probability"]
    assert (other["made_of"], other["left_by"]) == ("model", None)
    (first, _), view = reading.findings, View(completed(ecg), None, "", "", (), reading=reading)
    shown = str(findings_list(view))
    left = percent(1 - first.probability).replace(">", "&gt;")
    own = percent(first.own_probability).replace("<", "&lt;")
    said = f"100 % less wide QRS complex {left}; by its own prompt: {own}."
    assert f"Made of what other findings leave: {said}" in shown
    assert shown.count("by its own prompt") == 2, "how well that was told on held-out recordings"


def test_a_row_of_verify_is_sorted_by_what_the_others_leave_and_says_so(embedded):
    tags = report_tags("Normal ECG.")
    found = verify(embedded, load_case("inferior-infarction"), tags, (), report="Normal ECG.")
    finding = found.statements[0].finding
    (row,) = table_document(found)["statements"]
    assert row["verdict"] == found.zones.of(finding.probability) != SUPPORTED
    told, left = percent(finding.probability), percent(1 - finding.probability)
    assert f"Read tells it at {told}, 100 % less {finding.left_by} {left}" in row["why"]
    assert (row["made_of"], row["left_by"]) == (LEFT, finding.left_by)


def test_search_comparison_and_reading_agree(tiny_checkpoint, gallery: Gallery):
    """With a measurement that makes the kind that leaves least another one from case to case."""
    joined = Explorer.load(tiny_checkpoint)
    term = Term("rate_per_min", 90, 10, 2.0)
    joined.combination = {"cardiac arrhythmia": Combined(0.5, 0.2, (term,))}
    hits = search(joined, gallery, NORMAL, top=20, at_least=0.0).hits
    assert [hit.probability for hit in hits] == sorted((h.probability for h in hits), reverse=True)
    place = gallery.statements().index(NORMAL)
    likes = similar(joined, gallery, gallery.ecg(0), by=Finding(NORMAL), top=20)
    by_likeness = {hit.case.number: hit.probability for hit in likes}
    leaving = set()
    for hit in hits[:3] + hits[-3:]:
        number = hit.case.number
        (read,) = joined.read(gallery.ecg(number), [NORMAL]).findings
        leaving.add(read.left_by)
        shown = profiles(joined, gallery).shown(np.array([number]))[0, place]
        for other in (hit.probability, shown, by_likeness.get(number, read.probability)):
            assert other == pytest.approx(read.probability, abs=5e-3)
    assert by_likeness and len(leaving) > 1


def test_a_gallery_that_does_not_keep_the_kinds_leaves_the_models_own(tiny_checkpoint):
    explorer, own = Explorer.load(tiny_checkpoint), np.array([[0.7, 0.4]])
    assert np.array_equal(explorer.telling.told([NORMAL, KINDS[0]], own, []), own)


def test_figures_of_the_bench_are_those_of_the_recordings():
    normal = np.array([True, True, True, False, False])
    sure, unsure = np.array([0.9, 0.8, 0.7, 0.1, 0.2]), np.full(5, 0.4)
    assert bench.figures(normal, sure) == pytest.approx(
        {
            "AUC": 1,
            "Brier score": (0.01 + 0.04 + 0.09 + 0.01 + 0.04) / 5,
            "right side of 50 %": 1,
            "median of these": 0.8,
            "median of others": 0.15,
        }
    )
    table = bench.table(normal, ["a", "a", "b", "c", "d"], unsure, sure, draws=50)
    assert "| AUC | 0.500 (0.500 to 0.500) | 1.000 (1.000 to 1.000) | 0.500" in table
    assert "| median of these | 40 (40 to 40) % | 80 " in table
