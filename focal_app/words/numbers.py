"""Measured values in a text, and whom it is about: "PR 210 ms", "QRS > 140 ms", "women over 60".

    quantities("PR 210, QTc 0.47 s")[0].value   # Value("pr_ms", 210.0, 210.0)

Names of values are the fields of `Measurements`, and `age_years`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from focal_app.ecg.measurement_names import NAMES

IN_WORDS = {
    **{field: (name.long, name.unit) for field, name in NAMES.items()},
    "age_years": ("age", " years"),
}
_PLAUSIBLE = {"rate_per_min": (10, 500), "axis_degrees": (-360, 360), "age_years": (0, 120)}
_INTERVAL_MS = (20, 2000)
_IN_SECONDS = 3
"""No interval is as short in ms, and none as long in s."""

_CLOCK = r"(?:[\s-]*(?:interval|intervall|duration|dauer|time|zeit|breite|width))?"
_NAMES = {
    "rate_per_min": r"(?:vent(?:ricular|\.)?\s+|heart\s+)?(?<!atrial )rate|(?:herz|kammer)?frequenz"
    r"|HR|HF|VR|pulse?",
    "pr_ms": rf"P[RQ]{_CLOCK}",
    "qrs_ms": rf"QRS{_CLOCK}",
    "qtc_fridericia_ms": rf"QTcF{_CLOCK}|QTc{_CLOCK}\s*\(?(?:Frid\w*|F)\b\)?",
    "qtc_bazett_ms": rf"QTcB?{_CLOCK}(?:\s*\(?Baz\w*\)?)?",
    "qt_ms": rf"QT{_CLOCK}",
    "axis_degrees": r"(?:QRS[\s-]*)?(?:axis|achse)",
    "age_years": r"aged?|alter",
}
_ABOVE = (
    r">=?|≥|(?:over|above|exceeding|at least|über|mehr als|mindestens"
    r"|(?:more|greater|longer|faster|wider|older) than)\b"
)
_BELOW = (
    r"<=?|≤|(?:under|below|up to|at most|unter|weniger als|höchstens"
    r"|(?:less|fewer|slower|shorter|narrower|younger) than)\b"
)
_JOIN = (
    r"(?:\s*(?:(?:is|was|of|at|around|about|approximately|with|von|ist|bei|ca\.?)\b|[:=~(]))*\s*"
)
_UNITS = {
    "rate_per_min": r"bpm|/\s*min\b(?:ute)?|(?:beats\s+)?per\s+minute|beats\s*/\s*min(?:ute)?",
    "ms": r"msec|ms\b|sec\b|s\b|(?:milli)?seconds\b|(?:milli)?second\b(?!\s+(?:deg|grad|or\b))",
    "axis_degrees": r"degrees?|deg\b|grad\b|°",
    "age_years": r"(?:-|\s)*(?:years?|jahre?|y/?o)(?:(?:-|\s)*old|\s*alt)?\b",
}
_PERSON = {
    "female": r"women|woman|females?|girls?|lad(?:y|ies)|frau(?:en)?",
    "male": r"men|man|males?|boys?|mann|männer",
    "": r"patients?|people|adults?|persons?",
}
_YOUNG, _OLD, _CHILD = (0, 40), (65, inf), (0, 18)
_OTHER_UNIT = (
    r"[.,]\d|(?:\s*(?:-|–|to\b|bis\b)\s*\d{1,4}(?:[.,]\d{1,3})?)?"
    r"\s*(?:mm|mv|µv|uv|%|(?:small|little|large|big)\s+(?:squares?|box))"
)
"""What makes a number no interval: "QRS below 2,5 mm"."""
_HALF_TURN = 180


def _value(units: str, *, needed: bool = False) -> str:
    """A number with its bounds and its unit."""
    number = r"[-+−]?\d{1,4}(?:[.,]\d{1,3})?"
    return (
        rf"(?:(?P<above>{_ABOVE})\s*|(?P<below>{_BELOW})\s*|(?P<between>between|from|zwischen)\s+)?"
        rf"(?P<low>{number})(?:(?:\s*(?:{units}))?\s*(?:-|–|to\b|and\b|bis\b|und\b)"
        rf"\s*(?P<high>[-+−]?\d{{1,4}}))?"
        rf"(?![\w.:/]*\d)(?!{_OTHER_UNIT})(?:\s*(?P<unit>{units})){'' if needed else '?'}"
    )


_ANY_NAME = "|".join(f"(?P<{name}>{words})" for name, words in _NAMES.items())
_NAMED = re.compile(
    rf"(?<![\w-])(?:{_ANY_NAME})(?![^\W\d]){_JOIN}{_value('|'.join(_UNITS.values()))}",
    re.IGNORECASE,
)
_BARE = {
    name: re.compile(rf"(?<![\w.,:/-]){_value(_UNITS[name], needed=True)}", re.IGNORECASE)
    for name in ("rate_per_min", "age_years")
}
_PAIR = re.compile(
    r"\bQT\s*/\s*QTc\w?(?:\s+interval)?\s*[:=]?\s*(\d{3})\s*/\s*(\d{3})(?:\s*ms)?", re.IGNORECASE
)
_AXES = re.compile(
    r"\bP-R-T\s+axes\s*[:=]?\s*(?:-?\d{1,3}|\*+)\s+(-?\d{1,3})\s+(?:-?\d{1,3}|\*+)", re.IGNORECASE
)
_WHO = re.compile(
    r"\b(?:(?P<young>young|junge?)\s+|(?P<old>elderly|old|ältere?)\s+)?"
    rf"(?:(?P<female>{_PERSON['female']})|(?P<male>{_PERSON['male']})|(?P<any>{_PERSON['']})"
    r"|(?P<child>child(?:ren)?|kind(?:er)?))\b"
    rf"(?:\s+(?:aged?\s+|of\s+)?{_value(_UNITS['age_years'])})?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Value:
    """A measured value or bounds of one: equal bounds are a value, `inf` leaves a side open."""

    name: str
    low: float
    high: float

    @property
    def words(self) -> str:
        """The value as this app writes it: "PR interval 210 ms", "heart rate over 150/min"."""
        name, unit = IN_WORDS[self.name]
        if self.low == self.high:
            return f"{name} {self.low:g}{unit}"
        if self.high == inf:
            return f"{name} over {self.low:g}{unit}"
        if self.low == -inf:
            return f"{name} under {self.high:g}{unit}"
        return f"{name} {self.low:g} to {self.high:g}{unit}"

    @property
    def turned(self) -> "Value | None":
        """What is left where a bound is denied: "no rate over 150" is a rate under 150."""
        if self.low == -inf:
            return Value(self.name, self.high, inf)
        return Value(self.name, -inf, self.low) if self.high == inf else None

    def document(self) -> dict[str, float | str | None]:
        """The value as JSON has it: an open side is null."""
        bounds = {"low": self.low, "high": self.high}
        return {
            "name": self.name,
            **{side: bound if abs(bound) < inf else None for side, bound in bounds.items()},
        }


@dataclass(frozen=True)
class Quantity:
    """A value at `[start, end)` of a text."""

    start: int
    end: int
    value: Value


@dataclass(frozen=True)
class Person:
    """Whom a search is about, at `[start, end)`; `age` where the words bound it."""

    start: int
    end: int
    sex: str | None
    age: Value | None


def quantities(text: str) -> list[Quantity]:
    """Every measured value of a text, in its order."""
    found = [*_pairs(text), *map(_named, _NAMED.finditer(text))]
    for name, bare in _BARE.items():
        found += [_quantity(name, one) for one in bare.finditer(text)]
    kept: list[Quantity] = []
    for one in sorted(filter(None, found), key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def persons(text: str) -> Iterator[Person]:
    """Whom a text is about: "young women", "men aged 30 to 50"."""
    for one in _WHO.finditer(text):
        sex = "female" if one["female"] else "male" if one["male"] else None
        bounds = (
            _YOUNG if one["young"] else _OLD if one["old"] else _CHILD if one["child"] else None
        )
        age = _quantity("age_years", one) if one["low"] else None
        value = age.value if age else Value("age_years", *bounds) if bounds else None
        if value and value.low == 0:
            value = Value("age_years", -inf, value.high)
        yield Person(one.start(), one.end(), sex, value)


def _pairs(text: str) -> Iterator[Quantity | None]:
    for one in _PAIR.finditer(text):
        middle = one.end(1)
        yield Quantity(one.start(), middle, _same("qt_ms", float(one[1])))
        yield Quantity(middle, one.end(), _same("qtc_bazett_ms", float(one[2])))
    for one in _AXES.finditer(text):
        yield Quantity(one.start(), one.end(), _same("axis_degrees", float(one[1])))


def _same(name: str, value: float) -> Value:
    return Value(name, value, value)


def _named(one: re.Match[str]) -> Quantity | None:
    return _quantity(next(name for name in _NAMES if one[name]), one)


def _quantity(name: str, one: re.Match[str]) -> Quantity | None:
    """The value of a match in the unit of its name; None where it cannot be one."""
    units = _UNITS["ms" if name.endswith("_ms") else name]
    if one["unit"] and not re.fullmatch(units, one["unit"], re.IGNORECASE):
        return None
    low = _in_unit(name, one["low"], one["unit"])
    high = _in_unit(name, one["high"], one["unit"]) if one["high"] else low
    if name == "axis_degrees" and abs(high - low) <= _HALF_TURN:
        low, high = sorted((low, high))  # "-30 to -60" is written outwards
    least, most = _PLAUSIBLE.get(name, _INTERVAL_MS)
    if not least <= low <= most or not low <= high <= most:
        return None
    if one["above"]:
        high = inf
    elif one["below"]:
        low = -inf
    return Quantity(one.start(), one.end(), Value(name, low, high))


def _in_unit(name: str, number: str, unit: str | None) -> float:
    value = float(number.replace(",", ".").replace("−", "-"))
    if not name.endswith("_ms"):
        return value
    seconds = unit.lower()[0] == "s" if unit else value < _IN_SECONDS
    return round(1000 * value, 3) if seconds else value
