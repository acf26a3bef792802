"""Regions that stand right before a name: "anterior and lateral ST changes", "high lateral ..."."""

from collections.abc import Sequence

from focal_app.ecg.recording import LEADS
from focal_app.words.leads import REGIONS, in_order
from focal_app.words.spared import JOINING
from focal_app.words.tokens import Token

NON = frozenset(["non", "nicht"])
_SHAPES = frozenset(["horizontal", "frontal"])
"""Before a wave they say its shape, or the plane."""


def region_before(
    tokens: Sequence[Token], first: int, *, placed: bool = False
) -> tuple[int, tuple[str, ...]]:
    """Where the regions begin that end at a name's first word, and their leads; the word itself
    and no leads where there is none. A name's own first word may end one: "high | lateral ST"; one
    that is `placed` is narrowed so, and by no region beside its own. Septal Q waves are normal, and
    "non-anterior" is everywhere else."""
    if narrower := _of_two_words(tokens, first):
        return first - 1, narrower
    if placed or (tokens[first].lower == "q" and tokens[max(0, first - 1)].stem == "septal"):
        return first, ()
    leads: list[str] = []
    while first > 0:
        region = _of_two_words(tokens, first - 1)
        stem = tokens[first - 1].stem
        one = region or (() if stem in _SHAPES else REGIONS.get(stem, ()))
        if not one and not (leads and tokens[first - 1].lower in JOINING):
            break
        leads += one
        first -= 2 if region else 1
    if leads and first > 0 and tokens[first - 1].lower in NON:
        return first - 1, in_order(set(LEADS).difference(leads))
    return first, in_order(leads)


def _of_two_words(tokens: Sequence[Token], last: int) -> tuple[str, ...]:
    two = [token.stem for token in tokens[max(0, last - 1) : last + 1]]
    return REGIONS.get(" ".join(two), ()) if len(two) > 1 else ()
