"""Cases like an ECG: as a whole, in one finding, or in a marked segment.

hits = similar(explorer, gallery, ecg, by=Whole(), top=10)
hits = similar(explorer, gallery, ecg, by=Finding("atrial flutter"))
hits = similar(explorer, gallery, ecg, by=Segment("V1", 2.0, 4.0))
"""

from dataclasses import dataclass

from focal_app.ecg.recording import ECG
from focal_app.explore.explorer import Explorer
from focal_app.explore.gallery import Filters, Gallery
from focal_app.explore.hits import Hit


@dataclass(frozen=True)
class Whole:
    """By everything that the window shows."""


@dataclass(frozen=True)
class Finding:
    """By how one finding shows: its routed embedding."""

    prompt: str


@dataclass(frozen=True)
class Segment:
    """By the patches of one lead between two times, in seconds from the recording's start."""

    lead: str
    start_s: float
    end_s: float


def similar(
    explorer: Explorer,
    gallery: Gallery,
    ecg: ECG,
    *,
    by: Whole | Finding | Segment = Whole(),  # noqa: B008
    filters: Filters = Filters(),  # noqa: B008
    top: int = 10,
    start_s: float = 0.0,
) -> tuple[Hit, ...]:
    """The `top` cases nearest to the window of `ecg` that starts at `start_s`, nearest first.

    The query itself and further copies of the same signal are left out.
    """
    raise NotImplementedError
