"""The three zones of Verify: chosen on development data, measured on other data.

    python -m train verify-zones --checkpoint assets/checkpoint --data DIR --write

A statement of a report is put to the ECG alone, and its probability falls into one of three zones.
Two kinds of statements are known to be true or false: features of simulated recordings (`plant`),
and the statements under which real recordings of PTB-XL are filed, beside those of reports of
other patients. The borders are chosen on the one half of either, `measured` is on the other.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG
from focal_app.errors import ConfigError
from focal_app.lexicon import Lexicon, load_lexicon
from focal_app.model.focal import Focal
from train.benchmark.ptbxl_statements import Reported, reported
from train.benchmark.unseen import unseen
from train.enrich.candidate_calibration import stated
from train.enrich.planted import FIRST_SEED, InMemory, plant
from train.enrich.scoring import Embedded, candidate_logits, own_curve

RIGHT_ABOVE, RIGHT_BELOW = 0.95, 0.9
"""Of what is called supported, 19 of 20 are there, of what is not supported, 9 of 10 are not; where
half of all statements are true."""
FEATURES, STATEMENTS = "features of simulated ECGs", "statements of real ECGs"
GRID = (0.005, *(step / 100 for step in range(1, 100)))
FEWEST = 20
"""Statements that have to lie beyond a border."""
BATCH = 32
"""Recordings that are encoded in one go."""
OTHER_REPORTS = 10
"""Reports of other patients from which a recording gets its false statements."""


@dataclass(frozen=True)
class Asked:
    """A recording with statements that are true of it, and others that are not."""

    ecg: Callable[[], ECG]
    true: tuple[str, ...]
    false: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """Probabilities of true and of false statements."""

    what: str
    source: str
    recordings: int
    true: Float[np.ndarray, " T"]
    false: Float[np.ndarray, " F"]

    def kept(self, threshold: float) -> tuple[float, float]:
        """The shares of true and of false ones that reach a threshold."""
        return float((self.true >= threshold).mean()), float((self.false >= threshold).mean())

    def document(self) -> dict[str, Any]:
        """As it stands in the file."""
        curve = [[t, *(round(share, 4) for share in self.kept(t))] for t in GRID]
        counts = {"true": len(self.true), "false": len(self.false)}
        known = {"what": self.what, "source": self.source, "recordings": self.recordings}
        return {**known, **counts, "curve": curve}


def measure_zones(
    model: Focal,
    data: Path,
    *,
    records: int = 400,
    develop: Sequence[int] = (7,),
    report: Sequence[int] = (8,),
) -> dict[str, Any]:
    """Borders chosen on `records` simulations and the folds `develop`, measured on as many others
    and the folds `report`."""
    if set(develop) & set(report):
        raise ConfigError("found a fold both in --develop and in --report; name it in one of them")
    halves = [
        (
            _judged(model, FEATURES, f"seeds from {first}", simulated(first, records)),
            _judged(model, STATEMENTS, f"PTB-XL, fold {_named(folds)}", real(model, data, folds)),
        )
        for first, folds in ((FIRST_SEED + records, develop), (FIRST_SEED, report))
    ]
    low, high = borders(halves[0])
    chosen, measured = ([one.document() for one in half] for half in halves)
    rule = {"supported_right": RIGHT_ABOVE, "not_supported_right": RIGHT_BELOW}
    borders_ = {"checkpoint": model.fingerprint(), "low": low, "high": high, "rule": rule}
    return {**borders_, "chosen_on": chosen, "measured": measured}


def simulated(seed: int, records: int) -> list[Asked]:
    """Features that simulated reports leave out, and as many false ones of two kinds."""
    return [
        Asked(
            lambda one=one: one.drawn.ecg, one.true, tuple(f for k in one.false.values() for f in k)
        )
        for one in plant(range(seed, seed + records), load_lexicon())
    ]


def real(model: Focal, data: Path, folds: Sequence[int]) -> list[Asked]:
    """Recordings that the model did not see, with their own statements and those of others."""
    found, lexicon = unseen(model, reported(data, folds=folds)), load_lexicon()
    rng = np.random.default_rng(0)
    return [
        Asked(
            lambda one=one: read_recording([one.header]),
            one.tags,
            _of_others(one, [found[i] for i in rng.permutation(len(found))], lexicon),
        )
        for one in found
    ]


def _of_others(one: Reported, found: Sequence[Reported], lexicon: Lexicon) -> tuple[str, ...]:
    """Statements of other patients' reports that neither follow from this one's nor specify it."""
    said = stated(one.tags, (), lexicon)
    others = [other for other in found if other.patient != one.patient][:OTHER_REPORTS]
    open_ = (tag for other in others for tag in other.tags if tag not in said)
    return tuple(dict.fromkeys(t for t in open_ if not lexicon.ancestors(t) & set(one.tags)))


def borders(halves: Sequence[Judged]) -> tuple[float, float]:
    """The lowest upper and the highest lower border at which all of the data are right enough."""
    high = max(_border(one, upper=True) for one in halves)
    return min(high, *(_border(one, upper=False) for one in halves)), high


def _border(one: Judged, *, upper: bool) -> float:
    """The threshold from which on all is rightly told, at it and at every further one.

    Told are, at the upper border, those that reach it; at the lower one those that do not.
    """
    grid, right = (GRID[::-1], RIGHT_ABOVE) if upper else (GRID, RIGHT_BELOW)
    found = grid[0]
    for threshold in grid:
        true, false = one.kept(threshold)
        if not upper:
            true, false = 1 - true, 1 - false
        if true * len(one.true) + false * len(one.false) < FEWEST:
            continue
        if (true if upper else false) / (true + false) < right:
            break
        found = threshold
    return found


def _judged(model: Focal, what: str, source: str, asked: Sequence[Asked]) -> Judged:
    """The probability of every statement, each put to the ECG alone."""
    words = [(*one.true, *one.false) for one in asked]
    embedded = Embedded.of(model, [word for some in words for word in some])
    curve, true, false = own_curve(model), [], []
    for first in range(0, len(asked), BATCH):
        some = asked[first : first + BATCH]
        ecgs, tags = (one.ecg() for one in some), [one.true for one in some]
        shard = InMemory.of("asked", ecgs, tags, split="test")
        said = words[first : first + BATCH]
        logits = candidate_logits(model, shard, range(len(some)), said, embedded)
        for one, logit in zip(some, logits, strict=True):
            if logit is not None:
                true.append(curve(logit[: len(one.true)]))
                false.append(curve(logit[len(one.true) :]))
    return Judged(what, source, len(true), np.concatenate(true), np.concatenate(false))


def _named(folds: Sequence[int]) -> str:
    return ", ".join(map(str, folds))


def as_text(found: dict[str, Any]) -> str:
    """The borders, and what they mean on data on which they were not chosen.

    A dash stands for a share of nothing.
    """
    low, high = found["low"], found["high"]
    lines = [f"Not supported below {low:g}, supported from {high:g} on.", ""]
    lines += ["| measured on | recordings | true | false | supported: precision | recall "]
    lines[-1] += "| not supported: right | of the false | undecided: true | false |"
    lines.append("|" + "---|" * 10)
    for one in found["measured"]:
        shares = {at: (true, false) for at, true, false in one["curve"]}
        above, below = shares[high], shares[low]
        cells = (
            _share(above[0], sum(above)),
            above[0],
            _share(1 - below[1], 2 - sum(below)),
            1 - below[1],
            *(b - a for a, b in zip(above, below, strict=True)),
        )
        counts = (f"{one['what']} ({one['source']})", one["recordings"], one["true"], one["false"])
        lines.append(f"| {' | '.join([*map(str, counts), *(_percent(c) for c in cells)])} |")
    return "\n".join(lines)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def as_json(found: dict[str, Any]) -> str:
    """The file: a line a threshold."""
    text = json.dumps(found)
    for before, after in (('"curve": [', '"curve": [\n'), ("], [", "],\n["), ("}, {", "},\n{")):
        text = text.replace(before, after)
    return text + "\n"
