"""Leads where a finding is not: "in all leads except aVR", "but not in V1 nor in V2".

spared_places(tokens("ST elevation except in V1"))      # {4: range(2, 4)}: V1, by "except in"
"""

from collections.abc import Mapping, Sequence

from focal_app.words.tokens import Token

INTO = frozenset(["in", "at", "over", "across", "lead", "leads", "abl", "ableitung", "ableitungen"])
JOINING = frozenset(["and", "or", "nor", "und", "oder", "plus"])
_SPARING = frozenset(
    [
        *(("except",), ("excluding",), ("sparing",), ("not",), ("without",)),
        *(("neither",), ("none",)),
        *(("außer",), ("ausser",), ("nicht",), ("ohne",)),
        *((word, "but") for word in ("all", "leads", "everywhere", "everything", "every", "lead")),
        *(("apart", "from"), ("other", "than")),
        ("with", "the", "exception"),
    ]
)
_MOST = max(map(len, _SPARING))
_CHANGES = frozenset(["change", "changes", "veränderungen"])
_BEFORE_LEADS = INTO.union(("for", "the", "involving", "involvement", "of"))
_AND_ALSO = _BEFORE_LEADS.union(JOINING)
"""No comma: behind one may stand the leads of what follows, or further ones of the finding."""


def spared_places(tokens: Sequence[Token]) -> Mapping[int, range]:
    """Which tokens are leads that a finding spares, and the words that say so of each."""
    found: dict[int, range] = {}
    last = None
    for at, token in enumerate(tokens):
        if not token.leads:
            last = last if token.lower in _AND_ALSO else None
            continue
        words = range(at, at) if last is None else range(last + 1, at)
        if words := words or _sparing(tokens, at):
            found[at] = words
            last = at
    return found


def of_an_answer(tokens: Sequence[Token], at: int) -> bool:
    """Whether leads are those of the opposite, there or not: "with reciprocal changes in II"."""
    while at > 0 and tokens[at - 1].lower in _BEFORE_LEADS:
        at -= 1
    said = [token.lower for token in tokens[max(0, at - 3) : at]]
    return said[-2:-1] in (["reciprocal"], ["reziproke"]) and said[-1] in _CHANGES


def _sparing(tokens: Sequence[Token], at: int) -> range:
    """The words right before leads by which these are spared; empty if there are none."""
    end = at
    while end > 0 and tokens[end - 1].lower in _BEFORE_LEADS:
        end -= 1
    before = tuple(token.lower for token in tokens[max(0, end - _MOST) : end])
    for length in range(len(before), 0, -1):
        if before[-length:] in _SPARING:
            return range(end - length, at)
    of_a_region = before[-1:] == ("but",) and before[-3:-2] == ("all",) and tokens[end - 2].list
    return range(end - 1, at) if of_a_region else range(0)
