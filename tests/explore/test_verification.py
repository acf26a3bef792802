"""Candidates come from what the report affirms, and the ECG decides which of them are kept."""

import numpy as np
import pytest

from focal_app.errors import PromptError
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.document import NOTICE
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.report.candidates import LEXICON, lexicon_candidates, model_proposals
from focal_app.explore.report.documents import enriched_text, table_document
from focal_app.explore.report.table import table_of
from focal_app.explore.report.verification import verify
from focal_app.lexicon import load_lexicon
from focal_app.words.statements import own_tag, report_tags

REPORT = "Sinus rhythm. LBBB, no RBBB. Poor gadget complex."


@pytest.fixture(scope="module")
def explorer(tiny_checkpoint):
    return Explorer.load(tiny_checkpoint)


@pytest.fixture(scope="module")
def ecg():
    return load_case("normal")


@pytest.fixture(scope="module")
def verification(explorer, ecg):
    tags = report_tags(REPORT)
    return verify(explorer, ecg, tags, lexicon_candidates(tags), report=REPORT).moved(0.6)


def test_features_of_every_affirmed_tag_are_proposed_with_their_reason():
    found = {one.feature: one for one in lexicon_candidates(report_tags("LBBB"))}
    wanted = load_lexicon()["left bundle branch block"].features
    assert wanted and set(wanted) <= set(found)
    assert all(found[f].proposed_by == ("left bundle branch block",) for f in wanted)
    assert {one.source for one in found.values()} == {LEXICON}


def test_a_denied_tag_proposes_nothing():
    assert lexicon_candidates(report_tags("no LBBB")) == ()


def test_features_of_suspected_tags_alone_are_marked_as_such():
    found = {f.feature: f for f in lexicon_candidates(report_tags("LBBB. Possible RBBB."))}
    both = {"left bundle branch block", "right bundle branch block"}
    assert {by for one in found.values() for by in one.proposed_by} == both
    for one in found.values():
        assert one.suspected == (one.proposed_by == ("right bundle branch block",))
    assert found["wide QRS complex"].proposed_by == tuple(sorted(both))


def test_a_models_features_are_doubtful_where_every_tag_is():
    for report, doubted in (("Possible LBBB.", True), ("AF. Possible LBBB.", False), ("", False)):
        (one,) = model_proposals(["wide QRS complex"], report_tags(report)).candidates
        assert one.suspected == doubted


def test_doubt_stands_in_the_text_and_the_json(explorer, ecg):
    tags = report_tags("Possible LBBB.")
    found = verify(explorer, ecg, tags, lexicon_candidates(tags)).moved(0.0)
    listed = enriched_text(found).splitlines()
    assert listed[0] == "possible left bundle branch block"
    assert "- deep S waves in V1-V3 (from a suspected finding)" in listed
    (row,) = table_document(found)["statements"]
    assert row["suspected"] and {one["from_suspected"] for one in row["features"]} == {True}


def test_what_the_report_says_or_denies_is_no_candidate():
    feature = load_lexicon()["left bundle branch block"].features[0]
    for said in (f"LBBB, {feature}", f"LBBB; no {feature}"):
        assert feature not in {one.feature for one in lexicon_candidates(report_tags(said))}


def test_no_tag_proposes_what_it_excludes():
    for statement in load_lexicon():
        proposed = {one.feature for one in lexicon_candidates([own_tag(statement.tag)])}
        assert not proposed & load_lexicon().exclusions(statement.tag), statement.tag


def test_a_models_features_take_the_names_of_the_lexicon_once():
    wordings = ["T wave inversion", "inverted T-waves", "x" * 900, " ", "?"]
    found = model_proposals(wordings, []).candidates
    assert [one.feature for one in found] == ["inverted T waves"]


def test_scores_are_those_of_the_reading_tab(verification, explorer, ecg):
    alone = explorer.read(ecg, [one.candidate.feature for one in verification.verified])
    for one, finding in zip(verification.verified, alone.findings, strict=True):
        assert one.finding.probability == pytest.approx(finding.probability, abs=1e-6)


def test_the_threshold_only_sorts(verification):
    every = len(verification.verified)
    for threshold in (0.0, 0.3, 1.0):
        moved = verification.moved(threshold)
        assert moved.reading is verification.reading and len(table_of(moved).features) == every
        unmeasured = [one for one in table_of(moved).features if not one.finding.measured]
        for one in unmeasured:
            supported = one.verdict.name == "supported"
            assert supported == (one.finding.probability >= threshold)


def test_the_likeliest_candidate_stands_first(verification):
    scores = [one.finding.probability for one in verification.verified]
    assert scores == sorted(scores, reverse=True) and len(scores) > 2


def test_every_candidate_and_tag_has_a_heatmap(verification):
    findings = verification.reading.findings
    asked = [one for one in verification.statements if one.finding]
    read = [*verification.verified, *verification.others]
    assert len(findings) == len(asked) + len(read)
    (unknown,) = (one for one in verification.statements if not one.finding)
    assert unknown.tag.tag == "Poor gadget complex"
    assert all(np.nanmean(f.weights) == pytest.approx(1, abs=1e-3) for f in findings)


def test_the_enriched_text_is_the_report_and_the_accepted_features(verification):
    every = verification.moved(0.0)
    text = enriched_text(every)
    assert text.startswith(REPORT) and text.rstrip().endswith(f"{NOTICE}.")
    assert all(f"- {one.candidate.feature}\n" in text for one in table_of(every).supported)
    assert "none" not in text


def test_the_enriched_json_holds_every_score(verification):
    rows = table_document(verification)["statements"]
    assert {row["tag"] for row in rows if row["denied"]} == {"right bundle branch block"}
    listed = [entry for row in rows for entry in row["features"]]
    named = sorted(entry["feature"] for entry in listed)
    assert named == sorted(one.candidate.feature for one in verification.verified)
    assert all(0 <= entry["probability"] <= 1 and entry["verdict"] for entry in listed)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_that_is_no_probability_is_refused(explorer, ecg, threshold):
    with pytest.raises(PromptError, match="threshold"):
        verify(explorer, ecg, report_tags("LBBB"), ()).moved(threshold)


def test_a_report_without_findings_is_refused(explorer, ecg):
    with pytest.raises(PromptError, match="no finding"):
        verify(explorer, ecg, (), ())


def test_a_measured_statement_is_held_against_the_measured_value(explorer, ecg):
    rate = explorer.read(ecg, ["sinus rhythm"]).measured.measurements.rate_per_min.value
    tags = report_tags(f"Rate {rate:.0f}. QRS 240 ms.")
    fits, wide = table_of(verify(explorer, ecg, tags, ())).rows
    assert (fits.verdict.name, wide.verdict.name) == ("supported", "not supported")
    assert fits.held.measured == rate and fits.finding is None


def test_a_statement_keeps_its_leads_age_and_number_in_json(explorer, ecg):
    report = "Old inferior infarct. T waves inverted in V5,6. PR 210 ms. Compared with 2019, no AF."
    tags = report_tags(report)
    written = table_document(verify(explorer, ecg, tags, (), report=report))
    infarct, inverted, number, denied = written["statements"]
    assert infarct["age"] == "old" and denied["denied"]
    assert inverted["leads"] == ["V5", "V6"] and inverted["tag"] == "inverted T waves"
    assert number["value"] == {"name": "pr_ms", "low": 210.0, "high": 210.0}
    assert number["probability"] is None
    assert [one["kind"] for one in written["asides"]] == ["comparison"]


def test_an_old_infarct_proposes_no_sign_of_an_acute_one():
    said = {one.feature for one in lexicon_candidates(report_tags("Inferior infarct."))}
    old = {one.feature for one in lexicon_candidates(report_tags("Old inferior infarct."))}
    assert said - old == {feature for feature in said if feature.startswith("ST elevation")}
    assert "Q waves in inferior leads (II, III, aVF)" in old and said != old


def test_what_is_no_finding_is_not_verified():
    assert model_proposals(["banana split", "qwerty"], report_tags("LBBB")).candidates == ()
