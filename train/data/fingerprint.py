"""What a file of a run was made from, as one hash: a changed input is noticed, not built upon."""

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError

TRAIN = Path(__file__).parents[1]
LEXICON = TRAIN.parent / "assets" / "lexicon.yaml"
SIMULATOR = TRAIN / "simulate"
FINGERPRINT = re.compile(rb"[0-9a-f]{16}")


def fingerprint(*parts: Any, files: Iterable[Path] = ()) -> str:  # noqa: ANN401
    """Hash of plain values, dataclasses and the contents of files."""
    made = hashlib.sha256(json.dumps(parts, default=_plain, sort_keys=True).encode())
    for file in sorted(files):
        made.update(file.name.encode() + b"\0" + file.read_bytes())
    return made.hexdigest()[:16]


def simulator_files() -> list[Path]:
    """The files that decide what a seed draws."""
    return [file for file in SIMULATOR.iterdir() if file.suffix in (".py", ".json", ".yaml")]


def refuse_another(noted: Path, wanted: str, what: str, made_by: str) -> None:
    """A `ConfigError` where a part of a run was made from something else than is asked for now.

    `made_by` names what the fingerprint holds, as a user of the command knows it.
    """
    found = noted.read_bytes() if noted.is_file() else b""
    if found != wanted.encode():
        whole = FINGERPRINT.fullmatch(found)
        why = f"was made by another {made_by}" if whole else f"has no whole note {noted.name}"
        raise ConfigError(
            f"the {what} in this run's folder {why}; give another --out, or delete the folder to "
            "make it again"
        )


def _plain(value: Any) -> Any:  # noqa: ANN401
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Sequence):
        return list(value)
    return str(value)
