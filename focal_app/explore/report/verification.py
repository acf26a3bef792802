"""Holds a report, and the features that it leaves out, against the ECG itself.

    tags = report_tags("Sinus rhythm. LBBB.")
    verification = verify(explorer, ecg, tags, lexicon_candidates(tags), report="...")
    verification.accepted, verification.rejected

A candidate's verification score is the model's calibrated probability of it on this ECG. The paper
keeps what reaches 0.95 (section 3.2); each is read on its own, so that a threshold only sorts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from focal_app.ecg.recording import ECG
from focal_app.errors import PromptError, RecordingError
from focal_app.explore.reading.document import NOTICE, record_document, window_document
from focal_app.explore.reading.reading import Finding, Reading
from focal_app.explore.report.candidates import Candidate
from focal_app.words.prompts import speaks_of_an_ecg
from focal_app.words.statements import LONGEST_REPORT, ReportTag, understood

THRESHOLD = 0.95
RHYTHM = "sinus rhythm"
TOLERANCES = {
    "rate_per_min": 5.0,
    "pr_ms": 20.0,
    "qrs_ms": 15.0,
    "qt_ms": 30.0,
    "qtc_bazett_ms": 30.0,
    "qtc_fridericia_ms": 30.0,
    "axis_degrees": 20.0,
}
"""How far a stated value may lie from the measured one: about what two readers differ by."""
ADDED = "Waveform features that the model verified on the ECG (probability {threshold} or more):"
FROM_SUSPECTED = "from a suspected finding"


class Reads(Protocol):
    """What verification needs of an explorer."""

    def read(
        self, ecg: ECG, prompts: Sequence[str], *, start_s: float = 0.0, tau: float | None = None
    ) -> Reading:
        """Every prompt against one window of an ECG."""
        ...


@dataclass(frozen=True)
class Verified:
    """A candidate with its score and its heatmap."""

    candidate: Candidate
    finding: Finding

    @property
    def probability(self) -> float:
        """The verification score, in [0, 1]."""
        return self.finding.probability


@dataclass(frozen=True)
class TagReading:
    """A statement of the report, and what the ECG has to say to it.

    `finding` is the model's view, None of what is measured or unknown. Of a measured statement
    `measured` is the value of this ECG and `agrees` whether it fits; None where none was measured.
    """

    tag: ReportTag
    finding: Finding | None = None
    measured: float | None = None
    agrees: bool | None = None


@dataclass(frozen=True)
class Verification:
    """A report's tags and all candidates against one window of an ECG, likeliest first."""

    report: str
    tags: tuple[TagReading, ...]
    verified: tuple[Verified, ...]
    threshold: float
    reading: Reading

    @property
    def accepted(self) -> tuple[Verified, ...]:
        """The candidates that reach the threshold."""
        return tuple(one for one in self.verified if one.probability >= self.threshold)

    @property
    def rejected(self) -> tuple[Verified, ...]:
        """The candidates that do not."""
        return tuple(one for one in self.verified if one.probability < self.threshold)


def verify(
    explorer: Reads,
    ecg: ECG,
    tags: Sequence[ReportTag],
    candidates: Sequence[Candidate],
    *,
    report: str = "",
    threshold: float = THRESHOLD,
    start_s: float = 0.0,
    tau: float | None = None,
) -> Verification:
    """Scores every tag and every candidate on the window of `ecg` that starts at `start_s`."""
    checked_threshold(threshold)
    asked = [tag.prompt for tag in tags if scorable(tag)]
    proposed = [one.feature for one in candidates]
    if not tags and not proposed:
        raise PromptError(
            "found no finding in the report; write at least one, such as 'sinus rhythm'."
        )
    # A report of nothing but numbers is read too: what is measured comes with a reading.
    reading = explorer.read(ecg, [*asked, *proposed] or [RHYTHM], start_s=start_s, tau=tau)
    if reading.not_read:
        raise RecordingError(reading.not_read)
    findings = iter(reading.findings)
    read_tags = tuple(
        TagReading(tag, next(findings)) if scorable(tag) else _held(tag, reading) for tag in tags
    )
    verified = [Verified(one, next(findings)) for one in candidates]
    verified.sort(key=lambda one: -one.probability)
    return Verification(report, read_tags, tuple(verified), threshold, reading)


def scorable(tag: ReportTag) -> bool:
    """Whether the model can be asked: words that are no finding would get a percentage too."""
    return tag.value is None and (tag.known or speaks_of_an_ecg(tag.tag))


def _held(tag: ReportTag, reading: Reading) -> TagReading:
    """A measured statement against the measured value, where there is one."""
    if tag.value is None or reading.measured is None:
        return TagReading(tag)
    found = getattr(reading.measured.measurements, tag.value.name).value
    if found is None:
        return TagReading(tag)
    agrees = tag.value.holds(found, tolerance=TOLERANCES[tag.value.name])
    return TagReading(tag, measured=found, agrees=agrees)


def checked_threshold(threshold: float) -> float:
    """The threshold, or a `PromptError` where it is no probability."""
    if not 0.0 <= threshold <= 1.0:
        raise PromptError(f"found a threshold of {threshold}; needed a probability, 0 to 1.")
    return threshold


def enriched_text(verification: Verification) -> str:
    """The report as it was, and below it the features that were verified."""
    tags = (read.tag for read in verification.tags)
    said = verification.report.strip() or "\n".join(tag.words for tag in tags)
    features = [f"- {feature_words(one.candidate)}" for one in verification.accepted]
    added = ADDED.format(threshold=f"{verification.threshold:g}")
    lines = chain([said, "", added], features or ["- none"], ["", f"{NOTICE}."])
    return "\n".join(lines) + "\n"


def feature_words(candidate: Candidate) -> str:
    """A feature, and that only suspected findings propose it where that is so."""
    return f"{candidate.feature} ({FROM_SUSPECTED})" if candidate.suspected else candidate.feature


def document(verification: Verification) -> dict[str, Any]:
    """The enriched report as plain values, with the recording and the window that were read."""
    reading = verification.reading
    return {
        "record": record_document(reading.record),
        "window": window_document(reading),
        "warnings": list(reading.warnings),
        **enriched_json(verification),
    }


def enriched_json(verification: Verification) -> dict[str, Any]:
    """The report, its tags and all candidates with every score."""
    return {
        "report": verification.report,
        "threshold": verification.threshold,
        "tags": [_statement(read) for read in verification.tags],
        "asides": [vars(one) for one in understood(verification.report[:LONGEST_REPORT]).asides],
        "accepted": [_entry(one) for one in verification.accepted],
        "rejected": [_entry(one) for one in verification.rejected],
        "notice": NOTICE,
    }


def _statement(read: TagReading) -> dict[str, Any]:
    """What the report says, and what the ECG says to it: null where that is nothing."""
    tag = read.tag
    return {
        "text": tag.text,
        "tag": tag.tag,
        "known": tag.known,
        "denied": tag.denied,
        "suspected": tag.suspected,
        "age": tag.age or None,
        "leads": list(tag.leads),
        "value": tag.value.document() if tag.value else None,
        "measured": read.measured,
        "agrees": read.agrees,
        **_scores(read.finding),
    }


def _entry(one: Verified) -> dict[str, Any]:
    return {
        "feature": one.candidate.feature,
        "source": one.candidate.source,
        "proposed_by": list(one.candidate.proposed_by),
        "from_suspected": one.candidate.suspected,
        **_scores(one.finding),
    }


def _scores(finding: Finding | None) -> dict[str, float | None]:
    if finding is None:
        return {"probability": None, "similarity": None}
    return {
        "probability": round(finding.probability, 6),
        "similarity": round(finding.similarity, 6),
    }
