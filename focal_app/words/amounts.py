"""Amounts in a prompt as the adjectives that findings are named by.

compared("P waves taller than 2.5 mm in II")        # "tall P waves in II"
defining("T waves taller than 1 mm")                # False: no finding begins there
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
_AMOUNT = r"(?P<number>\d{1,4}(?:[.,]\d{1,3})?)\s?(?P<unit>mm|mv|msec|ms|s)\b"
_WAVE = (
    r"(?P<wave>\b(?:[PQRST](?:\swaves?)?|QRS(?:\scomplex(?:es)?)?))\s"
    r"(?P<where>(?:in\s\w+(?:\s\w+)?\s)??)(?:(?:is|are)\s)?"
)
_MORE = (
    r"(?P<more>>=?|≥|above|over|exceeding|at least"
    r"|(?:more|greater|taller|higher|larger|bigger|deeper|wider|broader|longer) than)"
)
_LESS = r"(?:<=?|≤|below|under|(?:less|smaller|lower|shorter|narrower) than)"
_COMPARED = re.compile(rf"{_WAVE}(?:{_MORE}|{_LESS})\s?{_AMOUNT}", re.IGNORECASE)
_DEEPER = re.compile("deeper", re.IGNORECASE)
"""Of P and T it tells that they are negative, whatever the amount."""
_UNITS = {"mm": 1.0, "mv": 10.0, "ms": 1.0, "msec": 1.0, "s": 1000.0}
"""In mm of the paper at 10 mm/mV, and in ms."""
_HEIGHTS = frozenset(["mm", "mv"])
_DOWNWARD = frozenset("qs")
_SMALL = frozenset(["low", "low voltage", "narrow"])
_DEFINING = {
    "tall": {"p": 2.5, "r": 5, "t": 5},
    "deep": {"q": 1, "s": 10},
    "wide": {"p": 110, "q": 30, "qrs": 120},
    "low": {"r": 3, "t": 1},
    "low voltage": {"qrs": 10},
    "narrow": {"qrs": 120},
}
"""From how many mm or ms on, or for those of `_SMALL` up to how many, a wave is named so.

The least that textbooks ask in any lead: 5 mm of T in limb leads, 7 of R in V1, 10 of QRS in the
chest.
"""
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
_OTHER_WAVE = re.compile(r"\b(?:[PTU]|ST)\b", re.IGNORECASE)
_AXES = {
    (True, True): "normal QRS axis",
    (True, False): "left axis deviation",
    (False, True): "right axis deviation",
    (False, False): "extreme axis deviation",
}


def quadrant(text: str) -> str:
    """The axis that the sign of QRS in I and aVF tells; empty where it does not."""
    found = _QUADRANT.search(text)
    if found and _OTHER_WAVE.search(text[: found.start()]):
        return ""
    return _AXES[_upright(found["one"]), _upright(found["two"])] if found else ""


def in_ms(text: str) -> str:
    """Squares of the paper at 25 mm/s as milliseconds."""
    return _SQUARES.sub(_squares, text)


def compared(text: str) -> str:
    """The text with amounts that a wave exceeds, or falls short of, as adjectives."""
    text = _FROM_BASELINE.sub(_side, text)
    for found in _COMPARED.finditer(text):
        if adjective := _adjective(found):
            told = f"{text[: found.start()]}{adjective} {found['wave']} {found['where']}"
            return " ".join(f"{told}{text[found.end() :]}".split())
    return text


def undefined(text: str) -> str:
    """The first comparison of a wave with an amount by which no finding is defined; or empty."""
    found = (one for one in _COMPARED.finditer(text) if not _adjective(one))
    return next((one.group() for one in found if not _DEEPER.match(one["more"] or "")), "")


def without_amounts(text: str) -> str:
    """The text without the amounts that stand beside what they measure: "ST elevation of 2 mm"."""
    return _BESIDE.sub("", text).strip()


def _adjective(found: re.Match[str]) -> str:
    """By which word a wave of that amount is named; empty where by none."""
    wave, unit = found["wave"].split()[0].lower(), found["unit"].lower()
    if unit in _HEIGHTS:
        low = "low voltage" if wave == "qrs" else "low"
        adjective = low if not found["more"] else "deep" if wave in _DOWNWARD else "tall"
    else:
        adjective = "wide" if found["more"] else "narrow"
    bound = _DEFINING.get(adjective, {}).get(wave)
    amount = float(found["number"].replace(",", ".")) * _UNITS[unit]
    if bound is None or (amount > bound if adjective in _SMALL else amount < bound):
        return ""
    return adjective


def _side(found: re.Match[str]) -> str:
    return "ST depression" if found["side"].lower() in ("below", "under") else "ST elevation"


def _squares(found: re.Match[str]) -> str:
    count = found["count"].lower()
    number = _NUMBERS.get(count) or float(count)
    return f"{number * _SQUARES_MS[found['size'].lower()]:g} ms"


def _upright(sign: str) -> bool:
    return sign.lower() in ("positive", "upright")
