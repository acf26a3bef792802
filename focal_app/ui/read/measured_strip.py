"""The strip above the paper: rate, regularity, intervals, axis, pacing, as measured."""

from pathlib import Path

from markupsafe import Markup

from focal_app.ecg.measurements import Measurement
from focal_app.explore.measured.result import Measured
from focal_app.explore.measured.sentences import regularity
from focal_app.figures.templates import Templates
from focal_app.ui.read import wording as said
from focal_app.ui.read.state import View

_fill = Templates(Path(__file__).parent, said=said)
_SHOWN = (
    ("PR", "pr_ms", " ms"),
    ("QRS", "qrs_ms", " ms"),
    ("QT", "qt_ms", " ms"),
    ("QTc Bazett", "qtc_bazett_ms", " ms"),
    ("QTc Fridericia", "qtc_fridericia_ms", " ms"),
    ("Axis", "axis_degrees", "°"),
)


def measured_panel(view: View) -> Markup:
    """What was measured of the window that is shown; empty until there is a reading."""
    found = view.reading.measured if view.reading else None
    return strip(found) if found else Markup()


def strip(found: Measured) -> Markup:
    """The measurements alone."""
    one = found.measurements
    values = [
        _value(said.RATE, one.rate_per_min, "/min"),
        (said.RHYTHM, regularity(found), _variation(found), ""),
        *(_value(name, getattr(one, field), unit) for name, field, unit in _SHOWN),
        (said.PACING, said.pacing(found), "", ""),
    ]
    return _fill("measured", found=found, values=values)


def _value(name: str, one: Measurement, unit: str) -> tuple[str, str, str, str]:
    return name, said.value(one, unit), said.spread(one), said.device(one, unit)


def _variation(found: Measured) -> str:
    varies = found.measurements.rr_variation_percent
    return "" if varies.value is None else said.rr_variation(varies.value)
