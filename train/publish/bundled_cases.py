"""The bundled cases of the app: simulated, typical, each a WFDB pair with its tags.

python -m train cases
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import wfdb

from focal_app.ecg.recording import ECG
from focal_app.lexicon import load_lexicon
from train.simulate import VOCABULARY, simulate

CASES = Path(__file__).parents[2] / "assets" / "cases"


@dataclass(frozen=True)
class Recipe:
    """Which patient and which states make a case, and how it is presented."""

    name: str
    title: str
    description: str
    seed: int
    states: tuple[str, ...]


RECIPES = (
    Recipe(
        "normal",
        "Normal ECG",
        "Sinus rhythm, normal intervals and axis: what the other cases are compared with.",
        11,
        ("normal ECG",),
    ),
    Recipe(
        "atrial-fibrillation",
        "Atrial fibrillation",
        "No P waves, a fine wavy baseline, QRS complexes at irregular distances.",
        12,
        ("atrial fibrillation",),
    ),
    Recipe(
        "inferior-infarction",
        "Acute inferior infarction",
        "ST elevation in II, III and aVF with its mirror image in I and aVL.",
        13,
        ("acute inferior myocardial infarction",),
    ),
    Recipe(
        "anteroseptal-infarction",
        "Old anteroseptal infarction",
        "Q waves and lost R waves in V1 to V4, T waves still inverted there.",
        73,
        ("old anteroseptal myocardial infarction",),
    ),
    Recipe(
        "left-bundle-branch-block",
        "Left bundle branch block",
        "Wide QRS, QS complexes in V1 and V2, broad R waves in I, V5 and V6.",
        14,
        ("complete left bundle branch block",),
    ),
    Recipe(
        "right-bundle-branch-block",
        "Right bundle branch block",
        "RSR' pattern in V1 to V3 and broad S waves in I, V5 and V6.",
        15,
        ("complete right bundle branch block",),
    ),
    Recipe(
        "hypertrophy",
        "Left ventricular hypertrophy",
        "High voltages, with ST depression and inverted T waves in the lateral leads.",
        16,
        ("left ventricular hypertrophy with strain",),
    ),
    Recipe(
        "complete-heart-block",
        "Third degree AV block",
        "P waves and QRS complexes each at their own rate.",
        20,
        ("third degree AV block",),
    ),
)


def write_cases(folder: Path = CASES) -> None:
    """Draw every case and write it with the index that the app reads."""
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for recipe in RECIPES:
        drawn = simulate(recipe.seed, states=recipe.states)
        write_wfdb(drawn.ecg, recipe.name, folder)
        listed = {k: v for k, v in asdict(recipe).items() if k not in ("seed", "states")}
        index.append({**listed, "tags": drawn.tags, "absent": absent_features(drawn.tags)})
    written = json.dumps(index, indent=2, ensure_ascii=False)
    (folder / "index.json").write_text(written + "\n", encoding="utf-8")


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
