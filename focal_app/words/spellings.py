"""Spellings of a report made alike before it is read.

spelt_alike("Extrasystole(n), ST-Hebungen/-Senkungen") # "Extrasystole, ST-Hebungen/ST-Senkungen"
spelt_alike("w/o LBBB, s/p MI")                        # "without LBBB, history of MI"
spelt_alike("V1-V3 : 2 mm ST elevation")               # "V1-V3: ST elevation"
"""

import re

from focal_app.words.wordings import wordings

_SHORT_FORM = re.compile(
    rf"(?<![\w/])(?:{'|'.join(map(re.escape, wordings().short_forms))})(?:(?<=[/.])|(?![\w/]))",
    re.IGNORECASE,
)
_PATTERNS = (
    (r"[\u2010\u2011]", "-"),
    (r"(?m)^[ \t]{0,8}(?:[-–•*·]|\d{1,2}[.)])[ \t]{1,4}(?!grad|degree)", ""),  # of a list
    (r"(?<=\w)\((?:s|es|n|en|t)\)", ""),
    (r"#(?=\w)|(?<=\w)#", "ü"),  # as PTB-XL lost it
    (r"\b(ST-|Vorhof|Kammer)(\w{3,30})\s?/\s?-(\w{3,30})", r"\1\2/\1\3"),
    (r"\b(infero|antero|postero)-(lateral|septal|inferior)", r"\1\2"),
    (r"\s{1,4}:(?=\s)", ":"),
    (r"(?<=[1-6FRLI]):\s{1,4}\d(?:[.,]\d)?\s?(?:mm|mV)\s(?=[A-Z])", ": "),
)
_ALIKE = tuple((re.compile(pattern, re.IGNORECASE), to) for pattern, to in _PATTERNS)


def spelt_alike(text: str) -> str:
    """The text with short forms in full, compounds whole, and leads right before what they show."""
    text = _SHORT_FORM.sub(_in_full, text)
    for pattern, to in _ALIKE:
        text = pattern.sub(to, text)
    return text


def _in_full(found: re.Match[str]) -> str:
    return f"{wordings().short_forms[found.group().lower()]} "
