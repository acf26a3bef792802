"""Tables of the experiment on reports that leave features out, pooled over seeds."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from train.benchmark.metrics import Interval, interval_of
from train.benchmark.results import Result
from train.benchmark.seeds import (
    by_row,
    control_of,
    left_out_note,
    paired,
    pooled,
    pooled_gain,
    read_interval,
    seeds_note,
    shown,
    suffix_of,
)
from train.benchmark.table import Table
from train.data.stated_shares import GROUPS


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
    missing = sorted({control for row in rows if (control := control_of(row)) not in rows})
    if missing:
        note += f" Without {' and '.join(f'`{one}`' for one in missing)} no gain over it is told."
    yield Table("omitted-features", "Features by how often reports said them", columns, cells, note)
    yield from _gains(rows, groups, columns)


def _gains(
    rows: Mapping[str, Sequence[Result]], groups: Sequence[str], columns: tuple[str, ...]
) -> Iterator[Table]:
    """What rows add to their control, by group; a table a kind of control."""
    gains: dict[str, list[tuple[str, ...]]] = {}
    left_out = Counter[str]()
    for row, found in rows.items():
        control = control_of(row)
        if row == control or control not in rows:
            continue
        same, others = paired(found, rows[control])
        kind = control.removesuffix(suffix_of(control)).removesuffix(" coarse")
        gains.setdefault(kind, []).append((row, *(_gain(same, group) for group in groups)))
        left_out[kind] += others
    for kind, cells in gains.items():
        note = (
            "Points of AUC; each seed against the same seed of the control, each draw of "
            "recordings against the same draw."
        )
        note += seeds_note(rows) + left_out_note(left_out[kind])
        name, title = f"omitted-features-gain-over-{kind}", f"The same, against `{kind}`"
        yield Table(name, title, columns, tuple(cells), note)


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
        f"not the lexicon's first, {100 * first['understood']:.0f} % were understood. Records of "
        "the verifying model's training are among them." + seeds_note(rows)
    )
    yield Table("verification-quality", "What verification kept", columns, tuple(cells), note)


def _group(result: Result, name: str) -> Mapping[str, Any]:
    return result.figures["groups"][name]


def _gain(pairs: Sequence[tuple[Result, Result]], name: str) -> str:
    """The difference of two rows over the seeds that both have."""
    differences = [_difference(_group(one, name), _group(control, name)) for one, control in pairs]
    return shown(pooled_gain(differences), sign=True) if differences else "-"


def _difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> Interval:
    value, its = (read_interval(each["macro_auc"]).value for each in (one, other))
    drawn, others = (np.array(each["draws"], float) for each in (one, other))
    return interval_of(value - its, drawn - others)
