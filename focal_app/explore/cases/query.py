"""A text query, read through the lexicon: what is wanted, what is not, and where.

parse("AF without LBBB").understood
# 'With atrial fibrillation ("AF"), without left bundle branch block ("LBBB").'
"""

import re
from dataclasses import dataclass

from focal_app.ecg.leads import listed
from focal_app.ecg.recording import LEADS
from focal_app.errors import PromptError
from focal_app.explore.cases.phrasing import Phrased, in_known_words
from focal_app.explore.reading.prompts import tidy
from focal_app.explore.report.report_tags import ReportTag, tags_in
from focal_app.lexicon import load_lexicon

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
_TO = r"\s*(?:-|–|to)\s*"
_PIECE = rf"(?:{_LEAD}(?:{_TO}(?:{_LEAD}|[1-6]))?|(?i:{_REGION})(?:\s+(?:leads?|wall))?)"
# Without a bound, `_BEFORE` would take the square of a long list that ends in anything else.
_LIST = rf"(?P<list>{_PIECE}(?:(?:\s*(?:,|and|&|,\s*and)\s*|\s+){_PIECE}){{0,24}})(?![\w'])"
_INSIDE = r"\s*(?:in|at|over|across)\s+(?:the\s+)?(?:leads?\s+)?"
_PLACE = re.compile(_INSIDE + _LIST)
_AFTER = re.compile(rf"(?:{_INSIDE}|\s*)(?:leads?\s+)?{_LIST}")
"""A place right after a term, with or without "in"."""
_BEFORE = re.compile(rf"(?:^|\s){_LIST}\s*$")
_RANGE = re.compile(rf"(?P<first>{_LEAD})(?:{_TO}(?P<last>{_LEAD}|[1-6]))?|(?i:{_REGION})")
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
    """The terms of a query in their order, and how they were understood, in words.

    `warnings` say what was left out, is no known term, or is looked for in more places.
    """

    terms: tuple[Term, ...]
    understood: str
    warnings: tuple[str, ...] = ()


def parse(text: str) -> Query:
    """Reads a query; a `PromptError` for one in which nothing can be asked."""
    asked = tidy(text)
    if len(asked) > LONGEST_QUERY:
        raise PromptError(
            f"found a query of {len(asked)} characters; shorten it to {LONGEST_QUERY} or fewer"
        )
    phrased = in_known_words(asked)
    tags = tags_in(phrased.text)
    if not tags:
        raise PromptError(
            "found no finding in the query; name one, such as 'inverted T waves in V1-V4'"
        )
    if len(tags) > MOST_TERMS:
        raise PromptError(f"found {len(tags)} findings; search for at most {MOST_TERMS} at once")
    return query_of(phrased, tags)


def query_of(phrased: Phrased, tags: tuple[ReportTag, ...]) -> Query:
    """The query of these findings, each with its place."""
    gaps = _gaps(phrased.text, tags)
    terms = _terms(tags, gaps, phrased)
    return Query(terms, _understood(terms), _warnings(terms, gaps))


def _gaps(asked: str, tags: tuple[ReportTag, ...]) -> tuple[str, ...]:
    """What stands before the first term, and after each up to the next."""
    at, pieces = 0, []
    for tag in tags:
        found = asked.find(tag.text, at)
        start = found if found >= 0 else at
        pieces.append(asked[at:start])
        at = start + (len(tag.text) if found >= 0 else 0)
    return (*pieces, asked[at:])


def _terms(
    tags: tuple[ReportTag, ...], gaps: tuple[str, ...], phrased: Phrased
) -> tuple[Term, ...]:
    """Terms with the place that goes with each, and whether an "or" stands before it."""
    before = [None, *tags[:-1]]
    return tuple(
        Term(
            tag.tag,
            phrased.as_typed(tag.text),
            wanted=not tag.denied,
            known=tag.known,
            leads=_leads(_AFTER.match(after)) or _leads(_BEFORE.search(gap)) or _narrower(tag),
            either=bool(_EITHER.search(gap) and last and not (tag.denied or last.denied)),
        )
        for tag, last, gap, after in zip(tags, before, gaps[:-1], gaps[1:], strict=True)
    )


def _narrower(tag: ReportTag) -> tuple[str, ...]:
    """The leads that the words of a term name, where its statement is looked for in more."""
    named, usual = _leads(_PLACE.search(tag.text)), _usual_leads(tag.tag)
    return named if set(named) < set(usual) else ()


def _usual_leads(tag: str) -> tuple[str, ...]:
    """The leads in which the lexicon expects a statement."""
    return load_lexicon()[tag].leads if tag in load_lexicon() else ()


def _warnings(terms: tuple[Term, ...], gaps: tuple[str, ...]) -> tuple[str, ...]:
    """What a reader of the hits has to know, the gravest first."""
    unknown = [
        f'"{term.said}" is not a known ECG term; ranked by likeness of words alone.'
        for term in terms
        if not term.known
    ]
    return (*unknown, *_left_out(gaps), *_wider(terms))


def _left_out(gaps: tuple[str, ...]) -> tuple[str, ...]:
    """Names the words that were neither a term nor a place nor idle."""
    places = [_BEFORE.sub(" ", _AFTER.sub(" ", gap, count=1)) for gap in gaps]
    rests = [re.findall(r"[^\W_][\w'’-]*", piece) for piece in places]
    kept = [" ".join(w for w in words if w.casefold() not in _IDLE) for words in rests]
    said = [f'"{words}"' for words in kept if words]
    return (f"Left out, not understood: {listed(said)}.",) if said else ()


def _wider(terms: tuple[Term, ...]) -> tuple[str, ...]:
    """Terms whose own words name other leads than those of their statement."""
    asked = [(term, _leads(_PLACE.search(term.said))) for term in terms if not term.leads]
    return tuple(
        f'"{term.said}" is searched as "{term.prompt}", in other leads than those named.'
        for term, leads in asked
        if leads and term.known and set(leads) != set(_usual_leads(term.prompt))
    )


def _leads(place: re.Match[str] | None) -> tuple[str, ...]:
    """The leads of a place, in standard order."""
    named: set[str] = set()
    for piece in _RANGE.finditer(place["list"]) if place else ():
        if piece["first"] is None:
            named.update(REGIONS[piece.group().lower()])
            continue
        bounds = piece["first"], piece["last"] or piece["first"]
        first, last = (LEADS.index(_NAMES[_whole(bound)]) for bound in bounds)
        named.update(LEADS[min(first, last) : max(first, last) + 1])
    return tuple(lead for lead in LEADS if lead in named)


def _whole(lead: str) -> str:
    """A lead by its key; "V1-3" leaves the second V out."""
    return f"v{lead}" if lead.isdigit() else lead.lower()


def _understood(terms: tuple[Term, ...]) -> str:
    wanted, unwanted = ([t for t in terms if t.wanted == w] for w in (True, False))
    parts = []
    if wanted:
        parts.append("with " + _joined(wanted))
    if unwanted:
        parts.append("without " + _joined(unwanted))
    sentence = ", ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


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
