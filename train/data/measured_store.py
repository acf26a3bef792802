"""What was measured on the records of some shards, kept on disk: measuring takes 0.1 s a record.

found = measured_on(shards, keys, folder / "measured.json")
"""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import focal_app
from focal_app.ecg.complete import completed
from focal_app.ecg.early_beats import EarlyBeats
from focal_app.ecg.measured import Measured
from focal_app.ecg.measurements import Measurement, Measurements, Waves
from focal_app.model.measuring import measured
from train.data.fingerprint import TRAIN, fingerprint
from train.data.shards import Shards
from train.data.verified_files import write_whole
from train.read_back import read_json_back

WINDOW_S = 10.0
MORE = ("p_share", "spikes_seen", "unrelated_p_per_min")
ASSETS = TRAIN.parent / "assets" / "delineator"


def measured_on(shards: Sequence[Shards], split: str, path: Path) -> dict[str, Measured]:
    """By source and key, what the first window of every record of a split shows.

    What other code or another delineator measured there is measured again.
    """
    made_from = fingerprint(files=measuring_files())
    written: dict[str, Any] = (
        read_json_back(path, "delete it, and it is measured again") if path.is_file() else {}
    )
    if written.get("made_from") != made_from:
        told = {
            f"{one.name}/{one.keys[int(row)]}": _plain(
                measured(completed(one.ecg(int(row))), duration_s=WINDOW_S)
            )
            for one in shards
            for row in one.rows(split)
        }
        written = {"made_from": made_from, "measured": told}
        write_whole(path, json.dumps(written))
    return {name: _measured(values) for name, values in written["measured"].items()}


def measuring_files() -> list[Path]:
    """The files that decide what is measured on a recording."""
    app = Path(focal_app.__file__).parent
    model = [app / "model" / name for name in ("measuring.py", "delineator.py")]
    return [*(app / "ecg").glob("*.py"), *model, *ASSETS.glob("*.safetensors")]


def _plain(found: Measured) -> dict:
    values = {
        field.name: getattr(found.measurements, field.name).value
        for field in dataclasses.fields(found.measurements)
    }
    more = {name: getattr(found, name) for name in MORE}
    early = found.early and dataclasses.astuple(found.early)
    return {"values": values, "beats": found.beats, "early": early, **more}


def _measured(told: dict) -> Measured:
    """The same without its waves, of which the number of beats is left."""
    beats = np.full((told["beats"], 2), np.nan)
    values = {name: Measurement(value) for name, value in told["values"].items()}
    waves = Waves(beats, beats, beats, np.zeros(0))
    early = told["early"] and EarlyBeats(*told["early"])
    return Measured(
        Measurements(**values), waves, early=early, **{name: told[name] for name in MORE}
    )
