"""What each measurement is called, and in which unit it is said."""

from collections.abc import Iterator
from dataclasses import dataclass

from focal_app.ecg.measurements import Measurement, Measurements


@dataclass(frozen=True)
class Named:
    """One measurement: its field, what people call it, and its unit."""

    field: str
    name: str
    unit: str
    measurement: Measurement

    @property
    def said(self) -> bool:
        """Whether there is a value at all, measured or the device's own."""
        return self.measurement.value is not None or self.measurement.device is not None


_NAMES = {
    "rate_per_min": ("Rate", "/min"),
    "rr_variation_percent": ("RR variation", "%"),
    "pr_ms": ("PR", "ms"),
    "qrs_ms": ("QRS", "ms"),
    "qt_ms": ("QT", "ms"),
    "qtc_bazett_ms": ("QTc (Bazett)", "ms"),
    "qtc_fridericia_ms": ("QTc (Fridericia)", "ms"),
    "axis_degrees": ("Axis", "°"),
}


def named(measurements: Measurements) -> Iterator[Named]:
    """All measurements in the order of a printout, those without a value too."""
    for field, (name, unit) in _NAMES.items():
        yield Named(field, name, unit, getattr(measurements, field))


def amount(value: float | None, unit: str) -> str:
    """A value as it is said, such as "75/min" or "160 ms"; a dash where there is none."""
    if value is None:
        return "–"
    space = "" if unit in {"/min", "°"} else " "
    return f"{value:.0f}{space}{unit}".replace("-", "−")
