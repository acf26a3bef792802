"""Every word of the paper's toolbar, its calipers and its overview."""

from focal_app.figures.labels import span

TOOLS = "Tools of the paper"
LAYOUT = "Layout"
LAYOUTS = {
    "3x4": "3×4 + 1",
    "3x4+3": "3×4 + 3",
    "6x2": "6×2",
    "12x1": "12×1",
    "cabrera": "Cabrera",
    "one": "One lead",
}
GAIN, AUTOMATIC, GAIN_UNIT = "Gain", "automatic", "mm/mV"
SPEED, SPEED_UNIT = "Speed", "mm/s"
RHYTHM, LEAD = "Rhythm", "Lead"
HALF_CHEST = "V1–V6 at half"
FIDUCIALS = "Waves"
CALIPERS, MARCH = "Calipers", "March out"
CALIPERS_HELP = (
    "Drag on the paper, or move the ends with the arrow keys (Shift: further). M marches out, "
    "Esc ends."
)
DRAG = "Drag on the paper, or use the arrow keys."
LEFT_END, RIGHT_END = "Caliper, first end", "Caliper, second end"
SMALLER, LARGER, WHOLE = "Smaller", "Larger", "Size"
PRINT = "Print"
PAPER = "ECG on paper; scrolls sideways, plus and minus change its size"
OVERVIEW = "The whole recording: choose the window"
NO_SUCH_SETTING = "found a setting that the paper does not have; reload the page."
MORE = "More"
CHART = "One lead in numbers"
CHART_HELP = (
    "Point at the trace, or tap it, for seconds and millivolts. Drag to enlarge a part; a double "
    "click shows the whole again."
)


def window(start_s: float, length_s: float) -> str:
    """Which part of a long recording is on the paper."""
    return span(round(start_s, 1), round(start_s + length_s, 1))
