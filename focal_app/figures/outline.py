"""A frame around a marked part of one lead, over an ECG on paper."""

from dataclasses import dataclass

from focal_app.figures.layout import MM_PER_S, PageLayout
from focal_app.figures.paper import Figure, across
from focal_app.figures.traces import UNITS_PER_MM

LINE, INSIDE, CLEAR = "#005caf", "rgba(0,92,175,0.12)", "rgba(0,0,0,0)"


@dataclass(frozen=True)
class Marked:
    """A part of one lead, in seconds of the window; `filled` where no tint lies there."""

    lead: str
    start_s: float
    end_s: float
    filled: bool = True

    @property
    def middle(self) -> float:
        """Where across the paper its middle is, 0 to 1."""
        return across(MM_PER_S * (self.start_s + self.end_s) / 2)


def outlined(page: Figure, layout: PageLayout, marked: Marked) -> Figure:
    """The page with a frame around every piece of the marked part that it shows."""
    sheet = page["layout"]
    if not isinstance(sheet, dict):
        return page
    shapes = [*sheet.get("shapes", []), *_frames(layout, marked)]
    return {**page, "layout": {**sheet, "shapes": shapes}}


def _frames(layout: PageLayout, marked: Marked) -> list[dict[str, object]]:
    pieces = [
        (strip, max(strip.start_s, marked.start_s), min(strip.end_s, marked.end_s))
        for strip in layout.strips
        if strip.lead == marked.lead
    ]
    half = layout.pitch_mm / 2
    return [
        {
            "type": "rect",
            "name": "marked",
            "x0": start_s * MM_PER_S,
            "x1": end_s * MM_PER_S,
            "y0": (layout.baseline_mm(strip.row) - half) * UNITS_PER_MM,
            "y1": (layout.baseline_mm(strip.row) + half) * UNITS_PER_MM,
            "line": {"color": LINE, "width": 2},
            "fillcolor": INSIDE if marked.filled else CLEAR,
        }
        for strip, start_s, end_s in pieces
        if start_s < end_s
    ]
