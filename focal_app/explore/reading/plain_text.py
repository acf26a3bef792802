"""A reading as a few lines of plain text, to be pasted elsewhere."""

from focal_app.ecg.measurement_names import named
from focal_app.explore.measured.unnamed import HEADING
from focal_app.explore.reading.document import NOTICE
from focal_app.explore.reading.reading import Finding, Reading, most_probable, percent


def plain_text(reading: Reading) -> str:
    """What was measured, what is likely and what contradicts it, and what to mind."""
    found = named(reading.measured.measurements)
    said = [one for one in found if one.measurement.value is not None]
    values = ", ".join(f"{one.name.heading} {one.value}" for one in said)
    besides = ", ".join(one.said for one in reading.unnamed)
    lines = [
        *([f"Measured (estimated): {values}"] if values else []),
        *([f"Not read by the model: {reading.not_read}"] if reading.not_read else []),
        *map(_line, most_probable(reading.findings)),
        *([f"{HEADING}: {besides}"] if besides else []),
        *dict.fromkeys(reading.warnings),
        f"{NOTICE}. Read by a model (FOCAL Explorer).",
    ]
    return "\n".join(lines) + "\n"


def _line(finding: Finding) -> str:
    against = f" (measured against it: {finding.measured})" if finding.contradicted else ""
    return f"{percent(finding.probability)} {finding.prompt}{against}"
