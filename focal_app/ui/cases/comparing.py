"""By what an ECG is compared: what the controls of Similar stand for, and what they mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focal_app.errors import PromptError
from focal_app.figures.layout import THREE_BY_FOUR
from focal_app.figures.marks import Marked
from focal_app.ui import wording as reading_wording
from focal_app.ui.cases import wording
from focal_app.ui.cases.state import CasesState
from focal_app.ui.read.state import View

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.similar import Finding, Segment, Whole

BY = {wording.BY_WHOLE: "whole", wording.BY_FINDING: "finding", wording.BY_SEGMENT: "segment"}


@dataclass(frozen=True)
class Compared(CasesState):
    """The cases, the recording and window with which they were compared, and in what."""

    unasked = wording.NOT_COMPARED
    view: View | None = None
    by: Whole | Finding | Segment | None = None

    def fits(self, view: View) -> bool:
        """Whether that window is the one that is open now."""
        before = self.view
        return before is not None and before.ecg is view.ecg and before.start_s == view.start_s

    @property
    def caption(self) -> str:
        """What the figures beside the cases are."""
        from focal_app.explore.cases.similar import Finding

        if isinstance(self.by, Finding):
            return wording.ordered_by(self.by.prompt)
        return wording.LIKENESS_SHOWN


def shown_s(lead: str) -> tuple[float, float]:
    """The seconds of the window in which the usual layout shows a lead."""
    strip = next(strip for strip in THREE_BY_FOUR.strips if strip.lead == lead)
    return strip.start_s, strip.end_s


def window_start_s(view: View) -> float:
    """Where the window that was read begins."""
    return view.reading.start_s if view.reading else view.start_s


def segment_of(
    lead: str | None, from_s: float | None, to_s: float | None, start_s: float, end_s: float
) -> Segment:
    """The segment that the controls stand for; an empty one is the window's start or end."""
    from focal_app.explore.cases.similar import Segment

    first = start_s if from_s is None else float(from_s)
    return Segment(lead or "", first, end_s if to_s is None else float(to_s))


def asked_by(by: str, finding: str | None, segment: Segment) -> Whole | Finding | Segment:
    """One of the ways of comparing; a `PromptError` where something is not chosen."""
    from focal_app.explore.cases.similar import Finding, Whole

    kind = BY.get(by)
    if kind == "finding":
        if not finding:
            raise PromptError(reading_wording.CHOOSE)
        return Finding(finding)
    if kind == "segment" and not segment.lead:
        raise PromptError(wording.NO_LEAD)
    return segment if kind == "segment" else Whole()


def marked_in(view: View | None, by: Whole | Finding | Segment | None) -> Marked | None:
    """The frame of a segment by which was compared, in seconds of the window."""
    from focal_app.explore.cases.similar import Segment

    if view is None or not isinstance(by, Segment):
        return None
    return Marked(by.lead, by.start_s - window_start_s(view), by.end_s - window_start_s(view))
