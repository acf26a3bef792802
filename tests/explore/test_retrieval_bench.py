"""Claims about how searches are judged: what counts as found, whose cases count, how often."""

import numpy as np
import pytest
from gallery_cases import CASES, LABELS

from focal_app.explore.cases.gallery import Filters
from focal_app.explore.cases.gallery.gallery import Gallery
from focal_app.explore.report.values import READERS_DIFFER
from tests.benchmarks import retrieval as bench
from tests.benchmarks import tried_orders

COMMON = LABELS[0][0]


@pytest.fixture
def labelled(gallery):
    """The small gallery; its first case and the copy of it are of one patient."""
    patients = {"case-00": "one", f"case-{CASES - 1:02d}": "one"}
    return bench._Labelled.of(gallery, patients, 50)


def test_precision_is_the_share_of_the_first_five_that_carry_the_finding(labelled):
    held = np.flatnonzero(labelled.carrying[COMMON])
    others = np.flatnonzero(~labelled.carrying[COMMON])
    assert labelled.precision(COMMON, [*held[:5], *others])[0] == 1
    assert labelled.precision(COMMON, [*others, *held])[0] == 0
    assert labelled.precision(COMMON, [*held[:2], *others, *held[2:]])[0] == pytest.approx(0.4)
    assert labelled.precision(COMMON, held[:3])[0] == pytest.approx(0.6), "too few are missed ones"


def test_a_draw_counts_a_case_as_often_as_its_patient_was_drawn(labelled):
    """Against lists that are written out."""
    order = np.random.default_rng(3).permutation(CASES)
    drawn = labelled.precision(COMMON, order)
    for weights, found in zip(labelled.weights, drawn, strict=True):
        shown = np.repeat(order, weights[order].astype(int))[:5]
        assert found == pytest.approx(labelled.carrying[COMMON][shown].sum() / 5)
    first, copy = labelled.weights[:, [0, CASES - 1]].T
    assert np.array_equal(first, copy) and len(set(first)) > 1


def test_no_case_of_the_query_s_own_patient_counts(labelled):
    assert set(labelled.others(range(CASES), 0)) == set(range(1, CASES - 1))
    assert set(labelled.others(range(CASES), 3)) == set(range(CASES)) - {3}


def test_a_way_that_knows_the_labels_is_perfect_and_its_reverse_never_right(
    explorer, gallery, monkeypatch
):
    def knowing(_, gallery):
        labels = {one: gallery.allowed(Filters(labels=(one,))) for one in gallery.labels()}
        return {
            bench.BASE: lambda label, number: np.argsort(labels[label], kind="stable")[:5],
            "similar, knowing": lambda label, number: np.argsort(~labels[label], kind="stable"),
        }

    monkeypatch.setattr(bench, "likeness_ways", knowing)
    copies = {f"case-{number:02d}": "one" for number in (1, 4)}
    found = bench.study(explorer, gallery, copies, draws=20)
    assert found.cases == CASES and found.patients == CASES - 1
    assert found.ways[bench.BASE].precision.value == 0
    best = found.ways["similar, knowing"].by_finding
    assert best[COMMON].value == pytest.approx(0.8), "five carry it, and one of them asks"
    assert found.ways["random"].by_finding[COMMON].value == pytest.approx(5 / CASES)
    assert "| similar, knowing |" in bench.table(found)


def test_the_app_s_own_ways_are_judged_over_whole_orders(explorer, gallery):
    found = bench.study(explorer, gallery, draws=5)
    assert set(found.findings.values()) <= set(range(5, CASES // 2 + 1))
    assert len(found.ways) == 7
    assert all(0 <= way.precision.value <= 1 for way in found.ways.values())


@pytest.fixture
def by_mean_alone(monkeypatch):
    """Of the ways by a case only the plainest."""
    every = bench.likeness_ways
    monkeypatch.setattr(
        bench, "likeness_ways", lambda *given: {bench.BASE: every(*given)[bench.BASE]}
    )


def test_orders_that_lost_are_judged_where_they_are_asked_for(explorer, gallery, by_mean_alone):
    found = bench.study(explorer, gallery, draws=5, tried=True)
    orders = tried_orders.tried_orders(explorer, gallery)
    assert set(orders) < set(found.ways) and len(found.ways) == 4 + len(orders)
    for name, order in orders.items():
        for number in (0, 5):
            assert sorted(order("", number)) == list(range(CASES)), name
    by_all = [name for name in orders if "no length" not in name]
    copies = {0, CASES - 1}  # one is the other, resampled
    assert all(copies == set(orders[name]("", 0)[:2]) for name in by_all)


def test_values_are_as_alike_as_written_out(gallery):
    alike = tried_orders._measured_alike(gallery)
    for one, other in ((0, 1), (3, 9), (0, CASES - 1)):
        parts = []
        for name in tried_orders.MEASURED:
            apart = abs(gallery.measured(name)[one] - gallery.measured(name)[other])
            apart = min(apart, 360 - apart) if name == "axis_degrees" else apart
            if not np.isnan(apart):
                parts.append(np.exp(-apart / READERS_DIFFER[name]))
        assert alike[one, other] == pytest.approx(np.mean(parts) if parts else 0.0)


def test_the_normal_ecg_is_shown_and_in_no_mean(explorer, gallery, monkeypatch, by_mean_alone):
    monkeypatch.setattr(bench, "NORMAL", COMMON)
    found = bench.study(explorer, gallery, draws=5)
    assert COMMON in found.findings
    others = [one.value for name, one in found.ways["random"].by_finding.items() if name != COMMON]
    assert found.ways["random"].precision.value == pytest.approx(np.mean(others))


def test_recordings_of_seen_patients_are_left_out(explorer, shared_ecg, tmp_path, monkeypatch):
    folder = shared_ecg / "ptb-xl"
    every = bench.reported(folder, folds=(7,))
    monkeypatch.setattr(bench, "unseen", lambda model, found: found[:6])
    made, patients = bench.gallery_of(explorer, folder, (7,), tmp_path / "made")
    assert len(made) == 6 and isinstance(made, Gallery)
    assert {case.key for case in made} == set(patients)
    assert set(patients.values()) <= {one.patient for one in every}
