"""Measurements beside the model, where they help: judged on a ruler, laid into a checkpoint.

    python -m train combine --ruler runs/ruler --checkpoint assets/checkpoint

The curves are fitted on the ruler's out-of-fold scores of PTB-XL. A statement is kept where the
gain in AUC, each group judged by a curve of the other groups, is beyond chance. What is kept is
then held against recordings that neither the checkpoint nor its curve has seen.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml

from focal_app.ecg.measured import Measured
from focal_app.errors import ConfigError
from focal_app.model.combination import COMBINATION, Combined, Unseen
from focal_app.model.focal import Focal
from train.benchmark.combined import Judged, combinations, compared, judged, rows_of
from train.benchmark.metrics import Interval
from train.benchmark.out_of_fold import Scores, pooled, scored
from train.data.measured_store import measured_on
from train.data.shards import Shards
from train.fit.combination import candidates

SOURCE = "ptb-xl"
"""Of the others, LUDB taught the delineator, and the challenges name only what they name."""
HEAD = (
    "# Statement: what is made of the model's own log-odds and of measurements, each as its\n"
    "# distance from a centre in scales: [centre, scale, log-odds of one scale]. `unseen`:\n"
    "# recordings that neither had seen, how many of them have it, and the AUC of both.\n"
    "# Made by `python -m train combine`.\n"
)


@dataclass(frozen=True)
class Group:
    """What one group of a ruler holds: its shards, its scores, what was measured on its records."""

    shards: Shards
    scores: Scores
    measured: tuple[Measured, ...]


def combine(ruler: Path, checkpoint: Path) -> tuple[list[Judged], list[Judged]]:
    """Judge every candidate on the ruler, and write what helps; what that does on the unseen."""
    groups = [_group(place) for place in sorted(ruler.glob("group-*"))]
    if not groups:
        raise ConfigError(
            f"found no finished group in {ruler.name!r}; run `python -m train ruler` first"
        )
    scores = pooled([one.scores for one in groups])
    found = list(judged(scores, [m for one in groups for m in one.measured]))
    kept = combinations(found)
    unseen = list(_on_unseen(Focal.load(checkpoint), groups, kept))
    for one in unseen:
        told = Unseen(one.recordings, one.positives, round(one.both, 3))
        kept[one.statement] = replace(kept[one.statement], unseen=told)
    write(kept, checkpoint)
    told = {
        "judged": [dataclasses.asdict(one) | {"kept": one.helps} for one in found],
        "unseen": [dataclasses.asdict(one) for one in unseen],
    }
    (ruler / "combination.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return found, unseen


def write(kept: Mapping[str, Combined], checkpoint: Path) -> None:
    """Lay the curves beside a checkpoint's weights; none, and the file goes."""
    path = checkpoint / COMBINATION
    if not kept:
        path.unlink(missing_ok=True)
        return
    entries = {
        name: {
            "model": round(one.model, 3),
            "shift": round(one.shift, 3),
            "measured": {t.quantity: [t.centre, t.scale, round(t.weight, 3)] for t in one.terms},
            **({"unseen": list(dataclasses.astuple(one.unseen))} if one.unseen else {}),
        }
        for name, one in kept.items()
    }
    body = yaml.safe_dump(entries, sort_keys=False, default_flow_style=None)
    path.write_text(HEAD + body, encoding="utf-8")


def rendered(found: Sequence[Judged]) -> str:
    """A table of what was judged."""
    lines = [
        "| statement | recordings | with it | AUC: model | both | gain (95 %) | loss saved (95 %) |"
        " helps |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.statement} | {one.recordings} | {one.positives} | {one.model:.3f} "
        f"| {one.both:.3f} | {_said(one.gain)} | {_said(one.loss_saved)} "
        f"| {'yes' if one.helps else 'no'} |"
        for one in found
    ]
    return "\n".join(lines) + "\n"


def _on_unseen(model: Focal, groups: Sequence[Group], kept: Mapping[str, Combined]) -> list[Judged]:
    """What is kept, by curves of the ruler's other records, on what the checkpoint has not seen."""
    if model.seen is None or not kept:
        return []
    new = [np.array(_new_to(model, one.scores), bool) for one in groups]
    own = [_scored_by(model, one) for one in groups]
    made = []
    for name in kept:
        terms = candidates()[name]
        taught, asked = [], []
        for group, mask, mine in zip(groups, new, own, strict=True):
            taught.append(rows_of(group.scores, group.measured, name, terms).of(~mask))
            asked.append(rows_of(mine, group.measured, name, terms).of(mask))
        made.append(compared(name, taught, asked, terms))
    return [one for one in made if one]


def _scored_by(model: Focal, group: Group) -> Scores:
    return scored(model, [group.shards], split="test", group=0)


def _new_to(model: Focal, scores: Scores) -> list[bool]:
    assert model.seen is not None
    return [not known for known in model.seen.trained_on(one.patient for one in scores.records)]


def _group(place: Path) -> Group:
    shards = [Shards.open(folder) for folder in sorted((place / "data").iterdir())]
    found = measured_on(shards, "test", place / "measured.json")
    scores = Scores.load(place).of_source(SOURCE)
    each = tuple(found[f"{one.source}/{one.key}"] for one in scores.records)
    return Group(next(one for one in shards if one.name == SOURCE), scores, each)


def _said(one: Interval) -> str:
    return f"{one.value:+.3f} ({one.low:+.3f} to {one.high:+.3f})"
