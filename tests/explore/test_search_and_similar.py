"""Claims about searching a gallery and comparing with it; the model is untrained throughout."""

import itertools
import shutil
from dataclasses import replace

import numpy as np
import pytest
from gallery_cases import CASES
from numpy.testing import assert_allclose

from focal_app.ecg.measured import Quantities
from focal_app.ecg.recording import LEADS
from focal_app.errors import FocalError, GalleryError, PromptError
from focal_app.explore.cases.gallery import Filters, Gallery
from focal_app.explore.cases.gallery.manifest import Manifest
from focal_app.explore.cases.hits import hits_document
from focal_app.explore.cases.profiles import Profiles, profiles
from focal_app.explore.cases.reasons import confirmed, reasons
from focal_app.explore.cases.search import NO_CASE, no_further, search
from focal_app.explore.cases.similar import Finding, Segment, Whole, similar
from focal_app.explore.reading.explorer import Explorer
from focal_app.lexicon import load_lexicon
from focal_app.model.combination import Combined, Term

WAYS = (Whole(), Finding("atrial fibrillation"), Segment("V1", 2.0, 4.0))


def keys(hits) -> list[str]:
    return [hit.case.key for hit in hits]


def test_a_hit_has_the_probability_and_the_heatmap_of_a_reading(explorer, gallery):
    for hit in search(explorer, gallery, "atrial fibrillation", top=5).hits:
        finding = explorer.read(gallery.ecg(hit.case.number), ["atrial fibrillation"]).findings[0]
        assert hit.probability == pytest.approx(finding.probability, abs=2e-3)
        assert_allclose(hit.case_weights, finding.weights, rtol=2e-2, atol=2e-2)


def test_hits_come_best_first_and_each_case_once(explorer, gallery):
    hits = search(explorer, gallery, "AF and LBBB without RBBB", top=CASES, at_least=0.0).hits
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(keys(hits))) == len(hits) == CASES - 1


def test_terms_are_scored_on_their_own_and_multiplied(explorer, gallery):
    for hit in search(explorer, gallery, "AF and ST elevation without LBBB", top=4).hits:
        probability = {one.text: one.probability for one in hit.terms}
        together = (
            probability["atrial fibrillation"]
            * probability["ST elevation"]
            * (1 - probability["left bundle branch block"])
        )
        assert hit.probability == pytest.approx(together, rel=1e-4)
    alone = search(explorer, gallery, "AF", top=CASES).hits
    both = search(explorer, gallery, "AF and LBBB", top=CASES).hits
    own = {hit.case.key: hit.probability for hit in alone}
    for hit in both:
        if hit.case.key in own:
            assert hit.terms[0].probability == pytest.approx(own[hit.case.key], abs=1e-5)


def test_of_alternatives_the_more_probable_counts(explorer, gallery):
    for hit in search(explorer, gallery, "AF or LBBB", top=3).hits:
        assert hit.probability == pytest.approx(max(t.probability for t in hit.terms), rel=1e-4)


def test_without_turns_the_order_around(explorer, gallery):
    wanted = keys(search(explorer, gallery, "LBBB", top=CASES, at_least=0.0).hits)
    unwanted = keys(search(explorer, gallery, "no LBBB", top=CASES, at_least=0.0).hits)
    skipped = {"case-00", f"case-{CASES - 1:02d}"}  # copies: which one stays depends on the order
    assert [k for k in wanted if k not in skipped] == [
        k for k in reversed(unwanted) if k not in skipped
    ]


def test_cases_that_do_not_fit_are_not_shown(explorer, gallery):
    """Of an untrained model every probability is about the same: the bound is laid between them."""
    every = search(explorer, gallery, "AV block", top=CASES, at_least=0.0)
    between = float(np.median([hit.probability for hit in every.hits]))
    some = search(explorer, gallery, "AV block", top=CASES, at_least=between)
    assert 0 < len(some.hits) < len(every.hits)
    assert all(hit.probability >= between for hit in some.hits)
    assert some.rest == no_further(len(some.hits), between) and some.warnings == ()
    few = search(explorer, gallery, "AV block", top=1, at_least=between)
    assert len(few.hits) == 1 and few.rest == "", "others fit as well"


def test_a_case_that_is_labelled_so_is_shown_whatever_the_model_says(explorer, gallery):
    hits = search(explorer, gallery, "AF without LBBB", top=CASES, at_least=1.0).hits
    labelled = [case.key for case in gallery if "atrial fibrillation" in case.facts.labels]
    assert set(keys(hits)) | {"case-00"} == set(labelled)
    either = search(explorer, gallery, "AF or LBBB", top=CASES, at_least=1.0).hits
    assert {label for hit in either for label in hit.case.facts.labels} == {
        "atrial fibrillation",
        "complete left bundle branch block",
    }
    assert search(explorer, gallery, "AF and LBBB", top=CASES, at_least=1.0).hits == ()


def test_words_that_are_no_known_term_leave_nothing_out(explorer, gallery):
    assert len(search(explorer, gallery, "slurred terminal S", top=CASES, at_least=1.0).hits) > 5
    both = search(explorer, gallery, "AF and slurred terminal S", top=CASES, at_least=1.0).hits
    assert {label for hit in both for label in hit.case.facts.labels} == {"atrial fibrillation"}
    assert all(hit.probability is None for hit in both)


def test_a_measurement_joins_the_search_and_both_sides_of_a_comparison(
    tiny_checkpoint, gallery, query
):
    """As it joins a reading of the same case."""
    joined = Explorer.load(tiny_checkpoint)
    curve = Combined(0.5, 0.2, (Term("rate_per_min", 60, 20, 2.0),))
    joined.combination = {"atrial fibrillation": curve}
    for hit in search(joined, gallery, "AF", top=4).hits:
        read = joined.read(gallery.ecg(hit.case.number), ["atrial fibrillation"]).findings[0]
        assert read.model_probability is not None
        assert hit.probability == pytest.approx(read.probability, abs=5e-3)
    place = gallery.statements().index("atrial fibrillation")
    cases = profiles(joined, gallery)
    for number in range(4):
        read = joined.read(gallery.ecg(number), ["atrial fibrillation"]).findings[0]
        shown = cases.shown(np.array([number]))[0, place]
        assert shown == pytest.approx(read.probability, abs=5e-3)


def test_what_a_gallery_has_not_measured_joins_neither_side(tiny_checkpoint, built, tmp_path):
    folder = shutil.copytree(built, tmp_path / "older")
    replace(Manifest.read(folder), measured=()).write(folder)
    joined = Explorer.load(tiny_checkpoint)
    older = Gallery.open(folder, joined.model)
    curve = Combined(0.5, 0.2, (Term("rate_per_min", 60, 20, 2.0),))
    joined.combination = {"atrial fibrillation": curve}
    own = np.linspace(0.1, 0.9, len(older.statements())).astype(np.float32)
    shown = profiles(joined, older).shown_by(own, Quantities({"rate_per_min": 150.0}))
    unmeasured = joined.telling.told(older.statements(), own[None], [Quantities({})])[0]
    assert np.array_equal(shown, unmeasured)
    assert similar(joined, older, older.ecg(1), top=3)[0].reasons.alike == ()


def test_nothing_is_nearer_to_an_ecg_than_itself_but_what_shows_more(explorer, gallery):
    """Of Cauchy and Schwarz: where a case's own length is no larger."""
    cases = profiles(explorer, gallery)
    shown = cases.shown(np.arange(CASES))
    likeness = cases.likeness(shown[3], shown)
    length = np.linalg.norm(cases._unusual(shown), axis=1)
    assert (likeness[length <= length[3]] <= likeness[3] + 1e-6).all()
    order = np.argsort(likeness)
    assert (np.diff(cases.closer_than(likeness)[order]) >= 0).all()
    twice = cases.likeness(shown[3], np.concatenate([shown, shown]))
    assert_allclose(
        twice, np.tile(likeness, 2), rtol=1e-5, err_msg="other candidates change nothing"
    )


def test_of_a_large_gallery_some_cases_say_what_is_usual(explorer, gallery, monkeypatch):
    numbers, whole = np.array([2, 9, 4]), Profiles(explorer, gallery)
    every = whole.shown(numbers)
    monkeypatch.setattr("focal_app.explore.cases.profiles.MOST_USUAL", 5)
    some = Profiles(explorer, gallery)
    assert np.array_equal(some.shown(numbers), every)
    assert len(some._some) == 5 < len(whole._some) == CASES


def test_reasons_say_what_is_shared_and_what_is_not(explorer, gallery):
    cases, tags = profiles(explorer, gallery), gallery.statements()
    theirs = gallery.quantities([1])[0].known
    likely = {"left bundle branch block", "first degree AV block", "good signal quality"}
    shown = np.array([0.9 if tag in likely else 0.01 for tag in tags])
    far = {**theirs, "rate_per_min": theirs["rate_per_min"] + 30}
    found = reasons(cases, gallery, shown, Quantities(far), 1)
    assert set(found.both) <= {"left bundle branch block"}
    assert found.theirs == ("complete left bundle branch block",), "unlikely in the ECG"
    assert len(found.apart) == 1 and found.apart[0].startswith("rate ")
    same = reasons(cases, gallery, shown, Quantities(theirs), 1)
    assert same.apart == () and len(same.alike) <= 2
    assert reasons(cases, gallery, shown, Quantities({}), 1).alike == ()


def test_what_measurements_refute_is_named_as_no_finding_of_the_ecg(explorer, gallery):
    cases, tags = profiles(explorer, gallery), gallery.statements()
    likely = {"left bundle branch block", "first degree AV block"}
    shown = np.array([0.9 if tag in likely else 0.01 for tag in tags])
    named = []
    for refuted in ((), likely):
        told = [
            reasons(cases, gallery, shown, Quantities({}), one, refuted=refuted)
            for one in range(CASES)
        ]
        named.append({tag for one in told for tag in (*one.both, *one.yours)} & likely)
    assert named[0] and not named[1]


def test_of_the_ecg_alone_is_named_what_the_model_is_known_to_tell(explorer, gallery, monkeypatch):
    cases, shown = profiles(explorer, gallery), np.full(len(gallery.statements()), 0.9)
    monkeypatch.setattr(type(cases), "shown", lambda *_: np.zeros((1, len(shown))))
    known, ecg = {"atrial flutter", "paced rhythm"}, (cases, gallery, shown, Quantities({}), 1)
    every, some = ({*reasons(*ecg, trusted=these).yours} for these in (None, known))
    assert every - known and some and some <= known


def test_two_axes_on_either_side_of_180_degrees_are_alike(explorer, gallery, monkeypatch):
    monkeypatch.setattr(gallery, "quantities", lambda _: [Quantities({"axis_degrees": 175.0})])
    shown = np.zeros(len(gallery.statements()))
    found = reasons(
        profiles(explorer, gallery), gallery, shown, Quantities({"axis_degrees": -178.0}), 1
    )
    assert found.alike == ("axis −178 and 175°",) and not found.apart


def test_what_does_not_tell_cases_apart_is_not_said_to_be_near(explorer, gallery, query):
    """Beats come again and again: of a segment every case reaches what random ones reach."""
    hits = similar(explorer, gallery, query(20), by=Segment("V1", 2.0, 4.0), top=CASES)
    near = [hit.closer_than for hit in hits]
    assert near == sorted(near, reverse=True) and 0 <= near[-1] < 0.9
    assert all(hit.figure.endswith(" of 100") for hit in hits)


def test_a_place_leaves_the_other_leads_out(explorer, gallery):
    hit = search(explorer, gallery, "inverted T waves in V2-V3", top=1).hits[0]
    inside = np.isin(LEADS, ["V2", "V3"])
    assert np.isfinite(hit.case_weights[inside]).all()
    assert np.isnan(hit.case_weights[~inside]).all()
    assert np.nanmean(hit.case_weights) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("by", WAYS)
def test_the_query_itself_and_its_copies_are_left_out(by, explorer, gallery, query):
    """Case 0 is stored twice, and the query has another rate and a little noise."""
    for rate_hz in (250, 500):
        hits = similar(explorer, gallery, query(0, rate_hz=250), by=by, top=CASES)
        assert not {"case-00", f"case-{CASES - 1:02d}"} & set(keys(hits))
        assert len(hits) == CASES - 2, rate_hz


@pytest.mark.parametrize("by", WAYS)
def test_filters_hold_and_the_nearest_come_first(by, explorer, gallery, query):
    filters = Filters(sex="female", age_years=(20, 70))
    hits = similar(explorer, gallery, query(20), by=by, filters=filters, top=CASES)
    assert hits
    assert all(hit.case.facts.sex == "female" and hit.case.facts.age_years <= 70 for hit in hits)
    assert all(a.score >= b.score for a, b in itertools.pairwise(hits))


@pytest.mark.parametrize("by", WAYS)
def test_both_sides_are_tinted_in_shares_of_the_even_one(by, explorer, gallery, query):
    for hit in similar(explorer, gallery, query(20), by=by, top=3):
        for weights in (hit.case_weights, hit.query_weights):
            assert weights.shape == (12, 10)
            assert np.nanmean(weights) == pytest.approx(1.0, abs=1e-4)


def test_a_segment_tints_its_own_patches_alone(explorer, gallery, query):
    hit = similar(explorer, gallery, query(20), by=Segment("V1", 2.0, 4.0), top=1)[0]
    row = LEADS.index("V1")
    assert np.flatnonzero(hit.query_weights[row]).tolist() == [2, 3]
    assert np.count_nonzero(hit.query_weights) == 2
    assert np.isfinite(hit.case_weights[row]).all()
    assert np.isnan(np.delete(hit.case_weights, row, axis=0)).all()


def test_a_finding_is_tinted_as_a_reading_tints_it(explorer, gallery, query):
    hit = similar(explorer, gallery, query(20), by=Finding("ST elevation"), top=1)[0]
    finding = explorer.read(query(20), ["ST elevation"]).findings[0]
    assert_allclose(hit.query_weights, finding.weights, atol=1e-4)
    read = explorer.read(gallery.ecg(hit.case.number), ["ST elevation"]).findings[0]
    assert hit.probability == pytest.approx(read.probability, abs=2e-3)


@pytest.mark.parametrize("by", [Whole(), Segment("V1", 2.0, 4.0)])
def test_only_what_the_labels_confirm_is_named_as_shared(by, explorer, gallery, query):
    lexicon = load_lexicon()
    hits = similar(explorer, gallery, query(20), by=by, top=CASES)
    for hit in hits:
        labels = hit.case.facts.labels
        held = {above for label in labels for above in (label, *lexicon.ancestors(label))}
        assert set(hit.why) <= held


def test_labels_confirm_what_they_imply_and_no_label_denies_nothing():
    assert confirmed("left bundle branch block", ("complete left bundle branch block",))
    assert not confirmed("complete left bundle branch block", ("left bundle branch block",))
    assert not confirmed("normal ECG", ("premature atrial complex",))
    assert confirmed("normal ECG", ())


def test_the_finding_that_was_asked_comes_first_under_its_own_name(explorer, gallery, query):
    for hit in similar(explorer, gallery, query(20), by=Finding("RBBB"), top=CASES):
        assert hit.why[0] == "right bundle branch block"
        assert len(set(hit.why)) == len(hit.why)


@pytest.mark.parametrize(
    "by",
    [Segment("V9", 1.0, 2.0), Segment("V1", 4.0, 2.0), Segment("V1", 90.0, 95.0), Finding(" ")],
)
def test_what_cannot_be_compared_is_refused(by, explorer, gallery, query):
    with pytest.raises(PromptError):
        similar(explorer, gallery, query(20), by=by)


def test_no_case_passing_gives_no_hit(explorer, gallery, query):
    nobody = Filters(labels=("AF", "LBBB"))
    assert similar(explorer, gallery, query(1), filters=nobody) == ()
    assert search(explorer, gallery, "AF", filters=nobody).hits == ()


def test_a_document_is_plain_and_complete(explorer, gallery):
    written = hits_document(search(explorer, gallery, "AF without LBBB", top=2).hits)
    assert [one["rank"] for one in written] == [1, 2]
    assert {"key", "labels", "source", "licence", "probability", "terms"} <= set(written[0])


def test_a_gallery_that_goes_away_ends_no_more_than_its_own_search(
    explorer, built, tmp_path, query
):
    import shutil

    gone = shutil.copytree(built, tmp_path / "gone")
    gallery, kept = Gallery.open(gone, explorer.model), Gallery.open(built, explorer.model)
    search(explorer, gallery, "AF", top=2)
    shutil.rmtree(gone)
    for ask in (
        lambda: search(explorer, gallery, "AF"),
        lambda: similar(explorer, gallery, query(1)),
        lambda: gallery[0],
        lambda: gallery.ecg(0),
    ):
        with pytest.raises(GalleryError):
            ask()
    assert search(explorer, kept, "AF", top=2).hits
    assert explorer.read(query(1), ["AF"]).findings
    assert issubclass(GalleryError, FocalError)


def test_nothing_that_passes_is_said_to_be_no_such_case(explorer, gallery, monkeypatch):
    monkeypatch.setattr("focal_app.explore.cases.search.LIKELY", 1.0)  # the model is untrained
    for text in ("ventricular fibrillation", "AF in women over 100"):
        found = search(explorer, gallery, text)
        assert found.hits == () and found.warnings[-1] == NO_CASE


def test_whom_a_query_is_about_filters_the_cases(explorer, gallery):
    hits = search(explorer, gallery, "AF or LBBB in women under 60", top=CASES).hits
    assert hits
    assert all(hit.case.facts.sex == "female" and hit.case.facts.age_years < 60 for hit in hits)


def test_words_that_are_no_known_term_rank_without_a_percentage(explorer, gallery):
    (hit, *_) = search(explorer, gallery, "slurred terminal S").hits
    assert hit.probability is None and hit.terms[0].probability is None


def rates(explorer, gallery, text):
    """The measured rate of every case that a search finds."""
    found = search(explorer, gallery, text, top=CASES)
    return found, [gallery.measured("rate_per_min")[hit.case.number] for hit in found.hits]


def test_numbers_alone_find_the_cases_that_were_measured_so_the_plainest_first(explorer, gallery):
    every = gallery.measured("rate_per_min")
    bound = float(np.nanmedian(every))
    fast, of_fast = rates(explorer, gallery, f"heart rate over {bound:.0f}")
    slow, of_slow = rates(explorer, gallery, f"heart rate under {bound:.0f}")
    assert fast.hits and slow.hits and fast.understood.startswith("Heart rate over")
    assert min(of_fast) >= round(bound) and of_fast == sorted(of_fast, reverse=True)
    assert max(of_slow) <= round(bound) and of_slow == sorted(of_slow)
    assert fast.hits[0].measured == (f"heart rate {round(of_fast[0])}/min",)
    assert all(hit.probability is None and not hit.terms for hit in fast.hits)


def test_a_number_narrows_a_search_for_findings(explorer, gallery):
    bound = round(float(np.nanmedian(gallery.measured("rate_per_min"))))
    found, measured = rates(explorer, gallery, f"AF or LBBB with a rate over {bound}")
    assert found.hits and min(measured) >= bound and found.hits[0].terms
    assert found.hits[0].measured[0].startswith("heart rate")


def test_no_such_case_is_said_of_numbers_too(explorer, gallery):
    found = search(explorer, gallery, "heart rate over 450")
    assert not found.hits and "No such case in this gallery" in found.warnings[-1]


def test_whom_alone_finds_them(explorer, gallery):
    hits = search(explorer, gallery, "women", top=CASES).hits
    assert hits and {hit.case.facts.sex for hit in hits} == {"female"}


def test_a_gallery_of_before_says_that_nothing_was_measured(explorer, built, tmp_path):
    folder = tmp_path / "older"
    shutil.copytree(built, folder)
    replace(Manifest.read(folder), measured=()).write(folder)
    older = Gallery.open(folder, explorer.model)
    with pytest.raises(PromptError, match=r"Heart rate over 150/min.*no measured values"):
        search(explorer, older, "heart rate over 150")
    warned = search(explorer, older, "AF or LBBB with a rate over 150", top=3)
    assert warned.hits and "no measured values" in warned.warnings[-1]
