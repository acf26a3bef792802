"""Simulated cases of every finding, as a folder that a gallery is built from.

python -m train gallery-cases --count 340 --out runs/gallery-cases
python -m focal_app gallery build --source folder --data runs/gallery-cases --out assets/gallery
"""

import json
from pathlib import Path
from typing import Any

from tqdm import tqdm

from focal_app.errors import ConfigError
from train.publish.bundled_cases import write_wfdb
from train.simulate import STATES, SimulatedECG, simulate

SOURCE, LICENCE = "FOCAL Explorer's simulator", "MIT"
PATIENTS_APART = 100_000
"""Seeds of one case and of those that the training draws lie in different hundred thousands."""


def write_gallery_cases(folder: Path, *, count: int, seed: int) -> None:
    """Draw `count` cases, one state after the other, and write them with their list."""
    if count < len(STATES):
        raise ConfigError(f"found a count of {count}; needed at least {len(STATES)}, one a state")
    folder.mkdir(parents=True, exist_ok=True)
    states = sorted(STATES)
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as lines:
        for number in tqdm(range(count), desc="cases", unit="ECG", mininterval=5):
            state = states[number % len(states)]
            drawn = simulate(seed * PATIENTS_APART + number, states=(state,))
            name = f"simulated-{number:04d}"
            write_wfdb(drawn.ecg, name, folder)
            lines.write(json.dumps(_listed(name, state, drawn)) + "\n")


def _listed(name: str, state: str, drawn: SimulatedECG) -> dict[str, Any]:
    facts = drawn.ecg.source
    return {
        "file": f"{name}.hea",
        "key": name,
        "labels": drawn.tags,
        "report": f"Simulated: {state}.",
        "sex": facts.sex,
        "age_years": facts.age_years,
        "source": SOURCE,
        "licence": LICENCE,
    }
