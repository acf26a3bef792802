"""Simulated normal recordings against real ones: the same sizes, the same times."""

import ast
import csv
from pathlib import Path

import numpy as np
import pytest
import wfdb

from train.simulate import simulate
from train.simulate.fit_anatomy import MedianBeat, fit_shape, median_beat


def _measures(beat: MedianBeat) -> np.ndarray:
    """R and S of the eight leads in mV, QRS duration and T peak (at 60 a minute) in s."""
    first, last = round(beat.onset_s * 500), round(beat.offset_s * 500)
    qrs = beat.base_mv[:, first:last]
    shape = fit_shape(beat)
    assert shape is not None
    return np.array([*qrs.max(1), *qrs.min(1), shape.qrs_s, shape.t_peak_s])


def _real_normals(folder: Path, count: int) -> list[MedianBeat]:
    found = []
    with (folder / "ptbxl_database.csv").open(newline="") as table:
        for row in csv.DictReader(table):
            normal = "NORM" in ast.literal_eval(row["scp_codes"])
            if not normal or int(row["strat_fold"]) > 6 or len(found) == count:
                continue
            signal_mv, _ = wfdb.rdsamp(str(folder / row["filename_hr"]))
            beat = None if signal_mv is None else median_beat(signal_mv.T)
            found += [] if beat is None else [beat]
    return found


@pytest.fixture(scope="module")
def real(shared_ecg: Path) -> np.ndarray:
    return np.array([_measures(beat) for beat in _real_normals(shared_ecg / "ptb-xl", 80)])


@pytest.fixture(scope="module")
def drawn() -> np.ndarray:
    beats = [
        median_beat(simulate(k, states={"normal ECG"}).ecg.signal_mv.astype(float))
        for k in range(80)
    ]
    return np.array([_measures(beat) for beat in beats if beat is not None])


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
