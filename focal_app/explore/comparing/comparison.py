"""Two ECGs of one patient, read alike: what is new, what is gone, and what is as before.

comparison = compare(explorer, earlier, later, ["LBBB", "ST elevation"])
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measurement_names import rounded
from focal_app.ecg.measurements import Measurement
from focal_app.explore.comparing.changes import (
    Change,
    FindingChange,
    Verdict,
    finding_changes,
    measured_changes,
)
from focal_app.explore.reading.document import NOTICE, record_document, window_document
from focal_app.explore.reading.reading import Reading

if TYPE_CHECKING:
    from focal_app.explore.reading.explorer import Explorer


@dataclass(frozen=True)
class Comparison:
    """Both readings, and every change between them."""

    earlier: Reading
    later: Reading
    measured: tuple[Change, ...]
    findings: tuple[FindingChange, ...]

    @classmethod
    def of(cls, earlier: Reading, later: Reading) -> "Comparison":
        """The changes between two readings."""
        measured = measured_changes(earlier.measured.measurements, later.measured.measurements)
        return cls(earlier, later, tuple(measured), tuple(finding_changes(earlier, later)))

    @property
    def pacing(self) -> Verdict:
        """What became of the spikes of a pacemaker."""
        then, now = self.earlier.measured.spikes_seen, self.later.measured.spikes_seen
        if then is None or now is None:
            return "not measured"
        return "as before" if then == now else ("new" if now else "gone")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against comparing these two."""
        records = self.earlier.record, self.later.record
        sexes = {record.sex for record in records if record.sex}
        ages = [record.age_years for record in records if record.age_years is not None]
        odd = len(sexes) > 1 or (len(ages) == 2 and ages[0] > ages[1])
        unread = [one.not_read for one in (self.earlier, self.later) if one.not_read]
        said = [f"Findings are not compared: {why}" for why in unread]
        return (*([OTHER_PATIENT] if odd else []), *said)


OTHER_PATIENT = (
    "Sex or age of the two recordings do not fit one patient with the earlier ECG before the later."
)


def compare(
    reader: "Explorer", earlier: CompleteECG, later: CompleteECG, prompts: Sequence[str]
) -> Comparison:
    """Reads the first window of both with the same prompts, and says what changed."""
    return Comparison.of(*(reader.read(ecg, prompts) for ecg in (earlier, later)))


def document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain values for JSON."""
    sides = {"earlier": comparison.earlier, "later": comparison.later}
    return {
        **{name: _side(reading) for name, reading in sides.items()},
        "warnings": list(comparison.warnings),
        "measurements": {change.field: _measured(change) for change in comparison.measured},
        "pacing_spikes": {
            **{name: reading.measured.spikes_seen for name, reading in sides.items()},
            "verdict": comparison.pacing,
        },
        "findings": [_finding(change) for change in comparison.findings],
        "notice": NOTICE,
    }


def _side(reading: Reading) -> dict[str, Any]:
    return {
        "record": record_document(reading.record),
        "window": window_document(reading),
        "warnings": list(reading.warnings),
    }


def _measured(change: Change) -> dict[str, Any]:
    return {
        "earlier": _values(change.field, change.earlier),
        "later": _values(change.field, change.later),
        "by": rounded(change.field, change.by),
        "verdict": change.verdict,
    }


def _values(field: str, one: Measurement) -> dict[str, float | None]:
    return {key: rounded(field, value) for key, value in asdict(one).items()}


def _finding(change: FindingChange) -> dict[str, Any]:
    return {
        "prompt": change.prompt,
        "earlier": round(change.earlier.probability, 6),
        "later": round(change.later.probability, 6),
        "verdict": change.verdict,
    }
