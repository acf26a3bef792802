"""The ruler: every record is scored by a model that never saw its patient, and only pairs of one
model count; measurements join where they help, and nowhere else."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.errors import ConfigError
from focal_app.model.combination import COMBINATION, Combined, Unseen, load_combination
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen, patient
from train.__main__ import main
from train.benchmark.combined import (
    Rows,
    across,
    combinations,
    compared,
    curve_of,
    given,
    judged,
)
from train.benchmark.metrics import Interval, auc
from train.benchmark.out_of_fold import Record, Scores
from train.benchmark.ruler import auc_within
from train.fit.combination import GIVEN, candidates, terms_of
from train.recipe import load_recipe, save_recipe
from train.runs.combination import write
from train.runs.ruler import Ruler, gained

FEW = {"coarse.steps": 2, "coarse.batch": 4, "tuning.steps": 2}
FAST = [word for name, value in FEW.items() for word in ("--set", f"{name}={value}")]
FAST += ["--simulated", "4", "--workers", "0", "--groups", "2"]


def command(ptbxl: Path, out: Path, *more: str) -> list[str]:
    return ["ruler", "--config", "tiny", "--real", str(ptbxl), "--out", str(out), *FAST, *more]


@pytest.fixture(scope="module")
def run(ptbxl: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ruler")
    assert main(command(ptbxl, out)) == 0
    return out


def test_every_record_of_the_eight_folds_is_scored_once_by_a_model_that_never_saw_it(run):
    keys = []
    for group in (0, 1):
        scores = Scores.load(run / f"group-{group}")
        seen = Focal.load(run / f"group-{group}" / "coarse" / "model").seen
        assert seen and not any(seen.trained_on(one.patient for one in scores.records))
        keys += [one.key for one in scores.records]
    assert sorted(map(int, keys)) == list(range(1, 41))


def test_no_choice_looks_at_the_last_two_folds_and_the_end_looks_at_them_alone(run, ptbxl):
    last = [patient("ptb-xl", str(number)) for number in range(40, 50)]
    for group in (0, 1):
        seen = Focal.load(run / f"group-{group}" / "coarse" / "model").seen
        assert seen and not any(seen.trained_on(last))
    assert main(command(ptbxl, run, "--final", "--groups", "4")) == 0
    assert {one.patient for one in Scores.load(run / "final").records} == set(last)


def test_what_is_finished_is_only_read(run, ptbxl):
    weights = run / "group-0" / "coarse" / "model" / "model.safetensors"
    before, said = weights.stat().st_mtime_ns, (run / "figures.json").read_bytes()
    assert main(command(ptbxl, run)) == 0
    assert (weights.stat().st_mtime_ns, (run / "figures.json").read_bytes()) == (before, said)


def made_by(run: Path, out: Path, signed: float) -> Path:
    """A finished ruler whose models say of every finding what its records say, or the contrary."""
    for group in ("group-0", "group-1"):
        scores = Scores.load(run / group)
        truth = [[name in one.tags for name in scores.names] for one in scores.records]
        told = signed * np.array(truth, np.float32)
        Scores(scores.names, scores.records, told).save(out / group)
    return out


def test_a_ruler_says_what_it_gains_over_another_on_the_same_recordings(
    run, ptbxl, capsys, tmp_path
):
    wrong, right = made_by(run, tmp_path / "wrong", -1), made_by(run, tmp_path / "right", 1)
    found = {one.prompt: one for one in gained([wrong], [right], ptbxl).findings}
    assert found["atrial fibrillation"].auc == Interval(1, 1, 1)
    same = gained([right], [right], ptbxl)
    assert {one.auc for one in (*same.findings, *same.means)} == {Interval(0, 0, 0)}
    asked = ["gain", "--ruler", str(right), "--over", str(wrong), "--real", str(ptbxl)]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "gain in macro AUC" in said
    assert "| atrial fibrillation | 40 | 10 | +1.000 (+1.000 to +1.000) |" in said


def told_in(figures: Path) -> list[float]:
    return [one["auc"]["value"] for one in json.loads(figures.read_text())["findings"]]


def test_a_ruler_of_several_seeds_is_one_for_each_and_their_means(
    run, ptbxl, tmp_path, caplog, capsys
):
    out = tmp_path / "seeds"
    assert main(command(ptbxl, out, "--seeds", "7", "8")) == 0
    folders = (out, out / "seed-7", out / "seed-8", run)
    means, seven, eight, alone = (told_in(one / "figures.json") for one in folders)
    assert means == pytest.approx(np.mean([seven, eight], axis=0))
    assert seven == alone != eight
    wrong = [made_by(run, tmp_path / "wrong" / f"seed-{seed}", -1) for seed in (7, 8)]
    right = [made_by(run, tmp_path / "right" / f"seed-{seed}", 1) for seed in (7, 9)]
    found = {
        one.prompt: one
        for one in gained([tmp_path / "wrong"], [tmp_path / "right"], ptbxl).findings
    }
    assert found["atrial fibrillation"].auc == Interval(1, 1, 1), "the seed that both have"
    assert "left out, for only one of the two has them: seed-8, seed-9" in caplog.text
    for folder, said in ((run, "without --seeds"), (out, "of several --seeds")):
        assert main(command(ptbxl, folder, *["--seeds", "7"] * (folder is run))) == 2
        assert said in capsys.readouterr().err
    shutil.rmtree(right[0])
    with pytest.raises(ConfigError, match="no seed that both have"):
        gained([tmp_path / "wrong"], [tmp_path / "right"], ptbxl)
    half = made_by(run, tmp_path / "half", 1)
    (half / "group-1" / "scored.json").unlink()
    with pytest.raises(ConfigError, match="needed the same of every seed"):
        gained([run, run], [wrong[0], half], ptbxl)


def test_what_second_readers_gain_over_the_first_alone_is_told_without_another_ruler(
    run, ptbxl, tmp_path, capsys
):
    out, second = tmp_path / "joined", tmp_path / "second.yaml"
    save_recipe(load_recipe("tiny", changes=FEW), second)
    drawn = ["--second", str(second), "--simulated", "40", "--seeds", "3"]
    assert main(command(ptbxl, out, *drawn)) == 0
    joined, first = (
        Scores.load(out / "seed-3" / one) for one in ("group-0", "first-alone/group-0")
    )
    assert joined.records == first.records
    assert np.abs(joined.log_odds - first.log_odds).max() > 0.01
    capsys.readouterr()
    assert main(["gain", "--ruler", str(out), "--real", str(ptbxl)]) == 0
    assert "gain in macro AUC" in capsys.readouterr().out
    assert main(["gain", "--ruler", str(run), "--real", str(ptbxl)]) == 2
    assert "or --over where no second readers" in capsys.readouterr().err
    several = gained([run, run], [run, run], ptbxl)
    assert {one.auc for one in several.findings} == {Interval(0, 0, 0)}
    with pytest.raises(ConfigError, match="found no folder nowhere"):
        gained([run], [tmp_path / "nowhere"], ptbxl)
    with pytest.raises(ConfigError, match="needed as many"):
        gained([run, run, run], [run, run], ptbxl)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--seeds", "7", "7"], "needed different numbers"),
        (["--seeds", "7", "--set", "seed=8"], "leave one of them out"),
        (["--seeds", "7", "--final", "--groups", "4"], "without effect with --final"),
    ],
)
def test_seeds_that_cannot_be_are_refused(run, ptbxl, capsys, more, said):
    assert main(command(ptbxl, run, *more)) == 2
    assert said in capsys.readouterr().err


def test_only_groups_that_both_rulers_have_are_compared_and_other_recordings_refused(
    run, ptbxl, tmp_path
):
    half, other = made_by(run, tmp_path / "half", 1), made_by(run, tmp_path / "other", 1)
    (half / "group-1" / "scored.json").unlink()
    assert {one.recordings for one in gained([run], [half], ptbxl).findings} == {20}
    scores = Scores.load(other / "group-1")
    Scores(scores.names, scores.records[1:], scores.log_odds[1:]).save(other / "group-1")
    for one in (other, tmp_path):
        with pytest.raises(ConfigError, match="or other recordings"):
            gained([run], [one], ptbxl)


def test_a_gain_is_not_told_without_what_both_rulers_were_made_from(run, ptbxl, capsys):
    asked = ["gain", "--ruler", str(run), "--over", str(run), "--real", str(ptbxl / "ptb-xl")]
    assert main(asked) == 2
    said = capsys.readouterr()
    assert "found no ptb-xl in 'ptb-xl'" in said.err and not said.out


@pytest.mark.parametrize("other", [["--groups", "4"], ["--set", "seed=8"], ["--simulated", "5"]])
def test_groups_of_another_ruler_are_not_taken_for_those_that_are_asked(run, ptbxl, capsys, other):
    assert main(command(ptbxl, run, *other)) == 2
    assert "give another --out" in capsys.readouterr().err


def test_the_judged_curves_are_laid_beside_a_checkpoint(run, ptbxl, tiny_checkpoint, tmp_path):
    copied = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    asked = ["--ruler", str(run), "--real", str(ptbxl), "--checkpoint", str(copied)]
    assert main(["combine", *asked]) == 0
    told = json.loads((run / "combination.json").read_text())
    assert {one["statement"] for one in told["judged"]} <= set(candidates())
    assert {one["statement"] for one in told["given"]} <= set(GIVEN)
    laid = load_combination(copied, Focal.load(copied).fingerprint)
    assert set(GIVEN) <= set(laid) <= {*candidates(), *GIVEN}
    assert all(laid[name] == GIVEN[name] for name in GIVEN)
    told, before = (Scores.load(one / "group-0") for one in (run / "measured", run))
    assert told.records == before.records and np.isfinite(told.log_odds).all()
    gained([run], [run / "measured"], ptbxl)


@pytest.mark.parametrize(("seen", "told"), [("mimic-iv-ecg", False), ("ptb-xl", True)])
def test_what_taught_the_curves_is_unseen_by_them_only_where_the_checkpoint_has_seen_others(
    run, ptbxl, tiny_checkpoint, tmp_path, seen, told
):
    copied = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    Seen.of([patient(seen, str(number)) for number in range(30)], ()).save(copied)
    asked = ["--ruler", str(run), "--real", str(ptbxl), "--checkpoint", str(copied)]
    assert main(["combine", *asked]) == 0
    found = json.loads((run / "combination.json").read_text())
    assert bool(found["on_unseen"]) == told and (told or not found["unseen"])


def test_a_curve_that_too_few_have_taught_is_not_held_against_others():
    name, present = "AV block", np.arange(40) % 2 == 0
    rows = Rows(np.zeros(40), np.where(present, 1.0, -1.0)[:, None], present)
    terms = terms_of(name)[:1]
    assert compared(name, [rows], [rows], terms)
    assert compared(name, [rows.of(~present)], [rows], terms) is None
    assert across(name, [rows, rows], [rows, rows], terms)
    assert across(name, [rows, rows.of(~present)], [rows, rows], terms) is None
    assert (rows.both(curve_of(name, rows)) != rows.own).all()
    assert (rows.both(curve_of(name, rows.of(~present))) == rows.own).all()


def test_curves_that_are_not_asked_for_stay_as_they_lie(
    run, ptbxl, tiny_checkpoint, tmp_path, capsys
):
    copied = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    stays, anew = "hypertrophy", "AV block"
    laid = {
        anew: Combined(0.5, 1.0, (replace(terms_of(anew)[0], weight=7.0),)),
        stays: Combined(0.4, -0.3, (replace(terms_of(stays)[0], weight=0.8),), Unseen(9, 3, 0.7)),
    }
    write(laid, copied, Focal.load(copied).fingerprint())
    asked = ["--ruler", str(run), "--real", str(ptbxl), "--checkpoint", str(copied), "--only"]
    before = (copied / COMBINATION).read_text()
    assert main(["combine", *asked, "no statement"]) == 2
    assert "found no statement; needed statements of combination.yaml" in capsys.readouterr().err
    assert (copied / COMBINATION).read_text() == before
    write(laid, copied, "another one")
    assert main(["combine", *asked, anew]) == 2
    assert "found no curves beside 'checkpoint' that were made for it" in capsys.readouterr().err
    write(laid, copied, Focal.load(copied).fingerprint())
    assert main(["combine", *asked, anew]) == 0
    told = load_combination(copied, Focal.load(copied).fingerprint)
    assert told[stays] == laid[stays] and told.get(anew) != laid[anew]
    assert set(told) <= {*laid, *GIVEN}


def test_pairs_of_two_models_do_not_count():
    rng = np.random.default_rng(0)
    truth, score = rng.random(60) < 0.4, rng.normal(size=60)
    group, ones = np.repeat([0, 1], 30), np.ones((1, 60))
    [found] = auc_within(truth, score + 100 * group, group, ones)
    parts = [slice(30), slice(30, 60)]
    pairs = [truth[part].sum() * (~truth[part]).sum() for part in parts]
    each = [auc(truth[part], score[part]) for part in parts]
    assert found == pytest.approx(np.average(each, weights=pairs))
    assert auc_within(truth, score, np.zeros(60, int), ones)[0] == pytest.approx(auc(truth, score))


def planted(*, telling: bool, count: int = 240) -> tuple[Scores, list[Measured]]:
    """Records whose first degree AV block the model guesses, and PR tells, or does not."""
    rng = np.random.default_rng(1)
    blocked = rng.random(count) < 0.2
    known = blocked if telling else rng.random(count) < 0.2
    pr_ms = np.where(known, 230, 160) + rng.normal(0, 10, count)
    names = tuple(load_names())
    log_odds = rng.normal(blocked[:, None] * 0.5, 1, (count, len(names))).astype(np.float32)
    records = tuple(
        Record("ptb-xl", str(n), str(n), ("first degree AV block",) * int(one), n % 4)
        for n, one in enumerate(blocked)
    )
    none = np.zeros((0, 2))
    found = [
        Measured(Measurements(pr_ms=Measurement(float(one))), Waves(none, none, none, np.zeros(0)))
        for one in pr_ms
    ]
    return Scores(names, records, log_odds), found


def load_names() -> list[str]:
    from train.benchmark.out_of_fold import asked_names

    return list(asked_names())


def test_a_measurement_joins_where_it_tells_and_stays_out_where_it_does_not(tmp_path):
    kept = combinations(list(judged(*planted(telling=True), "ptb-xl", draws=200)))
    assert {"first degree AV block", "AV block"} <= set(kept)
    assert not combinations(list(judged(*planted(telling=False), "ptb-xl", draws=200)))
    write(kept, tmp_path, "this one")
    again = load_combination(tmp_path, lambda: "this one")["first degree AV block"]
    assert again.terms[0].weight == pytest.approx(
        kept["first degree AV block"].terms[0].weight, abs=1e-3
    )
    write({}, tmp_path, "this one")
    assert not (tmp_path / COMBINATION).exists()


def test_a_curve_that_is_given_is_held_against_the_model_as_it_stands():
    scores, found = planted(telling=True)
    records = tuple(
        replace(one, tags=("prolonged PR interval",) * len(one.tags)) for one in scores.records
    )
    (told,) = given(replace(scores, records=records), found, draws=200)
    assert told.statement == "prolonged PR interval" and told.combined == GIVEN[told.statement]
    assert told.both > 0.99 > told.model and told.helps


def test_other_sources_are_judged_by_curves_of_the_teacher_where_no_voltage_joins():
    scores, found = planted(telling=True)
    records = tuple(
        replace(one, source="ludb" if n % 3 else "ptb-xl") for n, one in enumerate(scores.records)
    )
    both = {
        one.statement: one
        for one in judged(replace(scores, records=records), found, "ptb-xl", draws=200)
    }
    taught = [n for n, one in enumerate(records) if one.source == "ptb-xl"]
    alone = Scores(scores.names, tuple(records[n] for n in taught), scores.log_odds[taught])
    own = {
        one.statement: one for one in judged(alone, [found[n] for n in taught], "ptb-xl", draws=200)
    }
    block = "first degree AV block"
    assert both[block].helps and both[block].combined == own[block].combined
    assert both[block].recordings == len(records) and own[block].recordings == len(taught)
    assert "conduction disturbance" in own and "conduction disturbance" not in both


def test_a_ruler_of_another_recipe_is_refused_where_one_is_finished(run, ptbxl, capsys):
    assert main(command(ptbxl, run, "--set", "coarse.batch=8")) != 0
    assert main(command(ptbxl, run, "--simulated", "5")) != 0
    said = capsys.readouterr().err
    assert said.count("was made by another recipe") == 2


def test_a_tag_encoder_that_cannot_be_taken_is_refused_before_anything_is_made(
    ptbxl, tiny_checkpoint, tmp_path, capsys
):
    out, empty = tmp_path / "run", tmp_path / "empty"
    empty.mkdir()
    assert main(command(ptbxl, out, "--text", str(empty))) != 0
    assert "found no config.json" in capsys.readouterr().err
    untuned = load_recipe("paper")
    with pytest.raises(ConfigError, match="tunes no tag encoder"):
        Ruler(recipe=untuned, real=ptbxl, out=out, simulated=4, text=tiny_checkpoint)
    assert not out.exists()


def test_an_unfinished_ruler_or_no_data_is_told_before_a_checkpoint_is_touched(
    run, ptbxl, tiny_checkpoint, tmp_path, capsys
):
    copied = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    (copied / COMBINATION).write_text("as it was")
    half = shutil.copytree(run, tmp_path / "half")
    (half / "figures.json").unlink()
    (half / "group-1" / "scored.json").unlink()
    for ruler, real, said in (
        (half, ptbxl, "found no finished ruler"),
        (run, tmp_path, "found no ptb-xl"),
    ):
        asked = ["--ruler", str(ruler), "--real", str(real), "--checkpoint", str(copied)]
        assert main(["combine", *asked]) != 0
        assert said in capsys.readouterr().err
    assert (copied / COMBINATION).read_text() == "as it was"


@pytest.mark.parametrize("file", ("scored.json", "log_odds.safetensors", "measured.json"))
def test_scores_and_measurements_that_were_cut_are_refused(
    run, ptbxl, tiny_checkpoint, tmp_path, capsys, file
):
    checkpoint = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    out = shutil.copytree(run, tmp_path / "ruler")
    path = out / "group-0" / file
    whole = path.read_bytes() if path.is_file() else b'{"values": {}}'
    path.write_bytes(whole[: len(whole) // 2])
    given = ["--ruler", str(out), "--real", str(ptbxl), "--checkpoint", str(checkpoint)]
    assert main(["combine", *given]) == 2
    assert "that is whole and as it was written" in capsys.readouterr().err
