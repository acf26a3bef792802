"""Where every lead stands on the paper, by the name of the layout.

A page shows 10 s, and in every layout a second of the window stands at the same place of the
page: `x_mm = mm_per_s * seconds`, with the calibration pulse left of zero.
"""

from dataclasses import dataclass

from focal_app.ecg.recording import LEADS

PAGE_S = 10.0
PX_PER_MM = 4
"""Whole pixels a millimetre keep the grid lines sharp; 3 where the window is narrow."""
CABRERA = ("aVL", "I", "aVR", "II", "aVF", "III")
"""The limb leads by their angle in the frontal plane, with aVR upside down."""
BESIDE_THE_RHYTHM = ("V1", "V5", "II")


@dataclass(frozen=True)
class Strip:
    """One lead drawn once: seconds `[start_s, end_s)` of the window, on a row from the top."""

    lead: str
    row: int
    start_s: float
    end_s: float
    inverted: bool = False

    @property
    def name(self) -> str:
        """What is printed beside it."""
        return f"−{self.lead}" if self.inverted else self.lead

    @property
    def full(self) -> bool:
        """Whether it runs over the whole page."""
        return self.end_s - self.start_s == PAGE_S


@dataclass(frozen=True)
class PageLayout:
    """A named arrangement of strips; rows are `pitch_mm` apart; `magnified` on both axes."""

    name: str
    strips: tuple[Strip, ...]
    pitch_mm: float
    magnified: float = 1.0

    @property
    def rows(self) -> int:
        """How many rows of strips the page has."""
        return 1 + max(strip.row for strip in self.strips)

    def shows(self, lead: str, start_s: float, end_s: float) -> bool:
        """Whether seconds of the window of a lead are on the paper, at least in part."""
        return any(
            strip.lead == lead and strip.start_s < end_s and start_s < strip.end_s
            for strip in self.strips
        )


def page_layout(name: str, *, rhythm: str = "II", enlarged: str = "II") -> PageLayout:
    """The arrangement of a name; `rhythm` and `enlarged` are leads that run over the whole page."""
    if name == "one":
        return PageLayout(name, _whole([enlarged]), 60.0, magnified=2.0)
    if name == "12x1":  # twelve rows and the feet go on a sheet of A4 across
        return PageLayout(name, _whole(LEADS), 13.0)
    if name == "6x2":
        return PageLayout(name, _columns(LEADS, 2), 25.0)
    leads = (*CABRERA, *LEADS[6:]) if name == "cabrera" else LEADS
    columns = _columns(leads, 4, inverted="aVR" if name == "cabrera" else "")
    whole = [rhythm]
    if name == "3x4+3":
        whole += [lead for lead in BESIDE_THE_RHYTHM if lead != rhythm][:2]
    pitch_mm = 30.0 if len(whole) == 1 else 25.0
    return PageLayout(name, (*columns, *_whole(whole, first_row=3)), pitch_mm)


def _columns(leads: tuple[str, ...], columns: int, *, inverted: str = "") -> tuple[Strip, ...]:
    rows, width_s = len(leads) // columns, PAGE_S / columns
    places = [(lead, *divmod(place, rows)) for place, lead in enumerate(leads)]
    return tuple(
        Strip(lead, row, width_s * column, width_s * (column + 1), lead == inverted)
        for lead, column, row in places
    )


def _whole(leads: list[str] | tuple[str, ...], *, first_row: int = 0) -> tuple[Strip, ...]:
    return tuple(Strip(lead, row, 0.0, PAGE_S) for row, lead in enumerate(leads, first_row))


THREE_BY_FOUR, TWELVE_BY_ONE = page_layout("3x4"), page_layout("12x1")
