"""Simulated recordings against real ones, normal and not: the same sizes, the same times."""

import ast
import csv
from pathlib import Path

import numpy as np
import pytest
import wfdb

from train.simulate import simulate
from train.simulate.fit_anatomy import MedianBeat, fit_shape, median_beat
from train.simulate.heart import copy_of, stretch_qrs
from train.simulate.hypertrophy import left_ventricle
from train.simulate.measure import ROW, Ruler, rows
from train.simulate.patient_with_states import draw_patient_with
from train.simulate.projection import BASE_LEADS
from train.simulate.sampling import check


def _sizes(beat: MedianBeat) -> np.ndarray:
    """R and S of the eight leads, in mV."""
    first, last = round(beat.onset_s * 500), round(beat.offset_s * 500)
    qrs = beat.base_mv[:, first:last]
    return np.array([*qrs.max(1), *qrs.min(1)])


def _measures(beat: MedianBeat) -> np.ndarray:
    """Sizes, QRS duration and T peak (at 60 a minute) in s."""
    shape = fit_shape(beat)
    assert shape is not None
    return np.array([*_sizes(beat), shape.qrs_s, shape.t_peak_s])


def _real(folder: Path, code: str, count: int) -> list[MedianBeat]:
    found = []
    with (folder / "ptbxl_database.csv").open(newline="") as table:
        for row in csv.DictReader(table):
            has = code in ast.literal_eval(row["scp_codes"])
            if not has or int(row["strat_fold"]) > 6 or len(found) == count:
                continue
            signal_mv, _ = wfdb.rdsamp(str(folder / row["filename_hr"]))
            beat = None if signal_mv is None else median_beat(signal_mv.T)
            found += [] if beat is None else [beat]
    return found


@pytest.fixture(scope="module")
def real(shared_ecg: Path) -> np.ndarray:
    return np.array([_measures(beat) for beat in _real(shared_ecg / "ptb-xl", "NORM", 80)])


def _drawn(state: str, count: int) -> list[MedianBeat]:
    beats = [
        median_beat(simulate(k, states={state}).ecg.signal_mv.astype(float)) for k in range(count)
    ]
    return [beat for beat in beats if beat is not None]


@pytest.fixture(scope="module")
def drawn() -> np.ndarray:
    return np.array([_measures(beat) for beat in _drawn("normal ECG", 80)])


def test_medians_lie_inside_the_middle_half_of_real_ones(
    real: np.ndarray, drawn: np.ndarray
) -> None:
    low, high = np.percentile(real, [20, 80], axis=0)
    middle = np.median(drawn, axis=0)
    assert ((middle >= low) & (middle <= high)).all()


def test_patients_vary_as_much_as_real_ones(real: np.ndarray, drawn: np.ndarray) -> None:
    ratio = np.subtract(*np.percentile(drawn, [80, 20], axis=0)) / np.subtract(
        *np.percentile(real, [80, 20], axis=0)
    )
    assert 0.6 < np.median(ratio) < 1.4


def _rulers(state: str) -> list[Ruler]:
    """What is measured on the hearts of forty patients who come to a clinic with it, at most."""
    drawings = [draw_patient_with(check([state]), seed=k, attempt=0, frail=True) for k in range(60)]
    return [drawing.ruler for drawing in drawings if drawing is not None][:40]


@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("IMI", "old inferior myocardial infarction"),
        ("IRBBB", "incomplete right bundle branch block"),
        ("LVH", "left ventricular hypertrophy"),
    ],
)
def test_diseases_are_drawn_as_large_as_they_are(shared_ecg: Path, code: str, state: str) -> None:
    """Of the medians of R and S in eight leads nearly all lie in the 20th to 80th percentile."""
    real = [_sizes(beat) for beat in _real(shared_ecg / "ptb-xl", code, 80)]
    low, high = np.percentile(real, [20, 80], axis=0)
    eight = rows(*BASE_LEADS)
    drawn = [[*r.r[eight], *-np.maximum(r.s, r.q)[eight]] for r in _rulers(state)]
    middle = np.median(drawn, axis=0)
    assert ((middle >= low) & (middle <= high)).mean() >= 0.85


def test_first_forces_of_a_fascicular_block_are_small() -> None:
    """q in aVL and r in III: 0.09 and 0.11 mV in fifteen of PTB-XL's folds 1 to 6."""
    rulers = _rulers("left anterior fascicular block")
    assert 0.05 < np.median([ruler.q[ROW["aVL"]] for ruler in rulers]) < 0.2
    assert 0.05 < np.median([ruler.r[ROW["III"]] for ruler in rulers]) < 0.2


def test_s_stays_deep_over_an_anteroseptal_scar() -> None:
    """Real ones have 1.0 mV in V2 and V3, at a normal or slightly raised ST."""
    rulers = _rulers("old anteroseptal myocardial infarction")
    deep = np.array([np.maximum(ruler.s, ruler.q)[rows("V2", "V3")] for ruler in rulers])
    assert (np.median(deep, axis=0) > 0.85).all()
    assert np.median([ruler.st[ROW["V2"]] for ruler in rulers]) < 0.12


def test_hypertrophy_moves_the_t_wave_with_the_end_of_qrs() -> None:
    """Real T peaks as late after QRS as in health: 223 ms in 19 of PTB-XL, 226 in 221 normal."""
    shapes = [
        [fit_shape(beat) for beat in _drawn(state, 60)]
        for state in ("normal ECG", "left ventricular hypertrophy")
    ]
    well, thick = (np.median([s.t_peak_s - s.qrs_s for s in some if s]) for some in shapes)
    assert abs(thick - well) < 0.006


def test_the_waves_of_hypertrophy_end_where_its_qrs_is_said_to() -> None:
    """A long QRS is drawn no longer than it is said to be."""
    drawing = draw_patient_with(check(["normal ECG"]), seed=0, attempt=0, frail=False)
    assert drawing is not None
    heart = drawing.heart
    stretch_qrs(heart, 0.115)
    before = max(item.at_s for item in heart.qrs) / heart.qrs_s
    for seed in range(5):
        thick = copy_of(heart)
        left_ventricle(thick, np.random.default_rng(seed), gain=1.5, strain=False)
        assert max(item.at_s for item in thick.qrs) / thick.qrs_s == pytest.approx(before)
