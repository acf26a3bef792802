"""Benches that read a ruler, and one that holds drawn ECGs against real ones."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.model.delineator import Delineator
from tests.benchmarks import bottleneck, percentages, simulated
from train.benchmark.out_of_fold import Record, Scores, asked_names
from train.benchmark.ruler import columns
from train.data.ptbxl import PtbXl
from train.simulate import simulate

SURE = 8.0


@pytest.fixture(scope="module")
def right(ptbxl: Path) -> Scores:
    """Every recording of the stand-in, told as its tags say, in two groups."""
    names, records = asked_names(), []
    for study in PtbXl(ptbxl / "ptb-xl").studies(simulated.Counter()):
        stored = study.read(simulated.Counter())
        assert stored
        group = int(study.key) // 4 % 2
        records.append(Record("ptb-xl", study.key, study.subject, stored.tags, group))
    blank = Scores(names, tuple(records), np.full((len(records), len(names)), -SURE, np.float32))
    for column in columns(blank, ptbxl / "ptb-xl"):
        at = names.index(column.prompt)
        blank.log_odds[column.rows, at] = np.where(column.truth, SURE, -SURE)
    return blank


def kept(scores: Scores, folder: Path) -> Path:
    """A finished ruler that says so, alone and with measurements."""
    for group in (0, 1):
        own = scores.of([one.group == group for one in scores.records])
        for place in (folder, folder / "measured"):
            own.save(place / f"group-{group}")
    return folder


def test_a_ruler_that_is_right_errs_nowhere_and_one_that_is_wrong_everywhere(
    right, ptbxl, tmp_path
):
    wrong = replace(right, log_odds=-right.log_odds)
    for name, scores, least, most in (("right", right, 0, 0.01), ("wrong", wrong, 0.95, 1)):
        shown = percentages.of_ruler(kept(scores, tmp_path / name), ptbxl / "ptb-xl")
        alone = {line.split("|")[1].strip(): line.split("|")[3] for line in shown.splitlines()[4:]}
        for label in ("MI", "STTC", "CD", "HYP"):
            assert least <= float(alone[label].split()[0]) <= most, (name, label)
    with pytest.raises(ConfigError, match="found no finished group"):
        percentages.of_ruler(tmp_path, ptbxl / "ptb-xl")


def test_a_probe_tells_a_group_by_what_the_others_taught(right, ptbxl):
    asked = [one for one in columns(right, ptbxl / "ptb-xl") if not one.few]
    column = next(one for one in asked if one.prompt == "atrial fibrillation")
    seen = np.random.default_rng(0).normal(size=(len(right.records), 3)).astype(np.float32)
    seen[column.rows, 0] += 9 * column.truth
    at, own = right.names.index(column.prompt), np.array([one.group for one in right.records])
    told = bottleneck.probed(right, [column], seen)[:, at]
    for group in (0, 1):
        its = own[column.rows] == group
        has, lacks = (told[column.rows[its & one]] for one in (column.truth, ~column.truth))
        assert has.min() > lacks.max()
    turned = replace(column, truth=np.where(own[column.rows] == 0, ~column.truth, column.truth))
    again = bottleneck.probed(right, [turned], seen)[:, at]
    assert (again[own == 0] == told[own == 0]).all() and (again[own == 1] != told[own == 1]).all()


def test_the_bottleneck_of_a_lead_stands_in_its_own_place():
    case = load_case("normal")
    delineator = Delineator.load()
    found = bottleneck.deepest(delineator, case).reshape(len(LEADS), -1)
    turned = replace(case, leads=case.leads[::-1], signal_mv=case.signal_mv[::-1])
    assert np.allclose(bottleneck.deepest(delineator, turned).reshape(found.shape), found)
    assert found.any(axis=1).all()


def test_drawn_ecgs_are_held_against_the_middle_of_real_ones(ptbxl, capsys, monkeypatch):
    noise = np.random.default_rng(0).normal(0, 0.01, (12, 5000)).astype(np.float32)
    still = replace(simulate(1).ecg, signal_mv=noise)
    assert simulated.noise_uv(still) == pytest.approx(10, rel=0.05)
    source = PtbXl(ptbxl / "ptb-xl", (7, 8), ())
    judged = [study.split for study in source.studies(simulated.Counter())]
    monkeypatch.setattr("sys.argv", ["simulated", "--real", str(ptbxl), "--drawn", "5"])
    simulated.main()
    said = capsys.readouterr().out
    of_all = next(line for line in said.splitlines() if line.startswith("| all | noise_uv"))
    assert f"; {judged.count('train')}) | " in of_all and "; 5) | " in of_all
    assert "first degree AV block | pr_ms" not in said
    assert "medians of drawn ones lie inside of the real" in said
