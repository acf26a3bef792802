"""Readings for a spreadsheet: one as a list of what was found, many as a table of a row each."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from focal_app.ecg.measurement_names import named, rounded
from focal_app.ecg.measurements import Measurements
from focal_app.explore.reading.document import NOTICE, record_document
from focal_app.explore.reading.prompts import read_as
from focal_app.explore.reading.reading import Reading

Cell = str | int | float | None
LISTED = (
    "kind",
    "name",
    "read_as",
    "value",
    "unit",
    "spread",
    "device",
    "measured",
    "contradicted",
)
FACTS = (
    *("format", "sampling_rate_hz", "duration_s", "leads", "age_years", "sex"),
    *("device", "filters", "statements"),
)
_PARTS = ("spread", "device")
_SEEN = {True: "seen", False: "none seen", None: None}
_FORMULA = re.compile("(^|;)(?=[=+@\uff1d\uff0b\uff0d\uff20-])")
"""Where a formula would begin: also where semicolons part cells, and with wide East Asian signs."""


def listed_csv(reading: Reading) -> str:
    """One reading: a line a fact, a measurement, a finding and a warning."""
    facts, found = record_document(reading.record), reading.measured
    rows: list[dict[str, Cell]] = [
        *({"kind": "fact", "name": name, "value": _fact(name, facts[name])} for name in FACTS),
        *_measured_rows(found.measurements),
        {"kind": "measurement", "name": "Early beats", "value": found.value("early_beats")},
        {"kind": "measurement", "name": "Pacing spikes", "value": _SEEN[found.spikes_seen]},
        *_finding_rows(reading),
        *({"kind": "unnamed", "name": o.statement, "value": o.measured} for o in reading.unnamed),
        *([{"kind": "not read", "value": reading.not_read}] if reading.not_read else []),
        *({"kind": "warning", "value": warning} for warning in reading.warnings),
        {"kind": "notice", "value": NOTICE},
    ]
    return "".join(map(csv_line, [LISTED, *([row.get(key) for key in LISTED] for row in rows)]))


def headings(prompts: Sequence[str]) -> list[str]:
    """The columns of the table of many, after those that say which recording a row is about."""
    values = [
        name
        for one in named(Measurements())
        for name in (one.field, *(f"{one.field}_{part}" for part in _PARTS))
    ]
    asked = [f"probability of {prompt}" for prompt in prompts]
    read = ("start_s", "end_s", "not_read", "warnings")
    return [
        *FACTS,
        *read,
        *values,
        "early_beats",
        "pacing_spikes",
        "contradicted",
        "unnamed",
        *asked,
    ]


def cells(reading: Reading, prompts: Sequence[str]) -> list[Cell]:
    """The row of a reading, under `headings` of these prompts."""
    facts = record_document(reading.record)
    found = named(reading.measured.measurements)
    values = [
        rounded(one.field, getattr(one.measurement, part))
        for one in found
        for part in ("value", *_PARTS)
    ]
    refuted = [finding.prompt for finding in reading.findings if finding.contradicted]
    probability = {finding.prompt: finding.probability for finding in reading.findings}
    return [
        *(_fact(name, facts[name]) for name in FACTS),
        *reading.window_s,
        reading.not_read,
        " ".join(dict.fromkeys(reading.warnings)),
        *values,
        reading.measured.value("early_beats"),
        _SEEN[reading.measured.spikes_seen],
        "; ".join(refuted),
        "; ".join(one.said for one in reading.unnamed),
        *(_share(probability.get(prompt)) for prompt in prompts),
    ]


def csv_line(row: Iterable[Cell]) -> str:
    """One line; a text that a spreadsheet would take for a formula gets an apostrophe."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([_plain(cell) for cell in row])
    return buffer.getvalue()


def _plain(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    return _FORMULA.sub(r"\1'", " ".join(cell.split()))


def _fact(name: str, value: object) -> Cell:
    if isinstance(value, list):
        return (" " if name == "leads" else "; ").join(value)
    return value  # type: ignore[return-value]


def _share(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 6)


def _measured_rows(measurements: Measurements) -> Iterable[dict[str, Cell]]:
    for one in named(measurements):
        found = one.measurement
        yield {
            "kind": "measurement",
            "name": one.name.heading,
            "value": rounded(one.field, found.value),
            "unit": one.name.unit.strip(),
            "spread": rounded(one.field, found.spread),
            "device": rounded(one.field, found.device),
        }


def _finding_rows(reading: Reading) -> Iterable[dict[str, Cell]]:
    for finding in sorted(reading.findings, key=lambda one: -one.probability):
        decided = finding.contradicted
        yield {
            "kind": "finding",
            "name": finding.prompt,
            "read_as": read_as(finding.prompt),
            "value": _share(finding.probability),
            "unit": "probability",
            "measured": finding.measured,
            "contradicted": None if decided is None else str(decided).lower(),
        }
