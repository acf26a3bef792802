"""Lists of findings that commas alone join, which a denial before the first of them reaches whole.

"No STE, STD, TWI" denies three findings. "No P waves, atrial fibrillation" denies one and tells
another: so a list has three names at least, all of one kind of waves, and ends the sentence.
"""

from collections.abc import Collection, Sequence

from focal_app.lexicon import load_lexicon
from focal_app.words.names import Span
from focal_app.words.tokens import COMMA

_KINDS = frozenset(["st-t", "hypertrophy"])
"""Groups of which a report that denies one finding seldom tells another in a bare word."""
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
    groups = {load_lexicon()[span.tag].group for span in (one, other)}
    comma = one.last + 1 == other.first and lower[one.last] == COMMA
    return comma and len(groups) == 1 and groups <= _KINDS
