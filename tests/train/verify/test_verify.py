"""Claims about verification: what is kept, what is not, and why; and a run that is stopped."""

import dataclasses
import json
import shutil

import numpy as np
import pytest
import torch

from focal_app.errors import ConfigError, RecordingError
from focal_app.model.config import Calibration
from focal_app.model.focal import similarities
from train.data import verified_files as verified
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.verified_files import read_verified
from train.enrich import scoring
from train.enrich import verify as verification
from train.enrich.scoring import Embedded, candidate_logits
from train.enrich.verify import Reading, verify
from train.enrich.verify_report import write_report

RHYTHM = frozenset({"sinus rhythm"})
FREE = "T waves like tents"


@pytest.fixture
def five(make_shards):
    """Five records of one tag set, each with one feature, and one of another tag set."""
    same = [("train", RHYTHM, (lead,)) for lead in range(5)]
    return make_shards([*same, ("train", ["pacing spikes"], ())])


@pytest.fixture
def candidates(features):
    """Every feature proposed for sinus rhythm."""
    return {RHYTHM: features}


def _lines(folder):
    return {line["key"]: line for line in verified.read_lines(folder)}


def test_what_the_ecg_shows_is_accepted_and_nothing_else(
    oracle, five, candidates, features, tmp_path
):
    summary = verify(oracle, [five], candidates, tmp_path / "out", score="probability")
    found = read_verified(tmp_path / "out")
    assert [found[f"planted-{lead}"] for lead in range(5)] == [(f,) for f in features[:5]]
    assert summary.accepted == 5 and summary.candidates == 5 * 12
    assert summary.without_candidates == 1 and found["planted-5"] == ()


def test_every_candidate_is_on_one_side_with_a_probability_and_a_reason(
    oracle, five, candidates, tmp_path
):
    verify(oracle, [five], candidates, tmp_path / "out", score="probability")
    line = _lines(tmp_path / "out")["planted-2"]
    assert len(line["accepted"]) + len(line["rejected"]) == 12
    assert line["accepted"][0]["probability"] == pytest.approx(0.9933, abs=2e-3)
    held, *below = line["rejected"]
    assert held == {"feature": FREE, "probability": None, "reason": verification.APART}
    assert {one["reason"] for one in below} == {verification.BELOW}
    for one in below:
        assert one["probability"] == pytest.approx(0.0067, abs=2e-3)


def test_free_text_is_held_apart_however_probable_and_scored_only_on_request(
    oracle, make_shards, tmp_path
):
    shards = make_shards([("train", RHYTHM, range(12))])
    for how, accepted in (("apart", ()), ("scored", (FREE,))):
        out, asked = tmp_path / how, {RHYTHM: [FREE]}
        summary = verify(oracle, [shards], asked, out, score="probability", free_text=how)
        assert read_verified(out) == {"planted-0": accepted}
        assert summary.rejected == ({} if accepted else {verification.APART: 1})


def test_a_wording_is_judged_as_the_statement_that_it_means(oracle, make_shards, tmp_path):
    shards = make_shards([("train", RHYTHM, range(12))])
    wordings = ["Wide QRS complex (broad)", "broadened QRS", "normal sinus rhythm waveform"]
    summary = verify(oracle, [shards], {RHYTHM: wordings}, tmp_path / "out", score="probability")
    assert read_verified(tmp_path / "out") == {"planted-0": ("wide QRS complex",)}
    assert summary.rejected == {verification.KNOWN: 1}


def test_a_feature_in_certain_leads_is_looked_for_there_alone(oracle, make_shards, tmp_path):
    shards = make_shards([("train", RHYTHM, [4])])  # a wide QRS complex, in aVL by its axis
    asked = {RHYTHM: ["wide QRS complex in aVL", "wide QRS complex in V1"]}
    verify(oracle, [shards], asked, tmp_path / "out", score="probability")
    assert read_verified(tmp_path / "out") == {"planted-0": ("wide QRS complex in aVL",)}


@pytest.mark.parametrize(
    ("tag", "feature", "reason"),
    [
        ("inverted T waves in V1-V4", "inverted T waves in V1-V4", verification.KNOWN),
        ("inverted T waves in V1-V4", "inverted T waves", verification.KNOWN),
        ("narrow QRS complex", "wide QRS complex", verification.CONTRADICTS),
    ],
)
def test_what_the_report_says_or_excludes_is_rejected_however_probable(
    oracle, make_shards, features, tmp_path, tag, feature, reason
):
    shards = make_shards([("train", [tag], range(12))])
    verify(oracle, [shards], {frozenset({tag}): [feature]}, tmp_path / "out", score="probability")
    (line,) = _lines(tmp_path / "out").values()
    assert [one["reason"] for one in line["rejected"]] == [reason]


def test_a_logit_is_that_of_the_feature_routed_alone(oracle, five, features):
    asked = [list(features), list(features[:3])]
    found = candidate_logits(oracle, five, [0, 1], asked, Embedded.of(oracle, list(features)))
    alone = candidate_logits(oracle, five, [1], [[features[2]]], Embedded.of(oracle, [features[2]]))
    assert [len(one) for one in found] == [12, 3]
    assert found[1][2] == pytest.approx(alone[0][0], abs=1e-5)
    from focal_app.ecg.preprocess import prepare

    prepared = prepare(five.ecg(0), oracle.config.signal)
    seen = torch.from_numpy(prepared.seen)[None]
    patches = oracle.encode_ecg(torch.from_numpy(prepared.signal)[None].float(), seen)
    cosine, _ = similarities(
        patches, oracle.encode_tags(list(features)), seen.flatten(1), epsilon=0.1, tau=0.1
    )
    assert np.allclose(found[0], oracle.logits(cosine)[0].detach().numpy(), atol=1e-5)


def test_every_ecg_is_encoded_once(oracle, five, candidates, tmp_path):
    verify(oracle, [five], candidates, tmp_path / "out", score="probability", reading=Reading(4))
    assert oracle.passes == 5  # the sixth has no candidates


def test_the_batch_changes_no_score(oracle, five, candidates, tmp_path):
    for size in (1, 4):
        verify(
            oracle,
            [five],
            candidates,
            tmp_path / str(size),
            score="probability",
            reading=Reading(size),
        )
    assert _lines(tmp_path / "1") == _lines(tmp_path / "4")


def test_signals_that_were_made_ready_are_not_filtered_again(
    oracle, five, candidates, tmp_path, monkeypatch
):
    def verified_as(name, prepared=None):
        how = {"score": "probability", "reading": Reading(prepared=prepared)}
        verify(oracle, [five], candidates, tmp_path / name, **how)
        return _lines(tmp_path / name)

    with pytest.raises(ConfigError, match=r"found no ready signals of .*`python -m train prepare`"):
        verified_as("none", tmp_path / "kept")
    plain = verified_as("plain")
    PreparedStore.make(five, oracle.config.signal, tmp_path / "kept", workers=1)
    monkeypatch.setattr(scoring, "prepare", None)
    kept = verified_as("ready", tmp_path / "kept")
    assert kept.keys() == plain.keys()
    for key, line in plain.items():
        for side in ("accepted", "rejected"):
            both = zip(line[side], kept[key][side], strict=True)
            assert all(
                (one["feature"], one["probability"])
                == (other["feature"], pytest.approx(other["probability"], abs=0.01))
                for one, other in both
            )
    with pytest.raises(ConfigError, match="another model, threshold, score or data"):
        verified_as("plain", tmp_path / "kept")
    begun = [verified.begun_without_signals(tmp_path / name) for name in ("plain", "ready", "no")]
    assert begun == [True, False, False]


def test_a_higher_threshold_keeps_no_more(oracle, five, candidates, tmp_path):
    kept = {}
    for threshold in (0.005, 0.5, 0.999):
        out = tmp_path / str(threshold)
        verify(oracle, [five], candidates, out, score="probability", threshold=threshold)
        kept[threshold] = {k: set(v) for k, v in read_verified(out).items()}
    assert all(kept[0.999][k] <= kept[0.5][k] <= kept[0.005][k] for k in kept[0.5])
    assert sum(map(len, kept[0.999].values())) < sum(map(len, kept[0.005].values()))


@pytest.fixture
def stopped(oracle, five, candidates, tmp_path, monkeypatch):
    """A run of three parts, stopped after the second; and the folder of an undisturbed one."""
    monkeypatch.setattr(verification, "PART", 2)
    out, whole = tmp_path / "out", tmp_path / "whole"
    verify(oracle, [five], candidates, whole, score="probability")
    write, written = verified.write_part, []

    def stop_at_third(path, lines):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(path)
        write(path, lines)

    with monkeypatch.context() as patched:
        patched.setattr(verified, "write_part", stop_at_third)
        with pytest.raises(KeyboardInterrupt):
            verify(oracle, [five], candidates, out, score="probability")
    oracle.passes = 0
    return out, whole


def _contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_stopped_run_goes_on_and_ends_on_the_same_files(stopped, oracle, five, candidates):
    out, whole = stopped
    verify(oracle, [five], candidates, out, score="probability")
    assert _contents(out) == _contents(whole)
    assert oracle.passes == 1  # the last part: one record with candidates, one without


def test_an_unfinished_run_is_not_read(stopped):
    out, _ = stopped
    with pytest.raises(ConfigError, match="to its end"):
        read_verified(out)


@pytest.mark.parametrize("cut", [1, 40, -1])
def test_half_a_part_is_never_taken_for_a_whole_one(stopped, oracle, five, candidates, cut):
    out, whole = stopped
    part = out / "part-00001.jsonl"
    part.write_bytes(part.read_bytes()[:cut] if cut > 0 else part.read_bytes().splitlines(True)[0])
    verify(oracle, [five], candidates, out, score="probability")
    assert _contents(out) == _contents(whole)


def test_a_finished_part_that_was_cut_is_refused(stopped):
    _, whole = stopped
    part = whole / "part-00001.jsonl"
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(ConfigError, match="part-00001"):
        read_verified(whole)


def test_a_full_disk_leaves_no_half_file(oracle, five, candidates, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(verified.os, "fsync", full)
        with pytest.raises(ConfigError, match="No space left"):
            verify(oracle, [five], candidates, tmp_path / "out", score="probability")
    assert not list((tmp_path / "out").iterdir())
    verify(oracle, [five], candidates, tmp_path / "out", score="probability")
    assert len(read_verified(tmp_path / "out")) == 6


@pytest.mark.parametrize("change", ["threshold", "model", "candidates"])
def test_a_folder_of_another_verification_is_refused(oracle, five, candidates, tmp_path, change):
    out, threshold = tmp_path / "out", 0.95
    verify(oracle, [five], candidates, out, score="probability")
    if change == "threshold":
        threshold = 0.9
    elif change == "model":
        with torch.no_grad():
            oracle.bias += 1
    else:
        candidates = {RHYTHM: ["wide QRS complex"]}
    with pytest.raises(ConfigError, match="another"):
        verify(oracle, [five], candidates, out, score="probability", threshold=threshold)


def test_a_folder_with_other_files_is_refused(oracle, five, candidates, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("")
    with pytest.raises(ConfigError, match="no verification"):
        verify(oracle, [five], candidates, tmp_path / "out", score="probability")


@pytest.mark.parametrize("threshold", [0, 1, 1.5, float("nan")])
def test_a_threshold_that_is_no_probability_is_refused(oracle, five, tmp_path, threshold):
    with pytest.raises(ConfigError, match="probability"):
        verify(oracle, [five], {}, tmp_path / "out", threshold=threshold)


def test_an_unreadable_recording_is_counted_and_its_candidates_rejected(
    oracle, five, candidates, tmp_path, monkeypatch
):
    ecg = Shards.ecg

    def broken(self, i):
        if i == 3:
            raise RecordingError("found 2 leads")
        return ecg(self, i)

    monkeypatch.setattr(Shards, "ecg", broken)
    summary = verify(oracle, [five], candidates, tmp_path / "out", score="probability")
    line = _lines(tmp_path / "out")["planted-3"]
    assert summary.unreadable == 1 and not line["accepted"]
    assert {one["reason"] for one in line["rejected"]} == {
        *(verification.UNREADABLE, verification.APART)
    }
    assert {one["probability"] for one in line["rejected"]} == {None}


def test_several_folders_of_shards_become_one_verification(
    oracle, make_shards, candidates, features, tmp_path
):
    shards = [make_shards([("train", RHYTHM, (n,))], name=f"source-{n}") for n in (0, 4)]
    verify(oracle, shards, candidates, tmp_path / "out", score="probability")
    assert read_verified(tmp_path / "out") == {
        "source-0-0": (features[0],),
        "source-4-0": (features[4],),
    }


def test_a_recording_of_an_untrained_model_is_scored_too(tiny_checkpoint, five, features, tmp_path):
    from focal_app.model.focal import Focal

    summary = verify(
        Focal.load(tiny_checkpoint),
        [five],
        {RHYTHM: features},
        tmp_path / "out",
        score="probability",
    )
    assert summary.records == 6


def test_the_summary_counts_what_the_files_hold(oracle, five, candidates, tmp_path):
    summary = verify(oracle, [five], candidates, tmp_path / "out", score="probability")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["counts"] == dataclasses.asdict(summary)
    lines = list(verified.read_lines(tmp_path / "out"))
    assert summary.records == len(lines)
    assert summary.accepted == sum(len(line["accepted"]) for line in lines)
    assert sum(summary.rejected.values()) == sum(len(line["rejected"]) for line in lines)
    shutil.rmtree(tmp_path / "out")


def test_too_few_validation_records_fall_back_to_the_model_and_say_so(
    oracle, five, candidates, tmp_path, caplog
):
    out = tmp_path / "out"
    verify(oracle, [five], candidates, out)
    assert "at least 20" in caplog.text and "the model's own probability" in caplog.text
    write_report(out)
    assert "**Note:** found" in (out / "report.md").read_text()
    own = tmp_path / "own"
    verify(oracle, [five], candidates, own, score="probability")
    assert list(verified.read_lines(out)) == list(verified.read_lines(own))


def test_another_score_may_be_asked_for_where_none_could_be_fitted(
    oracle, five, candidates, tmp_path
):
    out = tmp_path / "out"
    with pytest.raises(ConfigError, match="at least 20"):
        verify(oracle, [five], candidates, out, score="candidate")
    verify(oracle, [five], candidates, out, score="probability")


def test_confidence_is_the_models_sigmoid_whatever_its_calibration(
    oracle, five, candidates, features, tmp_path
):
    """Published: sigma(t cos), not calibrated; another calibration changes no score."""
    verify(oracle, [five], candidates, tmp_path / "out", score="confidence")
    changed = Calibration(scale=0.1, shift=-4.0)
    oracle.config = dataclasses.replace(oracle.config, calibration=changed)
    verify(oracle, [five], candidates, tmp_path / "other", score="confidence")
    assert _lines(tmp_path / "out") == _lines(tmp_path / "other")
    line = _lines(tmp_path / "out")["planted-2"]
    asked = [[one["feature"] for one in line["accepted"]]]
    (logit,) = candidate_logits(oracle, five, [2], asked, Embedded.of(oracle, list(features)))
    assert logit is not None
    wanted = (1 / (1 + np.exp(-logit))).tolist()
    assert [one["probability"] for one in line["accepted"]] == pytest.approx(wanted, abs=1e-6)
