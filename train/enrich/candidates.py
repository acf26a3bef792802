"""Candidate features on disk: a line a distinct tag set, in shards, and a report written last.

    read_candidates(Path("runs/embedded/candidates"))    # features by tag set

candidates-00000.jsonl  tags, features, known, contradictory, status, backend, model, prompt_hash,
                        raw (the answers as they came)
report.json             counts of the run; without it the folder is unfinished and is not read
answers.jsonl           every answer ever had, by what was asked (`train.enrich.cache`)
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from focal_app.errors import ConfigError
from train.data.verified_files import write_whole

REPORT = "report.json"
PER_SHARD = 50_000

Status = Literal["ok", "malformed", "empty"]


@dataclass(frozen=True)
class Candidate:
    """What one tag set was given; `raw` holds the two answers of its last attempt.

    `known` of the features are statements of the lexicon, `contradictory` of them exclude a tag.
    """

    tags: tuple[str, ...]
    features: tuple[str, ...]
    known: tuple[str, ...]
    contradictory: tuple[str, ...]
    status: Status
    backend: str
    model: str
    prompt_hash: str
    raw: tuple[str, ...]


def write_candidates(out: Path, candidates: Sequence[Candidate], report: dict[str, object]) -> None:
    """Write the shards anew, then the report: only with it may the folder be read."""
    (out / REPORT).unlink(missing_ok=True)
    for stale in out.glob("candidates-*.jsonl"):
        stale.unlink()
    for number, begin in enumerate(range(0, len(candidates), PER_SHARD)):
        part = candidates[begin : begin + PER_SHARD]
        lines = (json.dumps(asdict(c), ensure_ascii=False) + "\n" for c in part)
        write_whole(out / f"candidates-{number:05d}.jsonl", "".join(lines))
    write_whole(out / REPORT, json.dumps(report, indent=2, ensure_ascii=False) + "\n")


def read_candidates(folder: Path) -> dict[frozenset[str], tuple[str, ...]]:
    """The features of every tag set that has some; an unfinished folder is refused."""
    lines = candidate_lines(folder)
    return {frozenset(c.tags): c.features for c in lines if c.features}


def candidate_lines(folder: Path) -> list[Candidate]:
    """Every line of a finished folder, with those that hold no features."""
    _report(folder)
    return [
        _candidate(line, path)
        for path in sorted(folder.glob("candidates-*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def _report(folder: Path) -> dict[str, object]:
    path = folder / REPORT
    if not path.is_file():
        raise ConfigError(
            f"found no {REPORT} in {folder.name!r}; a finished enrichment is needed. Run `python "
            "-m train enrich` again: what was answered is not asked again."
        )
    return json.loads(path.read_text(encoding="utf-8"))


def _candidate(line: str, path: Path) -> Candidate:
    try:
        fields = json.loads(line)
        lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
        return Candidate(**{**fields, **lists})
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"found a line in {path.name} that is no candidate; run `python -m train enrich` "
            "again: what was answered is not asked again."
        ) from error
