"""Amounts in a prompt as the adjectives that findings are named by.

compared("P waves taller than 2.5 mm in II")        # "tall P waves in II"
compared("ST 1 mm below the baseline")              # "ST depression"
quadrant("positive QRS in I and negative in aVF")   # "left axis deviation"
in_ms("QRS wider than three small squares")         # "QRS wider than 120 ms"
"""

import re

_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_SQUARES_MS = {"small": 40, "little": 40, "large": 200, "big": 200}
_SQUARES = re.compile(
    rf"(?P<count>\d{{1,2}}(?:\.\d)?|{'|'.join(_NUMBERS)})\s+(?P<size>{'|'.join(_SQUARES_MS)})\s+"
    r"(?:squares?|boxes)",
    re.IGNORECASE,
)
_AMOUNT = r"\d{1,4}(?:[.,]\d{1,3})?\s?(?P<unit>mm|mv|msec|ms|s)\b"
_WAVE = (
    r"(?P<wave>\b(?:[PQRST](?:\swaves?)?|QRS(?:\scomplex(?:es)?)?))\s"
    r"(?P<where>(?:in\s\w+(?:\s\w+)?\s)??)(?:(?:is|are)\s)?"
)
_MORE = r"(?:>=?|≥|above|over|exceeding|at least|(?:more|greater|{words}) than)\s?"
_LESS = r"(?:<=?|≤|below|under|(?:less|smaller|lower) than)\s?"
_HEIGHT, _WIDTH = ("mm", "mv"), ("ms", "msec", "s")


def _behind_wave(bound: str) -> re.Pattern[str]:
    return re.compile(_WAVE + bound + _AMOUNT, re.IGNORECASE)


_COMPARED = (
    (_behind_wave(_MORE.format(words="taller|higher|larger|bigger")), "tall", _HEIGHT),
    (_behind_wave(_MORE.format(words="deeper")), "deep", _HEIGHT),
    (_behind_wave(_LESS), "low", _HEIGHT),
    (_behind_wave(_MORE.format(words="wider|broader|longer")), "prolonged", _WIDTH),
)
_BESIDE = re.compile(
    r"\s?\(?\b(?:of|by|with)?\s?(?:>=?|≥|about|more than|at least|above|over|up to)?\s?"
    rf"{_AMOUNT}\)?",
    re.IGNORECASE,
)
_FROM_BASELINE = re.compile(
    rf"(?P<wave>\bST(?:\ssegments?)?)\s(?:(?:is|are)\s)?{_AMOUNT}\s(?P<side>below|above|under|over)"
    r"\s(?:the\s)?(?:baseline|isoelectric\sline|line)",
    re.IGNORECASE,
)
_SIGN = r"(?:positive|upright|negative|downward)"
_QUADRANT = re.compile(
    rf"(?P<one>{_SIGN})\s(?:QRS(?:\scomplex)?\s)?in\s(?:lead\s)?I\b\W{{1,3}}(?:and\s|but\s)?"
    rf"(?P<two>{_SIGN})\s(?:QRS\s)?in\s(?:lead\s)?(?:aVF|II)\b",
    re.IGNORECASE,
)
_AXES = {
    (True, True): "normal QRS axis",
    (True, False): "left axis deviation",
    (False, True): "right axis deviation",
    (False, False): "extreme axis deviation",
}


def quadrant(text: str) -> str:
    """The axis that the sign of QRS in I and aVF tells; empty where it does not."""
    found = _QUADRANT.search(text)
    return _AXES[_upright(found["one"]), _upright(found["two"])] if found else ""


def in_ms(text: str) -> str:
    """Squares of the paper at 25 mm/s as milliseconds."""
    return _SQUARES.sub(_squares, text)


def compared(text: str) -> str:
    """The text with amounts that a wave exceeds, or falls short of, as adjectives."""
    text = _FROM_BASELINE.sub(_side, text)
    for pattern, adjective, units in _COMPARED:
        found = pattern.search(text)
        if found and found["unit"].lower() in units:
            told = f"{text[: found.start()]}{adjective} {found['wave']} {found['where']}"
            return " ".join(f"{told}{text[found.end() :]}".split())
    return text


def without_amounts(text: str) -> str:
    """The text without the amounts that stand beside what they measure: "ST elevation of 2 mm"."""
    return _BESIDE.sub("", text).strip()


def _side(found: re.Match[str]) -> str:
    return "ST depression" if found["side"].lower() in ("below", "under") else "ST elevation"


def _squares(found: re.Match[str]) -> str:
    count = found["count"].lower()
    number = _NUMBERS.get(count) or float(count)
    return f"{number * _SQUARES_MS[found['size'].lower()]:g} ms"


def _upright(sign: str) -> bool:
    return sign.lower() in ("positive", "upright")
