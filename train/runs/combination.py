"""Measurements beside the model, where they help: judged on a ruler, laid into a checkpoint.

    python -m train combine --ruler runs/ruler --real DIR --checkpoint assets/checkpoint

The curves are fitted on the ruler's out-of-fold scores of PTB-XL. A statement is kept where the
gain in AUC or in the logistic loss, each group judged by a curve of the other groups, is beyond
chance, and the other loses nothing: on PTB-XL, or on all sources together where no voltage joins
it. What is kept is then held against recordings that neither the
checkpoint nor its curve has seen.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from focal_app.ecg.measured import Measured
from focal_app.errors import ConfigError
from focal_app.model.combination import (
    COMBINATION,
    MADE_FOR,
    Combined,
    Term,
    Unseen,
    load_combination,
)
from focal_app.model.focal import Focal
from train.benchmark.combined import (
    Judged,
    across,
    combinations,
    given,
    judged,
    rows_of,
    with_measurements,
)
from train.benchmark.combined_unseen import Part, gained_unseen, judged_unseen
from train.benchmark.out_of_fold import Scores, pooled
from train.benchmark.ruler import Figures, columns, gains
from train.data.measured_store import measured_on
from train.data.shards import Shards
from train.fit.combination import CANDIDATES, GIVEN, candidates
from train.runs.ruler import FIGURES, refuse_without_ptbxl

NOTHING = 0.0005
"""What a smaller weight is rounded to."""
MEASURED = "measured"
"""Where a ruler's scores lie with the measurements that join them."""
SOURCE = "ptb-xl"
OTHERS = {"LUDB": ("ludb",), "challenge": ("csn", "cpsc2018", "cpsc-extra", "georgia")}
"""Not fitted on: LUDB taught the delineator, and the challenges name only what they name."""
HEAD = (
    "# Statement: what is made of the model's own log-odds and of measurements, each as its\n"
    "# distance from a centre in scales: [centre, scale, log-odds of one scale, usual distance,\n"
    "# as which a missing value counts], or a list of such. `unseen`:\n"
    "# recordings that neither had seen, how many of them have it, and the AUC of both.\n"
    "# Those without it were given, not fitted (`train.fit.combination.GIVEN`).\n"
    "# `checkpoint`: the fingerprint of the one that they were made for.\n"
    "# Made by `python -m train combine`.\n"
)


@dataclass(frozen=True)
class Group:
    """A group of a ruler: PTB-XL's shards, scores and what was measured, and the same of others."""

    shards: Shards
    scores: Scores
    measured: tuple[Measured, ...]
    other_scores: Scores
    other_measured: tuple[Measured, ...]


@dataclass(frozen=True)
class Told:
    """Every candidate on the ruler's recordings of PTB-XL, and those that no voltage joins on
    `all_sources`; what is kept on unseen recordings, and on other sources.

    `gains` are those of PTB-XL's sets on the ruler; `on_unseen` what the checkpoint reaches on
    those recordings that it has not seen, and what of it is gained; `given` curves that are not
    fitted, on all sources.
    """

    judged: list[Judged]
    all_sources: list[Judged]
    gains: Figures
    unseen: list[Judged]
    on_unseen: tuple[Figures, Figures] | None
    given: list[Judged]
    others: dict[str, list[Judged]]


def combine(ruler: Path, checkpoint: Path, real: Path, *, only: Sequence[str] = ()) -> Told:
    """Judge every candidate on the ruler, and write what helps; `real` holds `ptb-xl/`.

    With `only` so many statements are written, and the curves of all others stay as they lie beside
    the checkpoint: of a ruler that was trained anew they would differ by luck.
    """
    if unknown := sorted({*only} - {*candidates()}):
        raise ConfigError(
            f"found {', '.join(unknown)}; needed statements of {CANDIDATES.name} in train/fit, as "
            f"{', '.join(sorted(candidates())[:3])}; a curve that is given is never fitted"
        )
    places = sorted(ruler.glob("group-*"))
    if not (places and (ruler / FIGURES).is_file()):
        raise ConfigError(
            f"found no finished ruler in {ruler.name!r}; run `python -m train ruler` first, with "
            "this folder as its --out: what it has finished is only read. Of several seeds name "
            "the folder of one, as DIR/seed-7"
        )
    refuse_without_ptbxl(real)
    model = Focal.load(checkpoint)
    beside = _fitted_before(checkpoint, model) if only else {}
    groups = [_group(place) for place in places]
    scores = pooled([one.scores for one in groups])
    measured = [one for group in groups for one in group.measured]
    found = list(judged(scores, measured, SOURCE))
    everything = pooled([scores, *(one.other_scores for one in groups)])
    others_too = [*measured, *(one for group in groups for one in group.other_measured)]
    everywhere = list(judged(everything, others_too, SOURCE))
    kept = combinations([*found, *everywhere])
    if only:
        made = {name: kept.get(name) for name in only}
        kept = {name: one for name, one in {**beside, **made}.items() if one}
    parts = [Part.of(model, one.shards, one.scores, one.measured) for one in groups if model.seen]
    if all(one.new.all() for one in parts):  # none to teach a curve that has not seen the others
        parts = []
    unseen = list(judged_unseen(parts, kept)) if parts else []
    for one in unseen:
        if only and one.statement not in only:
            continue
        told = Unseen(one.recordings, one.positives, round(one.both, 3))
        kept[one.statement] = replace(kept[one.statement], unseen=told)
    curves = {**kept, **GIVEN}
    write(curves, checkpoint, model.fingerprint())
    sets = list(columns(scores, real / "ptb-xl"))
    both = with_measurements(scores, measured, curves)
    for place in places:
        _replaced(Scores.load(place), both).save(ruler / MEASURED / place.name)
    gained = gains(scores, both, sets)
    others = {name: list(_on_others(groups, kept, name)) for name in OTHERS}
    on_unseen = None
    if any(one.new.any() for one in parts):
        on_unseen = gained_unseen(parts, curves, lambda own: list(columns(own, real / "ptb-xl")))
    as_given = list(given(everything, others_too))
    told = Told(found, everywhere, gained, unseen, on_unseen, as_given, others)
    written = json.dumps(dataclasses.asdict(told), indent=1)
    (ruler / "combination.json").write_text(written + "\n", encoding="utf-8")
    return told


def _fitted_before(checkpoint: Path, model: Focal) -> dict[str, Combined]:
    """The curves that lie beside a checkpoint, but for those that are given."""
    found = load_combination(checkpoint, model.fingerprint)
    if not found:
        raise ConfigError(
            f"found no curves beside {checkpoint.name!r} that were made for it, and --only; run "
            "this without --only first"
        )
    return {name: one for name, one in found.items() if name not in GIVEN}


def _replaced(scores: Scores, by: Scores) -> Scores:
    """The scores, those of the records of `by` in their place."""
    rows = {record: row for row, record in enumerate(by.records)}
    pairs = zip(scores.records, scores.log_odds, strict=True)
    told = [by.log_odds[rows[one]] if one in rows else own for one, own in pairs]
    return replace(scores, log_odds=np.array(told, np.float32).reshape(scores.log_odds.shape))


def write(kept: Mapping[str, Combined], checkpoint: Path, fingerprint: str) -> None:
    """Lay the curves beside the weights of a checkpoint, named by its fingerprint; none, and the
    file goes."""
    path = checkpoint / COMBINATION
    if not kept:
        path.unlink(missing_ok=True)
        return
    entries: dict[str, Any] = {MADE_FOR: fingerprint}
    entries |= {
        name: {
            "model": round(one.model, 3),
            "shift": round(one.shift, 3),
            "measured": _written(one.terms),
            **({"unseen": list(dataclasses.astuple(one.unseen))} if one.unseen else {}),
        }
        for name, one in kept.items()
    }
    body = yaml.safe_dump(entries, sort_keys=False, default_flow_style=None, explicit_end=True)
    path.write_text(HEAD + body, encoding="utf-8")


def _written(terms: Sequence[Term]) -> dict[str, list[Any]]:
    """The numbers of each quantity, in a list of their own where it has several terms."""
    found: dict[str, list[Any]] = {}
    for term in terms:
        if term.weight >= NOTHING:
            own = [term.centre, term.scale, round(term.weight, 3), round(term.usual, 3)]
            found.setdefault(term.quantity, []).append(own)
    return {name: rows if len(rows) > 1 else rows[0] for name, rows in found.items()}


def rendered(found: Sequence[Judged]) -> str:
    """A table of what was judged."""
    lines = [
        "| statement | recordings | with it | AUC: model | both | gain (95 %) | loss saved (95 %) |"
        " helps |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.statement} | {one.recordings} | {one.positives} | {one.model:.3f} "
        f"| {one.both:.3f} | {one.gain.said('+.3f')} | {one.loss_saved.said('+.3f')} "
        f"| {'yes' if one.helps else 'no'} |"
        for one in found
    ]
    return "\n".join(lines) + "\n"


def _on_others(
    groups: Sequence[Group], kept: Mapping[str, Combined], name: str
) -> Iterator[Judged]:
    """What is kept, on other sources: each group by a curve of PTB-XL's other groups."""
    for statement in kept:
        terms = candidates()[statement]
        taught = [rows_of(one.scores, one.measured, statement, terms) for one in groups]
        asked = [
            rows_of(one.other_scores, one.other_measured, statement, terms).of(
                np.array([r.source in OTHERS[name] for r in one.other_scores.records], bool)
            )
            for one in groups
        ]
        if found := across(statement, taught, asked, terms):
            yield found


def _group(place: Path) -> Group:
    shards = [Shards.open(folder) for folder in sorted((place / "data").iterdir())]
    found = measured_on(shards, "test", place / "measured.json")
    scores = Scores.load(place)
    own, others = scores.of_source(SOURCE), scores.of_source(*sum(OTHERS.values(), ()))
    mine, theirs = (
        tuple(found[f"{one.source}/{one.key}"] for one in part.records) for part in (own, others)
    )
    return Group(next(one for one in shards if one.name == SOURCE), own, mine, others, theirs)
