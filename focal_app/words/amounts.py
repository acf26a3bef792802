"""Amounts in a prompt as the adjectives that findings are named by.

compared("P waves taller than 2.5 mm in II")        # "tall P waves in II"
defines_nothing("T waves taller than 1 mm")         # True: no finding begins there
compared("ST 1 mm below the baseline")              # "ST depression"
quadrant("positive QRS in I and negative in aVF")   # "left axis deviation"
in_ms("QRS wider than three small squares")         # "QRS wider than 120 ms"
"""

import re
from functools import lru_cache

from focal_app.ecg.recording import LEADS
from focal_app.words.leads import places
from focal_app.words.reach import DENIALS
from focal_app.words.vocabulary import named

_LONGEST_WORD = 40
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_SQUARES_MS = {"small": 40, "little": 40, "large": 200, "big": 200}
_SQUARES = re.compile(
    rf"(?<![\w.,])(?P<count>\d{{1,2}}(?:\.\d)?|{'|'.join(_NUMBERS)})\s+(?P<size>{'|'.join(_SQUARES_MS)})\s+"
    r"(?:squares?|boxes)",
    re.IGNORECASE,
)
_AMOUNT = r"(?P<number>\d{1,4}(?:[.,]\d{1,3})?)\s?(?P<unit>mm|mv|msec|ms|s)\b"
_WAVE = (
    r"(?P<wave>\b(?:[PQRST](?:\swaves?)?|QRS(?:\scomplex(?:es)?)?))"
    r"(?:\s(?:duration|width|amplitude|height))?\s"
    r"(?P<where>(?:in\s[\w-]+(?:(?:,|\sand)?\s[\w-]+){0,3}\s)??)(?:(?:is|are)\s)?"
)
_MORE = (
    r"(?P<more>>=?|≥|⩾|above|over|exceeding|at least|(?:more|greater|larger|bigger) than"
    r"|(?P<taller>taller|higher) than|(?P<deeper>deeper) than"
    r"|(?P<wider>wider|broader|longer) than)"
)
_LESS = (
    r"(?:<=?|≤|⩽|below|under|(?:less|smaller) than|(?P<lower>lower) than"
    r"|(?P<narrower>shorter|narrower) than)"
)
_COMPARED = re.compile(
    rf"{_WAVE}(?P<denied>(?:not|never)\s)?(?:{_MORE}|{_LESS})\s?{_AMOUNT}", re.IGNORECASE
)
_WORD_BEFORE = re.compile(r"\w+(?=\s$)")
_UNITS = {"mm": 1.0, "mv": 10.0, "ms": 1.0, "msec": 1.0, "s": 1000.0}
"""In mm of the paper at 10 mm/mV, and in ms."""
_HEIGHTS = frozenset(["mm", "mv"])
_DOWNWARD = frozenset("qs")
_SMALL = frozenset(["low", "low voltage", "narrow"])
_DEFINING = {
    "tall": {"p": (2.5, 1.5), "r": (11, 5), "t": (5, 10)},
    "deep": {"q": (1, 1), "s": (10, 10)},
    "wide": {"p": (110, 110), "q": (30, 20), "qrs": (120, 120)},
    "low": {"r": (3, 3), "t": (1, 1)},
    "low voltage": {"qrs": (5, 10)},
    "narrow": {"qrs": (120, 120)},
}
"""From how many mm or ms on, or for those of `_SMALL` up to how many, a wave is named so.

In limb and in chest leads; where neither alone are named, the stricter one. Low voltage, the height
of P and the width of QRS are those of the AHA/ACCF/HRS recommendations of 2007 and 2009, Q that of
the fourth universal definition of infarction; R, S, T and the width of P are our own choice.
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
_OTHER_WAVE = r"\b(?:[PTUF]|ST|flutter|delta|atrial)\b"
_WAVE_NAMED = re.compile(rf"(?P<qrs>\bQRS\b)|{_OTHER_WAVE}", re.IGNORECASE)
_ANOTHER_BEHIND = re.compile(rf"\s{_OTHER_WAVE}", re.IGNORECASE)
_AXES = {
    (True, True): "normal QRS axis",
    (True, False): "left axis deviation",
    (False, True): "right axis deviation",
    (False, False): "extreme axis deviation",
}


def quadrant(text: str) -> str:
    """The axis that the sign of QRS in I and aVF tells; empty where it does not."""
    found = _QUADRANT.search(text)
    if found is None or _ANOTHER_BEHIND.match(text, found.end()):
        return ""
    of_qrs = [bool(one["qrs"]) for one in _WAVE_NAMED.finditer(text, 0, found.end())]
    if of_qrs and not of_qrs[-1]:
        return ""
    return _AXES[_upright(found["one"]), _upright(found["two"])]


def in_ms(text: str) -> str:
    """Squares of the paper at 25 mm/s as milliseconds."""
    return _SQUARES.sub(_squares, text)


def compared(text: str) -> str:
    """The text with amounts that a wave exceeds, or falls short of, as adjectives."""
    return " ".join(_COMPARED.sub(_named_so, _FROM_BASELINE.sub(_side, text)).split())


def defines_nothing(text: str) -> bool:
    """Whether a wave is compared with an amount by which no finding is defined.

    A wave that is qualified has its name: "inverted T waves > 1 mm". "Deeper" than anything tells
    of P and T that they are negative.
    """
    for found in _COMPARED.finditer(text):
        negative = found["deeper"] and _wave(found) in ("p", "t")
        if not negative and not _qualified(found) and not _adjective(found):
            return True
    return False


def without_amounts(text: str) -> str:
    """The text without the amounts that stand beside what they measure: "ST elevation of 2 mm"."""
    return _BESIDE.sub("", text).strip()


def _named_so(found: re.Match[str]) -> str:
    adjective = "" if _qualified(found) else _adjective(found)
    return f"{adjective} {found['wave']} {found['where']}" if adjective else found.group()


def _wave(found: re.Match[str]) -> str:
    return found["wave"].split()[0].lower()


def _qualified(found: re.Match[str]) -> bool:
    """Whether the wave has a name with the word before it, or is denied by that."""
    before = found.string[max(0, found.start() - _LONGEST_WORD) : found.start()]
    word = _WORD_BEFORE.search(before)
    return word is not None and (
        word.group().lower() in DENIALS or named(f"{word.group()} {found['wave']}") is not None
    )


def _adjective(found: re.Match[str]) -> str:
    """By which word a wave of that amount is named; empty where by none."""
    wave, unit = _wave(found), found["unit"].lower()
    height, downward = unit in _HEIGHTS, wave in _DOWNWARD
    of_width = found["wider"] or found["narrower"]
    of_height = found["taller"] or found["deeper"] or found["lower"]
    if found["denied"] or (of_width if height else of_height):
        return ""
    if found["taller" if downward else "deeper"]:
        return ""
    if height and found["more"]:
        adjective = "deep" if downward else "tall"
    elif height:
        adjective = "low voltage" if wave == "qrs" else "low"
    else:
        adjective = "wide" if found["more"] else "narrow"
    bounds = _DEFINING[adjective].get(wave)
    if bounds is None:
        return ""
    small, amount = adjective in _SMALL, float(found["number"].replace(",", ".")) * _UNITS[unit]
    bound = _bound(bounds, found.string, small=small)
    return adjective if (amount <= bound if small else amount >= bound) else ""


def _bound(bounds: tuple[float, float], text: str, *, small: bool) -> float:
    """The bound in the leads that a text names; the stricter one of both kinds, or of none."""
    in_limb, in_chest = _kinds(text)
    if in_limb != in_chest:
        return bounds[in_chest]
    return min(bounds) if small else max(bounds)


@lru_cache(maxsize=1)
def _kinds(text: str) -> tuple[bool, bool]:
    """Whether a text names limb leads, and whether chest leads; asked for each of its amounts."""
    named = {lead for place in places(text) for lead in place.leads}
    return not named.isdisjoint(LEADS[:6]), not named.isdisjoint(LEADS[6:])


def _side(found: re.Match[str]) -> str:
    return "ST depression" if found["side"].lower() in ("below", "under") else "ST elevation"


def _squares(found: re.Match[str]) -> str:
    count = found["count"].lower()
    number = _NUMBERS.get(count) or float(count)
    return f"{number * _SQUARES_MS[found['size'].lower()]:g} ms"


def _upright(sign: str) -> bool:
    return sign.lower() in ("positive", "upright")
