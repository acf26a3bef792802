"""The bundled cases of the app: simulated, typical, each a WFDB pair with its tags.

python -m train cases
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import wfdb

from focal_app.ecg.recording import ECG
from focal_app.lexicon import load_lexicon
from train.simulate import VOCABULARY, simulate

CASES = Path(__file__).parents[2] / "assets" / "cases"


DRAWN = {
    "normal": (11, "normal ECG"),
    "atrial-fibrillation": (12, "atrial fibrillation"),
    "inferior-infarction": (13, "acute inferior myocardial infarction"),
    "anteroseptal-infarction": (73, "old anteroseptal myocardial infarction"),
    "left-bundle-branch-block": (14, "complete left bundle branch block"),
    "right-bundle-branch-block": (15, "complete right bundle branch block"),
    "hypertrophy": (16, "left ventricular hypertrophy with strain"),
    "complete-heart-block": (20, "third degree AV block"),
}
"""By the name of a case its patient, as a seed, and the state that is drawn in it."""


def write_cases() -> None:
    """Draw every case of the app's index, whose titles and descriptions stay, and note its tags."""
    path, index = CASES / "index.json", []
    for case in json.loads(path.read_text(encoding="utf-8")):
        seed, state = DRAWN[case["name"]]
        drawn = simulate(seed, states=(state,))
        write_wfdb(drawn.ecg, case["name"], CASES)
        index.append({**case, "tags": drawn.tags, "absent": absent_features(drawn.tags)})
    written = json.dumps(index, indent=2, ensure_ascii=False)
    path.write_text(written + "\n", encoding="utf-8")


def absent_features(tags: Sequence[str]) -> tuple[str, ...]:
    """Waveform features of the lexicon that truly do not show where these tags hold."""
    lexicon = load_lexicon()
    present = set(tags).union(*(lexicon.ancestors(tag) for tag in tags))
    named = {feature for statement in lexicon for feature in statement.features}
    return tuple(sorted((named & VOCABULARY) - present))


def write_wfdb(ecg: ECG, name: str, folder: Path) -> None:
    """An ECG as a 16-bit WFDB pair, one microvolt a step; the header says that it is simulated."""
    signal_mv = np.nan_to_num(ecg.signal_mv.astype(float))
    wfdb.wrsamp(
        name,
        fs=ecg.sampling_rate_hz,
        units=["mV"] * len(ecg.leads),
        sig_name=list(ecg.leads),
        d_signal=np.rint(signal_mv * 1000).clip(-32767, 32767).astype(np.int16).T,
        fmt=["16"] * len(ecg.leads),
        adc_gain=[1000.0] * len(ecg.leads),
        baseline=[0] * len(ecg.leads),
        comments=[f"Age: {ecg.source.age_years}", f"Sex: {ecg.source.sex}", "simulated"],
        write_dir=str(folder),
    )
