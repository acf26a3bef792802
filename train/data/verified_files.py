"""Verified candidates on disk: a part file a block of records, and a manifest written last.

    read_verified(Path("runs/embedded/verified"))     # accepted features by the record's key

started.json      what the verification is made from; another one is refused
score.json        the curve that turns logits into probabilities, and what it was fitted on
part-00000.jsonl  a line a record: key, tags, accepted, rejected (score and reason)
manifest.json     counts, and size and checksum of every part; without it nothing is read

Every score is a probability in [0, 1].
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError
from train.read_back import read_back, read_json_back

STARTED, SCORE, MANIFEST = "started.json", "score.json", "manifest.json"
AGAIN = "put it back, or delete the folder and verify again"
Line = dict[str, Any]
"""A record: key, tags, accepted [{feature, probability}], rejected [the same, and a reason]."""


def refuse_another(out: Path, about: dict[str, Any]) -> None:
    """A `ConfigError` where `out` holds something else than a verification with this `about`."""
    noted = out / STARTED
    if noted.is_file():
        if read_json_back(noted, AGAIN) != json.loads(json.dumps(about)):
            raise ConfigError(
                f"{out.name} holds a verification by another model, threshold, score or data; give "
                "another --out, or delete the folder to make it again"
            )
    elif out.is_dir() and any(out.iterdir()):
        raise ConfigError(f"found files in {out.name} that are no verification; give another --out")


def begun_without_signals(out: Path) -> bool:
    """Whether a verification lies there that reads no kept signals: it goes on so."""
    noted = out / STARTED
    return noted.is_file() and "signals" not in read_json_back(noted, AGAIN)


def start(out: Path, about: dict[str, Any]) -> None:
    """Begin in `out`, or go on there if it was begun with the same `about`."""
    refuse_another(out, about)
    if not (out / STARTED).is_file():
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / STARTED, json.dumps(about, indent=2) + "\n")


def part_name(number: int) -> str:
    """File name of a part."""
    return f"part-{number:05d}.jsonl"


def whole_part(path: Path, keys: Sequence[str]) -> list[Line] | None:
    """The lines of a part if it holds exactly these records; else None, and it is made again."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None
    fits = all(isinstance(line, dict) for line in lines)
    return lines if fits and [line.get("key") for line in lines] == list(keys) else None


def write_part(path: Path, lines: Sequence[Line]) -> None:
    """Write a part; it stands under its name only when it is whole."""
    write_whole(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def write_whole(path: Path, text: str) -> None:
    """Write a text so that a stop, or a full disk, never leaves half of it under its name."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ConfigError(
            f"could not write {path.name} ({error.strerror}); make room and run the same command "
            "again: what is whole is kept"
        ) from error


def finish(out: Path, parts: int, counts: dict[str, Any]) -> None:
    """Write the manifest: from now on the folder may be read."""
    listed = [{"name": part_name(n), **_measured(out / part_name(n))} for n in range(parts)]
    about = read_json_back(out / STARTED, AGAIN)
    manifest = {"about": about, "counts": counts, "parts": listed}
    write_whole(out / MANIFEST, json.dumps(manifest, indent=2) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a finished verification is made from, its counts and its parts."""
    if not (folder / MANIFEST).is_file():
        raise ConfigError(
            f"found no finished verification in {folder.name!r}; run `python -m train verify` to "
            "its end"
        )
    with read_back(folder / MANIFEST, "run `python -m train verify` again"):
        told = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return {part: told[part] for part in ("about", "counts", "parts")}


def read_score(folder: Path) -> dict[str, Any]:
    """The curve of a verification, as it was fitted."""
    return read_json_back(folder / SCORE, AGAIN)


def read_lines(folder: Path) -> Iterator[Line]:
    """Every record of a finished verification, accepted and rejected, in order."""
    for part in read_manifest(folder)["parts"]:
        path = folder / part["name"]
        if not path.is_file() or _measured(path) != {k: part[k] for k in ("bytes", "sha256")}:
            raise ConfigError(
                f"{part['name']} of {folder.name!r} is missing or not as it was written; delete "
                "it and run `python -m train verify` again"
            )
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def read_verified(folder: Path) -> dict[str, tuple[str, ...]]:
    """The accepted features of every record, by key; all that fine training reads."""
    return {
        line["key"]: tuple(one["feature"] for one in line["accepted"])
        for line in read_lines(folder)
    }


def _measured(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
