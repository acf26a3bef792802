"""Where every lead stands on the paper: 3x4 with a rhythm strip, or 12x1.

A page is 10 s wide and in both layouts a second of the window stands at the same place of the
page, so `x_mm = 25 * seconds`, with the calibration pulse left of zero.
"""

from dataclasses import dataclass

from focal_app.ecg.recording import LEADS

MM_PER_S = 25.0
MM_PER_MV = 10.0
PAGE_S = 10.0
PAGE_MM = PAGE_S * MM_PER_S
PX_PER_MM = 4
"""Whole pixels a millimetre keep the grid lines sharp; 3 where the window is narrow."""


@dataclass(frozen=True)
class Strip:
    """One lead drawn once: seconds `[start_s, end_s)` of the window, on a row from the top."""

    lead: str
    row: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class PageLayout:
    """A named arrangement of strips; rows are `pitch_mm` apart."""

    name: str
    strips: tuple[Strip, ...]
    pitch_mm: float

    @property
    def rows(self) -> int:
        """How many rows of strips the page has."""
        return 1 + max(strip.row for strip in self.strips)

    def baseline_mm(self, row: int) -> float:
        """Height of a row's zero line above the zero line of the lowest row."""
        return (self.rows - 1 - row) * self.pitch_mm

    def shows(self, lead: str, start_s: float, end_s: float) -> bool:
        """Whether seconds of the window of a lead are on the paper, at least in part."""
        return any(
            strip.lead == lead and strip.start_s < end_s and start_s < strip.end_s
            for strip in self.strips
        )


def _quarter(place: int, lead: str) -> Strip:
    column, row = divmod(place, 3)
    return Strip(lead, row, 2.5 * column, 2.5 * (column + 1))


THREE_BY_FOUR = PageLayout(
    name="3x4",
    strips=(
        *(_quarter(place, lead) for place, lead in enumerate(LEADS)),
        Strip("II", 3, 0.0, PAGE_S),
    ),
    pitch_mm=30.0,
)
TWELVE_BY_ONE = PageLayout(
    name="12x1",
    strips=tuple(Strip(lead, row, 0.0, PAGE_S) for row, lead in enumerate(LEADS)),
    pitch_mm=15.0,
)
LAYOUTS = {layout.name: layout for layout in (THREE_BY_FOUR, TWELVE_BY_ONE)}
