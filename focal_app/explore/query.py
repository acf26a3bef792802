"""A text query, read through the lexicon: what is wanted, what is not, and where.

parse("AF without LBBB").understood
# 'With atrial fibrillation ("AF"), without left bundle branch block ("LBBB").'
"""

import re
from dataclasses import dataclass

from focal_app.ecg.leads import listed
from focal_app.ecg.recording import LEADS
from focal_app.errors import PromptError
from focal_app.explore.prompts import tidy
from focal_app.explore.report_tags import ReportTag, report_tags

LONGEST_QUERY, MOST_TERMS = 300, 12
REGIONS = {
    "inferior": ("II", "III", "aVF"),
    "lateral": ("I", "aVL", "V5", "V6"),
    "anterior": ("V1", "V2", "V3", "V4"),
    "septal": ("V1", "V2"),
    "anteroseptal": ("V1", "V2", "V3"),
    "right precordial": ("V1", "V2", "V3"),
    "left precordial": ("V4", "V5", "V6"),
    "precordial": LEADS[6:],
    "chest": LEADS[6:],
    "limb": LEADS[:6],
}
_LEAD = r"(?:[Aa][Vv][RrLlFf]|[Vv][1-6]|III|II|I)"
_REGION = "|".join(sorted(REGIONS, key=len, reverse=True))
_PIECE = rf"(?:{_LEAD}(?:\s*(?:-|–|to)\s*{_LEAD})?|(?i:{_REGION})(?:\s+leads?)?)"
_PLACE = re.compile(
    rf"\s*(?:in|at|over|across)\s+(?:the\s+)?(?:leads?\s+)?(?P<list>{_PIECE}"
    rf"(?:\s*(?:,|and|&|,\s*and)\s*{_PIECE})*)(?![\w'])"
)
_RANGE = re.compile(rf"(?P<first>{_LEAD})(?:\s*(?:-|–|to)\s*(?P<last>{_LEAD}))?|(?i:{_REGION})")
_EITHER = re.compile(r"\bor\b", re.IGNORECASE)
_IDLE_WORDS = """
a an and any are at but case cases ecg ecgs find for from has have having in is lead leads neither
no nor not of on or plus show showing shows that the there where which with without never absent
except excluding absence free however
"""
_IDLE = frozenset(_IDLE_WORDS.split())
"""Words that join terms or say nothing."""
_NAMES = {lead.lower(): lead for lead in LEADS}


@dataclass(frozen=True)
class Term:
    """One finding of a query: `prompt` is what the model is asked, `said` what was typed.

    `leads` restrict where it is looked for (empty: everywhere); `either` says that it is an
    alternative to the term before it.
    """

    prompt: str
    said: str
    wanted: bool = True
    known: bool = True
    leads: tuple[str, ...] = ()
    either: bool = False


@dataclass(frozen=True)
class Query:
    """The terms of a query in their order, and how they were understood, in words."""

    terms: tuple[Term, ...]
    understood: str


def parse(text: str) -> Query:
    """Reads a query; a `PromptError` for one in which nothing can be asked."""
    asked = tidy(text)
    if len(asked) > LONGEST_QUERY:
        raise PromptError(
            f"found a query of {len(asked)} characters; shorten it to {LONGEST_QUERY} or fewer"
        )
    tags = report_tags(asked)
    if not tags:
        raise PromptError(
            "found no finding in the query; name one, such as 'inverted T waves in V1-V4'"
        )
    if len(tags) > MOST_TERMS:
        raise PromptError(f"found {len(tags)} findings; search for at most {MOST_TERMS} at once")
    places = _places(asked, tags)
    terms = _terms(tags, places)
    return Query(terms, _understood(terms) + _left_out(places))


def _places(asked: str, tags: tuple[ReportTag, ...]) -> tuple[str, ...]:
    """What stands before the first term, and after each up to the next."""
    at, pieces = 0, []
    for tag in tags:
        found = asked.find(tag.text, at)
        start = found if found >= 0 else at
        pieces.append(asked[at:start])
        at = start + (len(tag.text) if found >= 0 else 0)
    return (*pieces, asked[at:])


def _terms(tags: tuple[ReportTag, ...], places: tuple[str, ...]) -> tuple[Term, ...]:
    """Terms with the place that follows each, and whether an "or" stands before it."""
    before = [None, *tags[:-1]]
    return tuple(
        Term(
            tag.tag,
            tag.text,
            wanted=not tag.denied,
            known=tag.known,
            leads=_place(after),
            either=bool(_EITHER.search(gap) and last and not (tag.denied or last.denied)),
        )
        for tag, last, gap, after in zip(tags, before, places[:-1], places[1:], strict=True)
    )


def _left_out(places: tuple[str, ...]) -> str:
    """Names the words that were neither a term nor a place nor idle."""
    rests = [re.findall(r"[^\W_][\w'’-]*", _PLACE.sub(" ", piece)) for piece in places]
    kept = [" ".join(w for w in words if w.casefold() not in _IDLE) for words in rests]
    said = [f'"{words}"' for words in kept if words]
    return f" Left out, not understood: {', '.join(said)}." if said else ""


def _place(gap: str) -> tuple[str, ...]:
    """The leads that follow a term, in standard order."""
    match = _PLACE.match(gap)
    if not match:
        return ()
    named: set[str] = set()
    for piece in _RANGE.finditer(match["list"]):
        if piece["first"] is None:
            named.update(REGIONS[piece.group().lower()])
            continue
        first = LEADS.index(_NAMES[piece["first"].lower()])
        last = LEADS.index(_NAMES[(piece["last"] or piece["first"]).lower()])
        named.update(LEADS[min(first, last) : max(first, last) + 1])
    return tuple(lead for lead in LEADS if lead in named)


def _understood(terms: tuple[Term, ...]) -> str:
    wanted, unwanted = ([t for t in terms if t.wanted == w] for w in (True, False))
    parts = []
    if wanted:
        parts.append("with " + _joined(wanted))
    if unwanted:
        parts.append("without " + _joined(unwanted))
    sentence = ", ".join(parts)
    sentence = f"{sentence[0].upper()}{sentence[1:]}."
    unknown = [f'"{term.prompt}"' for term in terms if not term.known]
    if unknown:
        sentence += f" The lexicon does not know {listed(unknown)}: asked in these words."
    return sentence


def _joined(terms: list[Term]) -> str:
    said = _in_words(terms[0])
    for term in terms[1:]:
        said += (" or " if term.either else " and ") + _in_words(term)
    return said


def _in_words(term: Term) -> str:
    words = term.prompt
    if term.said.casefold() != term.prompt.casefold():
        words += f' ("{term.said}")'
    if term.leads:
        words += f" (in {listed(term.leads)} alone)"
    return words
