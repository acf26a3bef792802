"""Holds a report, and the features that it leaves out, against the ECG itself.

    tags = report_tags("Sinus rhythm. LBBB. PR 210 ms.")
    found = verify(explorer, ecg, tags, lexicon_candidates(tags), report="...")
    table_of(found).rows        # see `table`

Each statement and each feature is read on its own; zones of probability sort them (`verdicts`).
Findings of the everyday set that the report leaves out are read beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from focal_app.ecg.recording import ECG
from focal_app.errors import PromptError, RecordingError
from focal_app.explore.reading.prompts import EVERYDAY, MOST_PROMPTS, prompt_set
from focal_app.explore.reading.reading import Finding, Reading
from focal_app.explore.reading.zones import Zones
from focal_app.explore.report.candidates import Candidate
from focal_app.explore.report.values import Held, held_of
from focal_app.words.prompts import can_be_asked, speaks_of_an_ecg
from focal_app.words.statements import LONGEST_REPORT, ReportTag, Understood, understood

if TYPE_CHECKING:
    from focal_app.explore.reading.explorer import Explorer


@dataclass(frozen=True)
class Verified:
    """A candidate with its score and its heatmap."""

    candidate: Candidate
    finding: Finding


@dataclass(frozen=True)
class Statement:
    """A statement of the report, and what was read or measured of it; neither of unknown words."""

    tag: ReportTag
    finding: Finding | None = None
    held: Held | None = None


@dataclass(frozen=True)
class Verification:
    """A report's statements, all candidates, likeliest first, and the usual findings beside them.

    `proposed` is how many features were proposed before those were left out that the report says
    already or that are no finding of an ECG.
    """

    report: str
    statements: tuple[Statement, ...]
    verified: tuple[Verified, ...]
    others: tuple[Finding, ...]
    zones: Zones
    reading: Reading
    proposed: int

    @cached_property
    def said(self) -> Understood:
        """The report as it is understood: what of it is not checked stands there."""
        return understood(self.report[:LONGEST_REPORT])

    def moved(self, threshold: float | None) -> "Verification":
        """The same scores with another upper border; the same one without."""
        if threshold is None:
            return self
        return replace(self, zones=self.zones.moved(checked_threshold(threshold)))


def verify(
    explorer: "Explorer",
    ecg: ECG,
    tags: Sequence[ReportTag],
    candidates: Sequence[Candidate],
    *,
    report: str = "",
    proposed: int | None = None,
    start_s: float = 0.0,
    tau: float | None = None,
) -> Verification:
    """Scores every tag and every candidate on the window of `ecg` that starts at `start_s`.

    The zones are those of the checkpoint (`moved` has others); `proposed` says how many features
    the candidates were chosen from, where not all became one.
    """
    asked = [tag.prompt for tag in tags if scorable(tag)]
    features = [one.feature for one in candidates]
    if not tags and not features:
        raise PromptError(
            "found no finding in the report; write at least one, such as 'sinus rhythm'."
        )
    known = {*asked, *features}
    others = [p for p in prompt_set(EVERYDAY).prompts if p not in known]
    others = others[: max(MOST_PROMPTS - len(asked) - len(features), 0)]
    reading = explorer.read(ecg, [*asked, *features, *others], start_s=start_s, tau=tau)
    if reading.not_read:
        raise RecordingError(reading.not_read)
    findings = iter(reading.findings)
    statements = tuple(
        Statement(tag, next(findings)) if scorable(tag) else _measured(tag, reading) for tag in tags
    )
    verified = [Verified(one, next(findings)) for one in candidates]
    verified.sort(key=lambda one: -one.finding.probability)
    return Verification(
        report,
        statements,
        tuple(verified),
        tuple(findings),
        explorer.zones,
        reading,
        len(candidates) if proposed is None else proposed,
    )


def scorable(tag: ReportTag) -> bool:
    """Whether the model can be asked: words that are no finding would get a percentage too."""
    own = speaks_of_an_ecg(tag.tag) and can_be_asked(tag.prompt)
    return tag.value is None and (tag.known or own)


def _measured(tag: ReportTag, reading: Reading) -> Statement:
    """A measured statement beside the measured value; of unknown words nothing."""
    if tag.value is None:
        return Statement(tag)
    return Statement(tag, held=held_of(tag, tag.value, reading.measured))


def checked_threshold(threshold: float) -> float:
    """The threshold, or a `PromptError` where it is no probability."""
    if not 0.0 <= threshold <= 1.0:
        raise PromptError(f"found a threshold of {threshold}; needed a probability, 0 to 1.")
    return threshold
