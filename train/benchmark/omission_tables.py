"""Tables of the experiment on reports that leave features out, pooled over seeds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from train.benchmark.apart import suffix_of
from train.benchmark.metrics import Interval, interval_of
from train.benchmark.results import Result
from train.benchmark.seeds import by_row, pooled, pooled_gain, seed_of, seeds_note, shown
from train.benchmark.table import Table
from train.data.stated_shares import GROUPS

CONTROL, FROM_SCRATCH = "fine-plain", "from-scratch-plain coarse"
"""What an arm is held against: as many steps, going on or from scratch, on reports as they are."""


def omitted(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by how often the reports said a feature, then what each arm adds to the control."""
    rows = by_row(results)
    groups = [name for name in GROUPS if any(name in one.figures["groups"] for one in results)]
    counts = {
        name: len(one.figures["groups"][name]["features"])
        for one in results
        for name in groups
        if name in one.figures["groups"]
    }
    columns = ("", *(f"{name} ({counts[name]} features)" for name in groups))
    cells = tuple(
        (
            row,
            *(shown(pooled([_group(one, name)["macro_auc"] for one in found])) for name in groups),
        )
        for row, found in rows.items()
    )
    recordings = results[0].figures["recordings"]
    note = f"Macro AUC in percent on {recordings} simulated ECGs." + seeds_note(rows)
    if FROM_SCRATCH not in rows and any(map(_scratch, rows)):
        note += f" Without `{FROM_SCRATCH}` no gain from scratch is told."
    yield Table("omitted-features", "Features by how often reports said them", columns, cells, note)
    for name, control in (("gain", CONTROL), ("gain-from-scratch", FROM_SCRATCH)):
        gains = tuple(
            (row, *(_gain(found, rows[own], group) for group in groups))
            for row, found in rows.items()
            if (own := control + suffix_of(row)) in rows
            and row != own
            and _scratch(row) == _scratch(control)
        )
        if not gains:
            continue
        title = f"The same, against `{control.removesuffix(' coarse')}`"
        note = (
            "Points of AUC; each seed against the same seed of the control, each draw of "
            "recordings against the same draw." + seeds_note(rows)
        )
        yield Table(f"omitted-features-{name}", title, columns, gains, note)


def verification(results: Sequence[Result]) -> Iterator[Table]:
    """Shares of true proposals kept and of false ones refused, by threshold."""
    rows = by_row(results)
    kept = [name for name in GROUPS if any(name in one.figures["kept"] for one in results)]
    refused = sorted({name for one in results for name in one.figures["refused"]})
    columns = (
        *("", "threshold"),
        *(f"true kept, {name}" for name in kept),
        *(f"{name} false ones refused" for name in refused),
        *("true among the accepted", "true among all proposed"),
    )
    cells = []
    for row, found in rows.items():
        figures = [one.figures for one in found]
        shares = [[one["kept"][name] for one in figures] for name in kept]
        shares += [[one["refused"][name] for one in figures] for name in refused]
        shares += [[one[name] for one in figures] for name in ("true", "proposed_true")]
        cells.append((row, f"{figures[0]['threshold']:g}", *(shown(pooled(s)) for s in shares)))
    first = results[0].figures
    pairs = ", ".join(f"{count:,} {name}" for name, count in first["pairs"].items())
    note = (
        f"Shares in percent. Pairs of a record and a proposal: {pairs}. Of the wordings that were "
        f"not the lexicon's first, {100 * first['understood']:.0f} % were understood."
        + seeds_note(rows)
    )
    yield Table("verification-quality", "What verification kept", columns, tuple(cells), note)


def _scratch(row: str) -> bool:
    return row.startswith("from-scratch")


def _group(result: Result, name: str) -> Mapping[str, Any]:
    return result.figures["groups"][name]


def _gain(found: Sequence[Result], control: Sequence[Result], name: str) -> str:
    """The difference of two rows over the seeds that both have."""
    theirs = {seed_of(one.name): _group(one, name) for one in control}
    pairs = [(_group(one, name), theirs.get(seed_of(one.name))) for one in found]
    differences = [_difference(one, other) for one, other in pairs if other]
    return shown(pooled_gain(differences), sign=True) if differences else "-"


def _difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> Interval:
    value = one["macro_auc"]["value"] - other["macro_auc"]["value"]
    return interval_of(value, np.array(one["draws"]) - np.array(other["draws"]))
