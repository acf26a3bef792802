"""A reading as a table for a terminal, the most probable finding first."""

from collections.abc import Sequence

from focal_app.ecg.recording import LEADS
from focal_app.explore.measured.sentences import first_line
from focal_app.explore.measured.unnamed import HEADING
from focal_app.explore.reading.document import NOTICE, record_document
from focal_app.explore.reading.reading import Finding, Reading, percent
from focal_app.figures.labels import looked, span
from focal_app.figures.places import top_places
from focal_app.figures.prints import wording

HEADINGS = ("probability", "similarity", "group", "finding")
EVEN = "spread evenly"


def table(reading: Reading, *, heatmap: bool) -> str:
    """Facts, warnings, findings in aligned columns, and what the whole is not for."""
    warnings = [f"Warning: {warning}" for warning in reading.warnings]
    findings = sorted(reading.findings, key=lambda finding: -finding.probability)
    rows = [_row(finding) for finding in findings]
    headings = HEADINGS
    if heatmap:
        headings = (*HEADINGS, "where it shows most")
        rows = [
            (*row, _place(reading, finding)) for row, finding in zip(rows, findings, strict=True)
        ]
    scored = aligned([headings, *rows]) if rows else [f"Not read by the model: {reading.not_read}"]
    blocks = [[_facts(reading), *_measured(reading)], warnings, scored, [NOTICE]]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _facts(reading: Reading) -> str:
    facts = record_document(reading.record)
    age, sex = facts["age_years"], facts["sex"]
    said = [
        facts["format"],
        f"{facts['sampling_rate_hz']:g} Hz",
        f"{facts['duration_s']:.1f} s",
        _leads(facts["leads"]),
        *([] if age is None else [f"{age} years"]),
        *([] if sex is None else [sex]),
    ]
    return f"{', '.join(said)}; read: {span(*reading.window_s)}"


def _measured(reading: Reading) -> list[str]:
    line = first_line(reading.measured)
    besides = ", ".join(one.said for one in reading.unnamed)
    return [
        *([f"measured: {line}"] if line else []),
        *([f"{HEADING.lower()}: {besides}"] if besides else []),
    ]


def _leads(leads: list[str]) -> str:
    return "12 leads" if len(leads) == len(LEADS) else f"leads {' '.join(leads)} only"


def _row(finding: Finding) -> tuple[str, ...]:
    shown = (percent(finding.probability), f"{finding.similarity:.3f}")
    return (*shown, finding.group, wording.finding(finding) + _against(finding))


def _against(finding: Finding) -> str:
    """What measurements hold against a finding that the model does not think improbable."""
    refuted = finding.contradicted and not finding.improbable
    return f" (but {finding.measured})" if refuted else ""


def _place(reading: Reading, finding: Finding) -> str:
    places = top_places(reading.heatmap(finding), count=1)
    if not places:
        return EVEN
    best = places[0]
    where = f"{' '.join(best.leads)}, {span(best.start_s, best.end_s)}"
    return f"{where}: {looked(best.share)}"


def aligned(rows: Sequence[tuple[str, ...]], *, right: int = 2) -> list[str]:
    """Lines of equal columns, the first `right` to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column < right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
