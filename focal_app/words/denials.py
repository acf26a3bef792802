"""Denials in the forms that the grammar reads, whatever form a report gives them.

denials_first("There isn't any LBBB")          # "There is not any LBBB"
denials_first("LBBB: no, P waves: none")       # "LBBB absent, P waves absent"
denials_first("QTc not prolonged")             # "no QTc prolonged"
denials_first("P waves cannot clearly be seen") # "no P waves"
"""

import re

from focal_app.words.reach import ADVERBS, SEEN
from focal_app.words.vocabulary import named

_ADVERB = f"(?:{'|'.join(sorted(ADVERBS))})"
_CONTRACTED = re.compile(r"(?<=\bca)n['’´`]t\b|(?<=\bcan)not\b|(?<=\w)n['’´`]t\b", re.IGNORECASE)
_ANSWERED = re.compile(
    r"\s{0,4}[:=(–-]\s{0,4}(?:(?P<no>no|none|nil|absent|nein|keine?r?|(?P<sign>negativ(?:e|er)?))|yes|ja)\b"
    r"\s{0,4}\)?(?=\s{0,4}(?:[.,;\n]|$))",
    re.IGNORECASE,
)
_WAVE = re.compile(r"(?:\b[PQRSTU]|QRS|ST|waves?|zacken?|wellen?|axis|achse)$", re.IGNORECASE)
"""What may be negative and there."""
_SEEN_AHEAD = re.compile(
    rf"(?<![\w'-])(?P<no>no|without|keine?|ohne)\s(?:{_ADVERB}|{'|'.join(sorted(SEEN))})\s",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"(?<![\w'-])((?:[^\W\d][\w'-]* ){1,3}?)(?:(?:is|are|was|were|can|could|ist|sind|können?) )?"
    rf"(?:not|never|no longer|nicht) (?:(?:{_ADVERB}|be|been) ){{0,2}}([^\W\d]+)",
    re.IGNORECASE,
)


def denials_first(text: str) -> str:
    """The text with its denials written out, and before what they deny where that is a name."""
    text = _CONTRACTED.sub(_written_out, text)
    text = _ANSWERED.sub(_answered, text)
    return _WITHIN.sub(_denied_first, _SEEN_AHEAD.sub(r"\g<no> ", text))


def _written_out(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - 2) : found.start()].lower()
    return "n not" if before == "ca" else " not"


def _answered(found: re.Match[str]) -> str:
    if found["sign"] and _WAVE.search(found.string[max(0, found.start() - 8) : found.start()]):
        return found[0]
    return " absent" if found["no"] else " present"


def _denied_first(found: re.Match[str]) -> str:
    """A statement that is denied in its midst with the denial before it: "QTc not prolonged"."""
    subject, told = found[1].split(), found[2]
    for first in range(len(subject)):
        seen = told.lower() in SEEN
        name = " ".join(["no", *subject[first:]] if seen else [*subject[first:], told])
        if named(name):
            return " ".join([*subject[:first], *([] if seen else ["no"]), name])
    return found[0]
