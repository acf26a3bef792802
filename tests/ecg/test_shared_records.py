"""Every real recording beside the project is read, judged and prepared."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare, window_starts
from focal_app.ecg.quality import quality_warnings
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec

SPEC = SignalSpec()
FOLDERS = {
    "ptb-xl/records500": 344,
    "ptb-xl/records100": 40,
    "ludb/data": 100,
    "challenge": 32,
    "code15": 60,
}
REVERSAL, SPIKES = "Possible reversal", "Single samples jump"


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_recording_is_read_and_prepared(shared_ecg: Path, folder: str) -> None:
    headers = sorted((shared_ecg / folder).rglob("*.hea"))
    assert len(headers) == FOLDERS[folder]
    for header in headers:
        ecg = read_recording([header])
        assert ecg.leads == LEADS
        assert 0.5 < np.ptp(ecg.signal_mv, axis=1).max() < 60
        assert not any("checksum" in note for note in ecg.notes)
        warnings = quality_warnings(completed(ecg))
        assert not any(REVERSAL in warning or SPIKES in warning for warning in warnings)
        for start_s in window_starts(ecg, SPEC):
            prepared = prepare(ecg, SPEC, start_s=start_s)
            assert np.isfinite(prepared.signal).all()
            recorded = min(10, int(ecg.duration_s + 0.5))
            assert prepared.seen.sum() >= 12 * recorded - 1


def test_challenge_headers_give_age_sex_and_codes(shared_ecg: Path) -> None:
    facts = [read_recording([path]).source for path in (shared_ecg / "challenge").glob("*.mat")]
    assert all(fact.age_years is not None and fact.sex in ("male", "female") for fact in facts)
    assert all(fact.codes and fact.format == "challenge .mat" for fact in facts)


def test_ludb_and_code15_headers_give_age_and_sex(shared_ecg: Path) -> None:
    for folder in ("ludb/data", "code15"):
        for header in (shared_ecg / folder).glob("*.hea"):
            facts = read_recording([header]).source
            assert facts.sex in ("male", "female")
            assert facts.codes == ()


def test_both_rates_of_a_record_prepare_alike(shared_ecg: Path) -> None:
    for low in sorted((shared_ecg / "ptb-xl/records100").rglob("*.hea"))[:10]:
        high = Path(str(low).replace("records100", "records500").replace("_lr", "_hr"))
        slow, fast = (prepare(read_recording([path]), SPEC).signal for path in (low, high))
        inner = slice(100, -100)
        assert np.corrcoef(slow[:, inner].ravel(), fast[:, inner].ravel())[0, 1] > 0.98


@pytest.mark.parametrize("folder", ["ptb-xl/records500", "ludb/data"])
def test_most_arm_reversals_made_in_software_are_found(shared_ecg: Path, folder: str) -> None:
    found = []
    for header in sorted((shared_ecg / folder).rglob("*.hea"))[:100]:
        ecg = read_recording([header])
        signal = ecg.signal_mv[[0, 2, 1, 4, 3, *range(5, 12)]]
        signal[0] *= -1
        warnings = quality_warnings(completed(replace(ecg, signal_mv=signal)))
        found.append(any(REVERSAL in warning for warning in warnings))
    assert np.mean(found) > 0.55
