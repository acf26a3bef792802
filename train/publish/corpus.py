"""The enriched corpus as a data set: reports, tags and verified features, without any ECG.

    python -m train push corpus --verified DIR --shards DIR --dry-run DIR

data/train-00000.jsonl ...   a line a record: key, source, split, report, tags, hedged, features
README.md                    the card: sources and their terms, counts, how features were verified
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError
from train.data.shards import Shards
from train.data.source import SPLITS
from train.data.verified_files import read_lines, read_manifest
from train.publish.sources import refuse_restricted, terms_of
from train.publish.tree import with_front_matter

FILE_BYTES = 9_000_000


def fill_corpus(folder: Path, verified: Path, shards: Sequence[Shards], *, rights: bool) -> None:
    """Write records and card; every verified record must be found in the shards."""
    refuse_restricted((shard.name for shard in shards), rights=rights)
    lines = {line["key"]: line for line in read_lines(verified)}
    counts: Counter[tuple[str, str]] = Counter()
    (folder / "data").mkdir()
    splits = {name: _Split(folder / "data", name) for name in SPLITS}
    for shard in shards:
        for i, key in enumerate(shard.keys):
            if key in lines:
                splits[shard.splits[i]].add(_record(shard, i, lines[key]))
                counts[shard.name, shard.splits[i]] += 1
    if counts.total() != len(lines):
        raise ConfigError(
            f"found {len(lines)} verified records, {counts.total()} of them in these shards; name "
            "every folder of shards that was verified, and no other"
        )
    for split in splits.values():
        split.flush()
    card = corpus_card(read_manifest(verified), counts)
    (folder / "README.md").write_text(card, encoding="utf-8")


def _record(shard: Shards, i: int, line: dict[str, Any]) -> dict[str, Any]:
    """No patient, age or sex: whoever has the ECGs finds them by key."""
    return {
        "key": shard.keys[i],
        "source": shard.name,
        "report": shard.reports[i],
        "tags": list(shard.tags[i]),
        "hedged": list(shard.hedged[i]),
        "features": [one["feature"] for one in line["accepted"]],
        "probabilities": [one["probability"] for one in line["accepted"]],
    }


class _Split:
    """The files of a split, each below `FILE_BYTES`."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.files, self.size = 0, 0
        self.waiting: list[bytes] = []

    def add(self, record: dict[str, Any]) -> None:
        line = (json.dumps(record, ensure_ascii=False) + "\n").encode()
        if self.size + len(line) > FILE_BYTES:
            self.flush()
        self.waiting.append(line)
        self.size += len(line)

    def flush(self) -> None:
        if self.waiting:
            path = self.folder / f"{self.name}-{self.files:05d}.jsonl"
            path.write_bytes(b"".join(self.waiting))
            self.files, self.size, self.waiting = self.files + 1, 0, []


def corpus_card(manifest: dict[str, Any], counts: Counter[tuple[str, str]]) -> str:
    """The card of the data set, its numbers from the verification's manifest alone."""
    sources = [terms_of(name) for name in sorted({source for source, _ in counts})]
    licences = {terms.licence for terms in sources}
    splits = [name for name in SPLITS if any(split == name for _, split in counts)]
    head: dict[str, object] = {
        "license": licences.pop() if len(licences) == 1 else "other",
        "language": ["en"],
        "tags": ["ecg", "medical", "enriched"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": name, "path": f"data/{name}-*.jsonl"} for name in splits],
            }
        ],
    }
    rows = [
        f"| {terms.name} | {' | '.join(str(counts[terms.name, s]) for s in splits)} | "
        f"{terms.citation} | {terms.licence} |"
        for terms in sources
    ]
    about, found = manifest["about"], manifest["counts"]
    text = CARD.format(
        splits=" | ".join(splits),
        rule="|".join("---" for _ in splits),
        rows="\n".join(rows),
        about=about,
        found=found,
        share=found["accepted"] / found["candidates"] if found["candidates"] else 0.0,
        reasons="\n".join(f"- {count}: {why}" for why, count in found["rejected"].items()),
    )
    return with_front_matter(head, text)


CARD = """# Enriched ECG reports

Reports of 12-lead ECGs, the findings they state (`tags`, worded by one lexicon; `hedged` are those
that are only suspected), and waveform features that they leave out. The features were proposed
from the tags alone and are kept where a model that sees the ECG holds them to be there. **For
research and teaching, not for diagnosis.** A feature was never confirmed by a reader. The ECGs are
not part of this data set: they are found by `key` at their source.

## Sources

| source | {splits} | what | licence |
|---|{rule}|---|---|
{rows}

## Verification

Score: {about[unit]} (`{about[score]}`); kept from {about[threshold]:g} on, and written beside each
feature as `probabilities`. Of {found[candidates]} candidates in {found[records]} records
{found[accepted]} were kept ({share:.1%}); {found[without_candidates]} records had no candidates,
{found[unreadable]} recordings could not be used. Rejected:

{reasons}
"""
