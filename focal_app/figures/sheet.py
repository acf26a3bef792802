"""The scale of a page and its room: what every mark on the paper is placed by."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.ndimage import minimum_filter1d

from focal_app.figures.layout import PAGE_S, PageLayout, Strip
from focal_app.figures.paper_settings import PaperSettings
from focal_app.figures.traces import Trace

LEFT_MM, RIGHT_MM, FOOT_MM = 13.0, 4.0, 10.0
SHEET_MM = 250.0
"""Ten seconds at 25 mm/s: so much of a wider paper goes on a page of A4, beside its pulses."""
LIMIT_MM, LIMIT_ALONE_MM = 35.0, 140.0
"""A trace that leaves its zero line further is broken there, with a mark; alone it has room."""
CROSSING_MM = 4.0
"""By so much a wave may reach past one of the next row that stands beside it."""
COLUMN_S, BESIDE, APART = 0.02, 1, 10
"""Waves stand beside each other in columns of the page that are the same or next; tangles whose
columns are so far apart are two."""
FEWEST_TANGLES, ONE_TANGLE = 2, 50
"""One artefact is no reason for half the height; what lasts more columns is a fast rhythm."""
STEPS = ((10.0, 10.0), (10.0, 5.0), (5.0, 5.0), (5.0, 2.5))
"""Millimetres a millivolt of limb and chest leads that the paper chooses from."""


def across(second: float) -> float:
    """Where across the paper a second of the window stands, 0 to 1."""
    return (LEFT_MM + second * 25.0) / (LEFT_MM + PAGE_S * 25.0 + RIGHT_MM)


@dataclass(frozen=True)
class Sheet:
    """A layout at a scale; millimetres from the paper's top, and from second 0 across."""

    layout: PageLayout
    mm_per_s: float
    mm_per_mv: float
    chest_mm_per_mv: float
    top_mm: float
    bottom_mm: float

    @property
    def width_mm(self) -> float:
        """The whole paper with its edges."""
        return LEFT_MM + PAGE_S * self.mm_per_s + RIGHT_MM

    @property
    def cuts_mm(self) -> list[float]:
        """Where it goes on with another page, wider than A4 across."""
        return [SHEET_MM * number for number in range(1, round(PAGE_S * self.mm_per_s / SHEET_MM))]

    @property
    def height_mm(self) -> float:
        """The whole paper with its foot."""
        return self.zero_mm(self.layout.rows - 1) + self.bottom_mm

    @property
    def pitch_mm(self) -> float:
        """From one row to the next."""
        return self.layout.pitch_mm

    def zero_mm(self, row: int) -> float:
        """Height of a row's zero line."""
        return self.top_mm + row * self.pitch_mm

    def gain(self, lead: str) -> float:
        """Millimetres a millivolt of a lead."""
        return self.chest_mm_per_mv if lead.startswith("V") else self.mm_per_mv

    @property
    def limit_mm(self) -> float:
        """How far a trace may leave its zero line."""
        return LIMIT_MM if self.layout.rows > 1 else LIMIT_ALONE_MM

    def x_mm(self, second: float) -> float:
        """Where a second of the window stands."""
        return second * self.mm_per_s

    def band(self, strip: Strip) -> tuple[float, float]:
        """Top and bottom of a strip's row."""
        middle = self.zero_mm(strip.row)
        return middle - self.pitch_mm / 2, middle + self.pitch_mm / 2


def sheet_for(traces: Sequence[Trace], settings: PaperSettings, *, foot_mm: float) -> Sheet:
    """The paper that traces need: a gain where they keep apart, room for the tallest wave."""
    layout = settings.page_layout
    limb, chest = (layout.magnified * gain for gain in _gains(traces, settings))
    sheet = Sheet(layout, settings.speed_mm_per_s * layout.magnified, limb, chest, 0.0, 0.0)
    top = max(_room(traces, sheet, row=0, sign=1.0), _head(sheet))
    bottom = _room(traces, sheet, row=layout.rows - 1, sign=-1.0) + foot_mm
    return Sheet(layout, sheet.mm_per_s, limb, chest, top, bottom)


def _gains(traces: Sequence[Trace], settings: PaperSettings) -> tuple[float, float]:
    """Millimetres a millivolt of limb and chest leads.

    As set; else the largest step at which rows keep apart, or the one with the least tangled.
    """
    part, pitch_mm = 0.5 if settings.half_chest else 1.0, settings.page_layout.pitch_mm
    if settings.gain_mm_per_mv:
        return settings.gain_mm_per_mv, settings.gain_mm_per_mv * part
    steps = [step for step in STEPS if step[1] <= part * step[0]]

    tangled: dict[tuple[float, float], int] = {}
    for step in steps:
        columns = tangled_columns(traces, step, pitch_mm)
        if tangles(columns) < FEWEST_TANGLES:
            return step
        tangled[step] = len(columns)
    return min(steps, key=tangled.__getitem__)


def tangles(columns: Int[np.ndarray, " n"]) -> int:
    """How many tangles these columns are; a long one counts as several."""
    starts = np.flatnonzero(np.diff(columns, prepend=-APART) >= APART)
    return sum(1 + int(np.ptp(one)) // ONE_TANGLE for one in np.split(columns, starts) if len(one))


def tangled_columns(
    traces: Sequence[Trace], gains: tuple[float, float], pitch_mm: float
) -> Int[np.ndarray, " n"]:
    """In which columns waves of one row reach past waves of the next that stand beside them.

    Beside, not only above: an S wave and the R wave of the lead below are rarely due at once.
    """
    rows: dict[int, list[Trace]] = {}
    for trace in traces:
        rows.setdefault(trace.strip.row, []).append(trace)
    heights = {row: _extremes(held, gains) for row, held in rows.items()}
    tangled = np.zeros(round(PAGE_S / COLUMN_S), bool)
    for row, (_, lowest) in heights.items():
        if row + 1 in heights:
            beside = minimum_filter1d(lowest, 2 * BESIDE + 1)
            tangled |= heights[row + 1][0] - beside > pitch_mm + CROSSING_MM
    return np.flatnonzero(tangled)


def _extremes(
    traces: Sequence[Trace], gains: tuple[float, float]
) -> tuple[Float[np.ndarray, " columns"], Float[np.ndarray, " columns"]]:
    """Greatest and least height of a row as drawn in each column, 0 where nothing is."""
    columns = round(PAGE_S / COLUMN_S)
    highest, lowest = np.zeros(columns), np.zeros(columns)
    for trace in traces:
        height = np.nan_to_num(trace.value_mv) * gains[trace.strip.lead.startswith("V")]
        height = np.clip(height, -LIMIT_MM, LIMIT_MM)
        column = np.clip((trace.second / COLUMN_S).astype(int), 0, columns - 1)
        np.maximum.at(highest, column, height)
        np.minimum.at(lowest, column, height)
    return highest, lowest


def _head(sheet: Sheet) -> float:
    """Room above the first row for its calibration pulse and the names of its leads."""
    return 5.0 * float(np.ceil(max(sheet.mm_per_mv + 1.0, sheet.pitch_mm / 3 + 4.0) / 5.0))


def _room(traces: Sequence[Trace], sheet: Sheet, *, row: int, sign: float) -> float:
    """Room above or below an outer row for its tallest wave, in whole large squares."""
    waves = [
        sign * trace.value_mv * sheet.gain(trace.strip.lead)
        for trace in traces
        if trace.strip.row == row and not trace.empty
    ]
    tallest = min(sheet.limit_mm, max((float(np.nanmax(wave)) for wave in waves), default=0.0))
    return 5.0 * float(np.ceil(max(13.0, tallest + 3.0) / 5.0))
