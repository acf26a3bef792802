"""Candidate features on disk: a line a distinct tag set, in shards, and a report written last.

    read_candidates(Path("runs/embedded/candidates"))    # features by tag set

candidates-00000.jsonl  tags, status, features, contradictory, echoes, apart, backend, model,
                        prompt_hash, raw (the answers as they came); a line as soon as it is known
report.json             counts of the run; without it the folder is unfinished and is not read
answers.jsonl           every answer ever had, by what was asked (`train.enrich.cache`)
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from focal_app.errors import ConfigError
from train.data.verified_files import MANIFEST, write_whole
from train.read_back import read_back

REPORT = "report.json"
AGAIN = "run `python -m train enrich` again: what was answered is not asked again"
PER_SHARD = 50_000

Status = Literal["ok", "none proposed", "echoes", "free text", "unusable", "malformed"]
"""`ok` has features. Others have none: the model says so, all only repeat a tag, none names a
statement, none can be a feature, or the answer holds no list."""


@dataclass(frozen=True)
class Candidate:
    """What one tag set was given; `raw` holds the two answers of its last attempt.

    `features` are statements of the lexicon, with leads where they were named; `contradictory` of
    them exclude a tag. `echoes` repeat a tag, `apart` is free text: neither is a candidate.
    """

    tags: tuple[str, ...]
    status: Status
    features: tuple[str, ...]
    contradictory: tuple[str, ...]
    echoes: tuple[str, ...]
    apart: tuple[str, ...]
    backend: str
    model: str
    prompt_hash: str
    raw: tuple[str, ...]


class CandidateFiles:
    """The shards of a run, written anew as it goes on; `finish` makes the folder one to read.

    A run that was stopped writes the same lines again: its answers are kept beside them. What a
    former run left is taken away once there are others, and stays where none can be had.
    """

    def __init__(self, out: Path) -> None:
        self.out, self.count = out, 0

    def add(self, candidates: Sequence[Candidate]) -> None:
        """More lines, on the disk at once."""
        if not self.count:
            self._clear()
        for candidate in candidates:
            path = self.out / f"candidates-{self.count // PER_SHARD:05d}.jsonl"
            line = json.dumps(asdict(candidate), ensure_ascii=False) + "\n"
            try:
                with path.open("a", encoding="utf-8") as file:
                    file.write(line)
            except OSError as error:
                raise ConfigError(
                    f"a candidate could not be written ({error.strerror}); what was answered is "
                    "kept. Make room and run the same command again."
                ) from error
            self.count += 1

    def finish(self, report: Mapping[str, object]) -> None:
        """Write the report: only with it may the folder be read."""
        if not self.count:
            self._clear()
        told = {"lines": self.count, **report}
        write_whole(self.out / REPORT, json.dumps(told, indent=2, ensure_ascii=False) + "\n")

    def _clear(self) -> None:
        (self.out / REPORT).unlink(missing_ok=True)
        for stale in self.out.glob("candidates-*.jsonl"):
            stale.unlink()


def read_candidates(folder: Path) -> dict[frozenset[str], tuple[str, ...]]:
    """Features, then free text, of every tag set that has some; an unfinished folder is refused.

    What becomes of free text is for verification to say.
    """
    found = {frozenset(c.tags): (*c.features, *c.apart) for c in candidate_lines(folder)}
    return {tags: wordings for tags, wordings in found.items() if wordings}


def candidate_lines(folder: Path) -> list[Candidate]:
    """Every line of a finished folder, with those that hold no features."""
    if not (folder / REPORT).is_file():
        raise ConfigError(
            f"found no {REPORT} in {folder.name!r}; a finished enrichment is needed: {AGAIN}"
        )
    if (folder / MANIFEST).is_file():
        raise ConfigError(
            f"found a verification in {folder.name!r}; needed candidates, as `python -m train "
            "enrich` writes them"
        )
    lines = [one for path in sorted(folder.glob("candidates-*.jsonl")) for one in _lines(path)]
    with read_back(folder / REPORT, AGAIN):
        counted = dict(json.loads((folder / REPORT).read_text(encoding="utf-8"))).get("lines")
    if counted not in (None, len(lines)):
        raise ConfigError(
            f"found {len(lines)} candidates in {folder.name!r}, and a report of {counted}; {AGAIN}"
        )
    return lines


def _lines(path: Path) -> list[Candidate]:
    with read_back(path, AGAIN), path.open(encoding="utf-8") as file:
        return [_candidate(json.loads(line)) for line in file]


def _candidate(fields: dict[str, Any]) -> Candidate:
    lists: dict[str, Any] = {k: tuple(v) for k, v in fields.items() if isinstance(v, list)}
    return Candidate(**(fields | lists))
