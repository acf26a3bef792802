"""Simulated cases of every finding, in patients whom it fits, for a gallery to be built from.

python -m train gallery-cases --count 340 --out runs/gallery-cases
python -m focal_app gallery build --source folder --data runs/gallery-cases --out assets/gallery
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.teaching_lines import Usual, usual_patient
from train.publish.bundled_cases import write_wfdb
from train.simulate import STATES, SimulatedECG, simulate

SOURCE, LICENCE = "FOCAL Explorer's simulator", "MIT"
PATIENTS_APART = 100_000
"""Seeds of one case and of those that the training draws lie in different hundred thousands."""
_AGES = {
    "acute ": "acute myocardial infarction",
    "old ": "old myocardial infarction",
}
_STRAIN = " with strain"


def write_gallery_cases(folder: Path, *, count: int, seed: int) -> None:
    """Draw `count` cases, one state after the other, and write them with their list."""
    if count < len(STATES):
        raise ConfigError(f"found a count of {count}; needed at least {len(STATES)}, one a state")
    folder.mkdir(parents=True, exist_ok=True)
    states = sorted(STATES)
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as lines:
        for number in tqdm(range(count), desc="cases", unit="ECG", mininterval=5):
            state = states[number % len(states)]
            drawn = _fitting(state, number, count=count, seed=seed)
            name = f"simulated-{number:04d}"
            write_wfdb(drawn.ecg, name, folder)
            lines.write(json.dumps(_listed(name, state, drawn)) + "\n")


def shown_by(state: str) -> tuple[str, ...]:
    """The statements for which a case of a state stands, as the lexicon names them.

    An infarction of a wall that is acute or old, which the lexicon knows as two statements, is
    both; so is a hypertrophy with strain.
    """
    lexicon = load_lexicon()
    if state in lexicon:
        return (state,)
    for word, age in _AGES.items():
        if state.startswith(word):
            return state.removeprefix(word), age
    return state.removesuffix(_STRAIN), "right ventricular strain"


def _fitting(state: str, number: int, *, count: int, seed: int) -> SimulatedECG:
    """The first patient, of those that the seeds give, whom the state fits and in whom it shows."""
    shows, chance = shown_by(state), np.random.default_rng([seed, number])
    usual = usual_patient(shows)
    if usual is None:
        raise ConfigError(f"found nothing on who has {state!r}; add it to assets/teaching.yaml")
    sex = "female" if chance.random() < usual.women else "male"
    for attempt in range(PATIENTS_APART // count):
        drawn = simulate(seed * PATIENTS_APART + number + attempt * count, states=(state,))
        if _fits(drawn, usual, sex) and {*shows} <= load_lexicon().with_implied(drawn.tags):
            return drawn
    raise ConfigError(
        f"found no {sex} patient of {usual.ages[0]} to {usual.ages[1]} years who shows {state!r}; "
        "take another seed, or widen the ages in assets/teaching.yaml"
    )


def _fits(drawn: SimulatedECG, usual: Usual, sex: str) -> bool:
    facts, (youngest, oldest) = drawn.ecg.source, usual.ages
    age = facts.age_years
    return facts.sex == sex and age is not None and youngest <= age <= oldest


def _listed(name: str, state: str, drawn: SimulatedECG) -> dict[str, Any]:
    facts = drawn.ecg.source
    return {
        "file": f"{name}.hea",
        "key": name,
        "labels": drawn.tags,
        "shows": shown_by(state),
        "report": f"Simulated: {state}.",
        "sex": facts.sex,
        "age_years": facts.age_years,
        "source": SOURCE,
        "licence": LICENCE,
    }
