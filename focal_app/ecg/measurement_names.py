"""What each measurement is called, and in which unit it is said: the one table of names."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from focal_app.ecg.measurements import Measurement, Measurements
from focal_app.ecg.numerals import numeral


@dataclass(frozen=True)
class Name:
    """`short` within a line of values, `long` within a text; `unit` as it follows the number.

    `form` is the format of the number; `amplitude` where it is of the shape of QRS, ST or T, which
    stands in a row of its own.
    """

    short: str
    long: str
    unit: str
    form: str = ".0f"
    amplitude: bool = False

    @property
    def heading(self) -> str:
        """At the head of a row."""
        return self.short[:1].upper() + self.short[1:]

    def amount(self, value: float | None) -> str:
        """A value as it is said, such as "75/min" or "160 ms"; a dash where there is none."""
        return "–" if value is None else f"{numeral(value, self.form)}{self.unit}"

    def said(self, value: float) -> str:
        """Name and value: "PR 160 ms", "QTc 410 ms (Bazett)"."""
        name, bracket, formula = self.short.partition(" (")
        return f"{name} {self.amount(value)}{bracket}{formula}"


_height = partial(Name, amplitude=True)
NAMES = MappingProxyType(
    {
        "rate_per_min": Name("rate", "heart rate", "/min"),
        "rr_variation_percent": Name("RR variation", "RR variation", " %"),
        "pr_ms": Name("PR", "PR interval", " ms"),
        "qrs_ms": Name("QRS", "QRS duration", " ms"),
        "qt_ms": Name("QT", "QT interval", " ms"),
        "qtc_bazett_ms": Name("QTc (Bazett)", "QTc", " ms"),
        "qtc_fridericia_ms": Name("QTc (Fridericia)", "QTc (Fridericia)", " ms"),
        "axis_degrees": Name("axis", "QRS axis", "°"),
        "lowest_st_mv": _height("lowest ST", "lowest ST of two leads", " mV", ".2f"),
        "lateral_t_mv": _height("lateral T", "mean T of I, II, V4 to V6", " mV", ".2f"),
        "lowest_t_percent": _height("lowest T", "lowest T of I, II, V4 to V6 against R", " %"),
        "sokolow_lyon_mv": _height("Sokolow-Lyon", "Sokolow-Lyon voltage", " mV", ".1f"),
        "cornell_mv": _height("Cornell", "Cornell voltage", " mV", ".1f"),
        "limb_qrs_mv": _height("limb QRS", "largest QRS of the limb leads", " mV", ".1f"),
        "anterior_r_mv": _height("R V2 to V4", "smallest R of V2 to V4", " mV", ".2f"),
        "inferior_q_percent": _height("inferior Q", "Q of two of II, III, aVF against R", " %"),
        "inferior_qs_percent": _height(
            "inferior Q or rS", "Q, or S after a tiny r, of two of II, III, aVF against R", " %"
        ),
        "anterior_q_ms": _height("Q V2, V3", "longer Q of V2 and V3", " ms"),
        "v6_s_mv": _height("S V6", "S in V6", " mV", ".2f"),
        "v1_late_r_mv": _height("late R V1", "R in the second half of QRS in V1", " mV", ".2f"),
    }
)
"""By the fields of `Measurements`, in the order of a printout."""


@dataclass(frozen=True)
class Named:
    """One measurement: its field, what people call it, and what was found."""

    field: str
    name: Name
    measurement: Measurement

    @property
    def value(self) -> str:
        """What was measured, with its unit."""
        return self.name.amount(self.measurement.value)

    @property
    def device(self) -> str:
        """The device's own value, with its unit."""
        return self.name.amount(self.measurement.device)

    @property
    def spread(self) -> str:
        """How sure it is: "± 4"; empty where nothing is known of it."""
        spread = self.measurement.spread
        if self.measurement.value is None or spread is None:
            return ""
        return f"± {numeral(spread, self.name.form)}"

    @property
    def said(self) -> bool:
        """Whether there is a value at all, measured or the device's own."""
        return self.measurement.value is not None or self.measurement.device is not None


def rounded(field: str, value: float | None) -> float | None:
    """A value as files hold it: millivolts to a thousandth, all else to a tenth.

    An estimate, whose spread says how sure it is.
    """
    return None if value is None else round(value, 3 if field.endswith("_mv") else 1)


def named(measurements: Measurements) -> Iterator[Named]:
    """All measurements in the order of a printout, those without a value too."""
    for field, name in NAMES.items():
        yield Named(field, name, getattr(measurements, field))
