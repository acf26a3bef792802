"""A file whose chest leads are flat, as a real EDF has them: measured, not read by the model."""

import json
from dataclasses import replace
from pathlib import Path

import hospital_files
import pytest

from focal_app.__main__ import main
from focal_app.explore.reading.bundled_cases import load_case


@pytest.fixture(params=["made", "real"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "real":
        return request.getfixturevalue("shared_ecg") / "formats" / "edf" / "contec-0000050.edf"
    ecg = load_case("normal")
    signal = ecg.signal_mv.copy()
    signal[6:] = 0
    made = tmp_path / "ecg.edf"
    made.write_bytes(hospital_files.edf(replace(ecg, signal_mv=signal)))
    return made


def test_it_is_measured_and_says_why_the_model_does_not_read_it(
    path: Path, tiny_checkpoint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", str(path), "--checkpoint", str(tiny_checkpoint), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["record"]["format"], told["findings"]) == ("EDF", [])
    assert told["not_read"].startswith("found 6 leads with signal (I, II, III, aVR, aVL and aVF)")
    assert "Flat: V1, V2, V3, V4, V5 and V6" in told["warnings"][0]
    measured = told["measurements"]
    assert 40 < measured["rate_per_min"]["value"] < 150
    assert 60 < measured["qrs_ms"]["value"] < 120
    assert measured["sokolow_lyon_mv"]["value"] is None
