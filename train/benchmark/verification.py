"""How well a verification judged proposals of known quality: what it kept, and what it refused.

    judge_verification(Path("runs/NAME/verified"), read_truth(raw), shares, SimulatedModel())

A pair is a record and a feature that was proposed for its report. What the record shows is known;
a false one is `plausible` where the proposer expected it with the report, else `random`.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from focal_app.lexicon import load_lexicon
from focal_app.words.proposals import named_in
from train.benchmark.metrics import Interval, share_interval
from train.data.stated_shares import group_of
from train.data.verified_files import read_lines, read_manifest
from train.enrich.backends.simulated import Proposal, SimulatedModel

_KINDS = {"expected": "plausible", "random": "random"}
_UNKNOWN = Interval(float("nan"), float("nan"), float("nan"))


@dataclass(frozen=True)
class Quality:
    """Shares with their intervals over the records, and the pairs on which each rests.

    `kept` of the true ones, by how often reports say the feature; `refused` of the false ones, by
    kind; `true` of all that is accepted, `proposed_true` of all that was proposed. `understood`:
    the wordings other than the lexicon's first one that the grammar took for the feature.
    """

    threshold: float
    pairs: dict[str, int]
    kept: dict[str, Interval]
    refused: dict[str, Interval]
    true: Interval
    proposed_true: Interval
    understood: float


def judge_verification(
    verified: Path,
    shown: Mapping[str, Collection[str]],
    shares: Mapping[str, float],
    proposer: SimulatedModel,
) -> Quality:
    """The quality of a finished verification; `shown` holds by key all that a record shows."""
    lines, lexicon = list(read_lines(verified)), load_lexicon()
    counted: dict[str, np.ndarray] = defaultdict(lambda: np.zeros((len(lines), 2)))
    reworded: list[bool] = []
    for row, line in enumerate(lines):
        accepted = {one["feature"] for one in line["accepted"]}
        judged = accepted | {one["feature"] for one in line["rejected"]}
        for one in proposer.proposed(line["tags"]):
            if one.wording != one.feature:
                reworded.append(_understood(one))
            if one.feature not in judged:
                continue
            is_shown, is_kept = one.feature in shown[line["key"]], one.feature in accepted
            group = group_of(one.feature, shares, lexicon)
            name = f"kept {group}" if is_shown else f"refused {_KINDS[one.kind]}"
            counted[name][row] += (is_kept == is_shown, 1)
            counted["proposed"][row] += (is_shown, 1)
            if is_kept:
                counted["accepted"][row] += (is_shown, 1)
    found = {name: share_interval(*parts.T) for name, parts in sorted(counted.items())}
    return Quality(
        threshold=read_manifest(verified)["about"]["threshold"],
        pairs={name: int(parts[:, 1].sum()) for name, parts in sorted(counted.items())},
        kept=_named(found, "kept "),
        refused=_named(found, "refused "),
        true=found.get("accepted", _UNKNOWN),
        proposed_true=found["proposed"],
        understood=float(np.mean(reworded)) if reworded else float("nan"),
    )


def _understood(one: Proposal) -> bool:
    named = named_in(one.wording)
    return bool(named) and [found.text for found in named] == [one.feature]


def _named(found: Mapping[str, Interval], beginning: str) -> dict[str, Interval]:
    return {k.removeprefix(beginning): v for k, v in found.items() if k.startswith(beginning)}
