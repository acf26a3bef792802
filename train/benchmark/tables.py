"""Every table, rendered from result files alone, with the paper's numbers marked as published.

python -m train tables --results runs/results --out runs/tables
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from train.benchmark.metrics import Interval
from train.benchmark.publication import (
    asterisk,
    judged,
    of_published_labels,
    of_read_features,
    published,
    whole,
    whole_in_all,
)
from train.benchmark.results import Result
from train.benchmark.seeds import (
    average,
    by_row,
    control_of,
    gain_of_seeds,
    left_out_note,
    paired,
    pooled,
    read_interval,
    seeds_note,
    shown,
)
from train.benchmark.sets import SETS
from train.benchmark.table import Table

Cells = defaultdict[str, dict[str, str]]
"""What is shown, by row and by column."""
GAINS = (
    "Gain in macro AUC in percent over the same recordings, seed against the same seed; the "
    "interval is of other seeds alone (Student's t, 95 %)."
)
GRID = re.compile(r"(epsilon|tau|threshold)-[\d.]+")
"""Runs of an ablation that belong to its grid over these settings."""
MACRO = (
    "Macro AUC in percent with a 95 % bootstrap interval. Rows marked (published) are the paper's "
    "numbers; average is over the sets that are there."
)


def grid(
    name: str,
    title: str,
    cells: Mapping[str, Mapping[str, str]],
    *,
    note: str = "",
    order: Iterable[str] = (),
    beside: Collection[str] = (),
) -> Table:
    """Measured rows by name, then the published ones, under the columns that both have.

    Published numbers stand in the columns `beside` which they are of the same recordings.
    """
    theirs: dict[str, Any] = {"columns": [], "rows": {}, **published().get(name, {})}
    measured = list(dict.fromkeys(column for row in cells.values() for column in row))
    wanted = [*order, *theirs["columns"], *measured]
    columns = [c for c in dict.fromkeys(wanted) if c in measured]
    rows = [(row, *(found.get(c, "-") for c in columns)) for row, found in cells.items()]
    for row, values in theirs["rows"].items():
        both = zip(theirs["columns"], values, strict=True)
        known = {column: value for column, value in both if column in beside}
        decimals = theirs.get("decimals", 1)
        shown = [f"{known[c]:.{decimals}f}" if c in known else "-" for c in columns]
        if any(cell != "-" for cell in shown):
            rows.append((f"{row} (published)", *shown))
    return Table(name, title, ("", *columns), tuple(rows), note)


def zeroshot(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by set, and every class of every set."""
    cells: Cells = defaultdict(dict)
    values: dict[str, list[float]] = defaultdict(list)
    for one in results:
        found = one.figures
        row = f"{one.name}, {found['mode']}, by {found['read_by']}"
        if "published labels" in found["source"]:
            row += ", published labels"
        while one.dataset in cells.get(row, {}):
            row += ", other options"
        cells[row][one.dataset] = interval(found["macro_auc"]) + asterisk(one)
        values[row].append(found["macro_auc"]["value"])
    for row, found in values.items():
        cells[row]["average"] = f"{100 * sum(found) / len(found):.1f} ({len(found)} sets)"
    note = (
        f"{MACRO} An asterisk: not the whole published test split. Published rows were trained on "
        "MIMIC-IV-ECG alone; a checkpoint whose card says that it was trained on the source of a "
        "set reads other patients of a source that it knows."
    )
    beside = whole(judged(one) for one in results if of_published_labels(one, one.dataset))
    yield grid("zeroshot", "Zero-shot classification", cells, note=note, order=SETS, beside=beside)
    yield from map(_classes, results)


def probe(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by set and share of the training rows."""
    cells: Cells = defaultdict(dict)
    beside = set()
    for one in results:
        for found in one.figures["probes"]:
            row = one.name if found["encoder"] == "checkpoint" else f"{one.name}, random encoder"
            column = f"{one.dataset} {100 * found['share']:g}%"
            cells[row][column] = interval(found["figures"]["macro_auc"])
            alike = of_published_labels(one, one.dataset)
            if alike and whole([(one.dataset, found["figures"]["recordings"])]):
                beside.add(column)
    yield grid("probe", "Linear probe", cells, note=MACRO, beside=beside)


def transfer(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by pair of sets."""
    cells: Cells = defaultdict(dict)
    beside = set()
    for one in results:
        found = one.figures
        column = f"{found['source']} to {found['target']}"
        row = f"{one.name} ({found['method']})"
        cells[row][column] = interval(found["figures"]["macro_auc"])
        count = found["figures"]["recordings"] + found["left_out"]
        alike = found["split"] == "test" and of_published_labels(one, found["target"])
        if alike and whole([(found["target"], count)]):
            beside.add(column)
    yield grid("transfer", "Transfer between sets", cells, note=MACRO, beside=beside)


def ablation(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by set, findings and places of simulated recordings, and transfer.

    Runs of the grid over epsilon, tau and threshold have a table of their own.
    """
    of_grid = [one for one in results if GRID.match(one.name)]
    if others := [one for one in results if one not in of_grid]:
        yield _compared("ablation", "Ablation", others)
    if of_grid:
        title = "Sensitivity to epsilon, tau and threshold, each row trained"
        yield _compared("sensitivity-trained", title, of_grid)
    yield from _gains(results)
    if any(one.figures["transfer"] for one in results):
        yield _ablation_transfer(results)


def _gains(results: Sequence[Result]) -> Iterator[Table]:
    """Every row against its control, where both were trained with the same several seeds."""
    rows, cells, left_out = by_row(results), {}, 0
    for row, found in rows.items():
        control = control_of(row)
        if row == control:
            continue
        same, others = paired(found, rows.get(control, []))
        left_out += others
        both = [(_of_one(one), _of_one(other)) for one, other in same]
        if len(both) > 1:
            columns = [name for name in both[0][0] if all(name in one for p in both for one in p)]
            cells[f"{row}, over {control}"] = {
                name: shown(gain_of_seeds([(a[name], b[name]) for a, b in both]), sign=True)
                for name in columns
            }
    if cells or left_out:
        note = GAINS + left_out_note(left_out)
        yield grid("ablation-gain", "Ablation, gains", cells, note=note)


def components(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by set."""
    yield _compared("components", "Components", results)


def _compared(name: str, title: str, results: Sequence[Result]) -> Table:
    rows = by_row(results)
    cells = {row: _pooled_cells([_of_one(one) for one in found]) for row, found in rows.items()}
    note = MACRO + seeds_note(rows)
    order, beside = (*SETS, "average"), whole_in_all(results)
    return grid(name, title, cells, note=note, order=order, beside=beside)


def _of_one(result: Result) -> dict[str, Interval]:
    """What is judged of one training, by column."""
    found, simulated = result.figures, result.figures.get("simulated")
    made = {name: read_interval(one) for name, one in found["zeroshot"].items()}
    made["average"] = average(list(made.values()))
    if simulated:
        made["simulated"] = read_interval(simulated["macro_auc"])
        made["places, AUC of patches"] = read_interval(simulated["patch_auc_interval"])
    return made


def _ablation_transfer(results: Sequence[Result]) -> Table:
    rows, cells = by_row(results), {}
    for row, found in rows.items():
        pairs = [{k: read_interval(v) for k, v in r.figures["transfer"].items()} for r in found]
        some = [{**one, "average": average(list(one.values()))} for one in pairs if one]
        cells[row] = _pooled_cells(some)
    note, sets = MACRO + seeds_note(rows), whole_in_all(results)
    beside = {pair for row in cells.values() for pair in row if pair.split(" to ")[-1] in sets}
    return grid("ablation-transfer", "Ablation, on transfer", cells, note=note, beside=beside)


def _pooled_cells(seeds: Sequence[Mapping[str, Interval]]) -> dict[str, str]:
    """Every column that all seeds have, pooled over them."""
    columns = [name for name in seeds[0] if all(name in one for one in seeds)] if seeds else []
    return {name: shown(pooled([one[name] for one in seeds])) for name in columns}


def sensitivity(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by setting of the transport."""
    cells = {}
    for one in results:
        for row, found in one.figures["settings"].items():
            measured = {d: read_interval(i) for d, i in found["zeroshot"].items()}
            measured["average"] = average(list(measured.values()))
            cells[f"{one.name}, {row}"] = {name: shown(i) for name, i in measured.items()}
    note = (
        MACRO
        + " One checkpoint, read with another setting; nothing is trained. A prompt that is read "
        "alone sees epsilon and tau by their sum, so both halves of the table are one curve."
    )
    title = "One trained checkpoint, read with other epsilons and taus"
    yield grid("sensitivity", title, cells, note=note, order=(*SETS, "average"))


def enrichment(results: Sequence[Result]) -> Iterator[Table]:
    """AUC by feature, with and without verification; published ones beside the same protocol."""
    cells = {}
    for one in results:
        for found in one.figures["features"]:
            few = " (few)" if found["few"] else ""
            cells[f"{one.name}: {found['feature']}{few}"] = {
                "without verification": interval(found["unverified"]),
                "with verification": interval(found["verified"]),
                "positives": str(found["positives"]),
            }
    title = "Generated waveform features against reference labels"
    note = (
        "Records of the training of the model that verified are among those judged; what is "
        "proposed for a record is what its report does not state."
    )
    beside = ("without verification", "with verification") if of_read_features(results) else ()
    yield grid("enrichment-auc", title, cells, note=note, beside=beside)


def inference_time(results: Sequence[Result]) -> Iterator[Table]:
    """Relative times by way to read."""
    rows = tuple(
        (one.name, way["name"], f"{way['relative']:.2f}", f"{way['ecg_per_second']:.0f}")
        for one in results
        for way in one.figures["ways"]
    )
    columns = ("", "way to read", "time over the encoder's", "ECG/s")
    note = "Prompts are encoded beforehand. ECG/s depends on the machine; the ratio hardly does."
    title = "Relative time of the ways to read one checkpoint"
    yield Table("inference-time", title, columns, rows, note)


def retrieval(results: Sequence[Result]) -> Iterator[Table]:
    """Recall and ranks, both ways."""
    rows = []
    for one in results:
        for key, way in (("ecg_to_text", "ECG to text"), ("text_to_ecg", "text to ECG")):
            found = one.figures[key]
            recalls = (
                f"{interval(found['recall'][k])}; chance {percent(found['chance_recall'][k])}"
                for k in ("1", "5", "10")
            )
            middle = f"{found['median_rank']:g} of {found['candidates']}"
            chance = f"chance {found['chance_median_rank']:g}"
            rows.append((one.name, way, *recalls, f"{middle}; {chance}"))
    columns = ("", "direction", "recall@1", "recall@5", "recall@10", "median rank")
    yield Table("retrieval", "Retrieval", columns, tuple(rows))


def subgroups(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by sex and age."""
    cells: Cells = defaultdict(dict)
    for one in results:
        for group in one.figures["groups"]:
            shown = f"{interval(group['macro_auc'])}, n {group['recordings']}"
            cells[f"{one.name}, {one.dataset}"][group["name"]] = shown
    note = "Each row is over the classes with five positives and negatives in every group."
    yield grid("subgroups", "By sex and age", cells, note=note)


def localisation(results: Sequence[Result]) -> Iterator[Table]:
    """Where the plan lies."""
    rows = []
    for one in results:
        simulated, real = one.figures.get("simulated"), one.figures.get("territory")
        if simulated:
            shares = (
                f"{percent(simulated['share_on_place'])} (even {percent(simulated['even_share'])})"
            )
            rows.append(
                (one.name, "simulated, AUC of patches", percent(simulated["patch_auc"]), "-")
            )
            rows.append((one.name, "simulated, share of the plan on the place", shares, "-"))
        if real:
            lift, rest = real["lift"], real["lift_elsewhere"]
            what = f"PTB-XL, lift on the territory, {real['findings']} findings"
            rows.append((one.name, what, _times(lift), _times(rest)))
            what = f"the same, mean over {len(real['statements'])} statements"
            each, others = real["by_statement"], real["by_statement_elsewhere"]
            rows.append((one.name, what, _times(each), _times(others)))
    columns = ("", "what", "found", "the same where the finding is absent")
    yield Table(
        "localisation", "Does the heatmap lie where the finding shows?", columns, tuple(rows)
    )


def _classes(result: Result) -> Table:
    found = result.figures
    rows = tuple(
        (
            one["label"],
            one["prompt"],
            f"{one['positives']}{' (few)' if one['few'] else ''}",
            *(percent(one[key]) for key in ("auc", "auprc", "f1")),
            "-" if one["brier"] is None else f"{one['brier']:.3f}",
        )
        for one in found["classes"]
    )
    macro = (interval(found[key]) for key in ("macro_auc", "macro_auprc", "macro_f1"))
    brier = f"{found['calibration']['brier']:.3f}"
    last = ("macro", "", f"{found['recordings']} recordings", *macro, brier)
    columns = ("class", "read by", "positives", "AUC", "AUPRC", "F1", "Brier")
    name = f"classes-{result.name}-{result.dataset}-{found['mode']}-{found['read_by']}"
    title = f"{result.dataset}, {result.name}, {found['mode']}, by {found['read_by']}"
    note = (
        f"{found['source']}; split {found['split']}{_left_out(found.get('seen'))}; F1 thresholds "
        f"from {found['thresholds']}."
    )
    return Table(name, title, columns, (*rows, last), note)


def _left_out(seen: int | None) -> str:
    if seen is None:
        return ", whom the checkpoint was trained on is not known"
    return f", {seen} recordings of patients of its training left out" if seen else ""


def percent(value: float | None) -> str:
    """A share in percent, or a dash."""
    return "-" if value is None else f"{100 * value:.1f}"


def interval(found: Mapping[str, float | None]) -> str:
    """A share with its interval, in percent."""
    return shown(read_interval(found))


def _times(found: Mapping[str, float | None]) -> str:
    return "-" if found["value"] is None else read_interval(found).said(".2f")
