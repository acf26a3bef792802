"""The strip above the paper: rate, regularity, intervals, axis, pacing, amplitudes, as measured."""

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurement_names import Named, named
from focal_app.explore.measured.device import differences, differs
from focal_app.explore.measured.sentences import early, pacing, regularity
from focal_app.figures.templates import Templates
from focal_app.ui.read import wording as said
from focal_app.ui.read.state import View

_fill = Templates(Path(__file__).parent, said=said)


@dataclass(frozen=True)
class _Shown:
    """One entry of the strip; `differs` where the device measured something else by far."""

    name: str
    value: str
    spread: str = ""
    device: str = ""
    differs: bool = False


def measured_panel(view: View) -> Markup:
    """What was measured of the window that is shown; empty until there is a reading."""
    return strip(view.reading.measured) if view.reading else Markup()


def strip(found: Measured) -> Markup:
    """The measurements alone."""
    rate, _, *others = named(found.measurements)
    values = [
        _value(rate),
        _Shown(said.RHYTHM, regularity(found), spread=_variation(found)),
        *(_value(one) for one in others if not one.name.amplitude),
        *_atria(found.unrelated_p_per_min),
        *_early(found),
        _Shown(said.PACING, pacing(found)),
    ]
    heights = [
        _Shown(one.name.heading, one.value) for one in others if one.name.amplitude and one.said
    ]
    shown = {"values": values, "heights": heights, "differences": differences(found)}
    return _fill("measured", found=found, **shown)


def _value(one: Named) -> _Shown:
    device = said.device(one) if one.measurement.device is not None else ""
    return _Shown(one.name.heading, one.value, one.spread, device, differs(one))


def _atria(unrelated_p_per_min: float | None) -> list[_Shown]:
    if unrelated_p_per_min is None:
        return []
    return [_Shown(said.P_WAVES, f"{unrelated_p_per_min:.0f}/min", said.UNRELATED)]


def _early(found: Measured) -> list[_Shown]:
    count, _, width = early(found).partition(", ")
    return [_Shown(said.EARLY_BEATS, count, width)] if count else []


def _variation(found: Measured) -> str:
    varies = found.measurements.rr_variation_percent
    return "" if varies.value is None else said.rr_variation(varies.value)
