"""Results as typed JSON files, one a measurement; every table and figure is rendered from them.

write_result(folder, result); results = read_results(folder)
"""

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError
from train.benchmark.host import Host, this_host
from train.benchmark.sets import Item
from train.data.fingerprint import fingerprint

FORMAT = 1


@dataclass(frozen=True)
class Result:
    """One measurement and what it was made from.

    `name` is the checkpoint's name in a table; `checkpoint` the hash of its weights and config;
    `data` the hash of the recordings, their splits and labels; `config` the options of the task.
    """

    task: str
    dataset: str
    name: str
    checkpoint: str
    data: str
    config: dict[str, Any]
    command: str
    seed: int
    figures: dict[str, Any]
    host: Host = field(default_factory=this_host)
    format: int = FORMAT


def write_result(folder: Path, result: Result) -> Path:
    """Write a result; the same measurement of the same checkpoint replaces its older file."""
    folder.mkdir(parents=True, exist_ok=True)
    values = plain(dataclasses.asdict(result))
    asked = json.dumps([values["config"], values["seed"]], sort_keys=True)
    short = hashlib.sha256(asked.encode()).hexdigest()[:8]
    parts = (result.task, result.dataset, result.name, short)
    path = folder / ("-".join(_safe(part) for part in parts if part) + ".json")
    path.write_text(json.dumps(values, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return path


def read_results(folder: Path) -> list[Result]:
    """Every result of a folder, by file name; a `ConfigError` where there is none."""
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not files:
        raise ConfigError(
            f"found no result in {folder.name!r}; needed files that `python -m train evaluate` "
            "wrote with --results"
        )
    return [_read(path) for path in files]


def plain(value: Any) -> Any:  # noqa: ANN401
    """Values as JSON can hold them: no NaN, no tuple, no path beyond a name."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, Path):
        return value.name
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def command_line(arguments: Sequence[str]) -> str:
    """The command as it can be repeated elsewhere: folders and files by their last name only."""
    shown = (Path(part).name if "/" in part else part for part in arguments)
    return " ".join(("python -m train", *shown))


def data_hash(items: Sequence[Item]) -> str:
    """Hash of what was measured on: recordings, splits and labels, absent recordings left out."""
    from train.benchmark.embeddings import digest_of

    rows = sorted(
        (item.key, item.split, sorted(item.labels), digest_of(item.header))
        for item in items
        if item.header is not None
    )
    return fingerprint(rows)


def _read(path: Path) -> Result:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Result(**(values | {"host": Host(**values["host"])}))
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            f"{path.name} is no result of this version; needed files that `python -m train "
            "evaluate` wrote. Take it out of the folder, or measure again"
        ) from error


def _safe(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "_", text)
