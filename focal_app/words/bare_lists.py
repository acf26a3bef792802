"""Lists of findings that commas alone join, which a denial before the first of them reaches whole.

"No STE, STD, TWI" denies three findings. "No P waves, atrial fibrillation" denies one and tells
another: so a list has three names at least, all of them plain ones of one kind, and ends the
sentence. A general or a qualified name tells of what is there: "No STE, nonspecific ST-T changes".
"""

from collections.abc import Collection, Sequence

from focal_app.lexicon import load_lexicon
from focal_app.words.names import Span
from focal_app.words.tokens import COMMA

_PLAIN = frozenset(
    [
        *("ST elevation", "ST depression", "inverted T waves"),
        *("left ventricular hypertrophy", "right ventricular hypertrophy"),
        *("left atrial enlargement", "right atrial enlargement"),
    ]
)
_LEAST = 3


def denied_with(names: Sequence[Span], lower: Sequence[str], denied: Collection[int]) -> set[int]:
    """Places of the words that stand in such a list behind a name that is `denied`."""
    at = len(names) - 1
    if at < 0 or names[at].last != len(lower):
        return set()
    while at > 0 and _listed(names[at - 1], names[at], lower):
        at -= 1
    first = next((n for n in range(at, len(names)) if names[n].first in denied), len(names))
    if len(names) - first < _LEAST:
        return set()
    return set(range(names[first].first, len(lower)))


def _listed(one: Span, other: Span, lower: Sequence[str]) -> bool:
    tags = {span.tag for span in (one, other)}
    comma = one.last + 1 == other.first and lower[one.last] == COMMA
    return comma and tags <= _PLAIN and len({load_lexicon()[tag].group for tag in tags}) == 1
