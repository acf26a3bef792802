"""Texts that are made to take long, each of any length, and what reads texts."""

from collections.abc import Callable

from focal_app.explore.cases.query import query_of
from focal_app.lexicon import load_lexicon
from focal_app.llm.answers import parse_features
from focal_app.words.prompts import asked
from focal_app.words.statements import tidy, typed_tag, understood


def _query(text: str) -> object:
    """A query of more characters than are taken, and of more findings."""
    typed = tidy(text)
    return query_of(typed, understood(typed))


READERS: dict[str, Callable[[str], object]] = {
    "tags of a report": understood,
    "a typed tag": typed_tag,
    "a query": _query,
    "a prompt": asked,
    "a name of the lexicon": load_lexicon().resolve,
    "an answer of a language model": parse_features,
}
"""Without the limits of length, which would answer before anything is read."""

_REPEATED = (
    "normal PR, ",
    *("no,", "possible a,", "LBBB ruled out, ", "a'", "a ", "qrs wave ", "wobbly AF; ", "?", ";"),
    *("V1 ", "V1, and ", "III", "[", "[1]", "[{'", "(", "1+", "```", "```a", "- ", "<think>"),
    *("Axis: ", "V1: ", "isn't ", "LBBB: no, ", "not seen ", "w/", "T low sadly "),
)
_BEGUN_AND_ENDED = (
    *(
        ("T low ", "sadly ", "in"),
        ("", "no,", "or"),
        ("", "possible a,", "or"),
        ("AF ", "V1 ", "; LBBB"),
        ("x", " ", "= y"),
    ),
    *(("```", "a", ""), ("a", "\n", "b"), ("- a", " ", "b"), ("e", "\u0301\u0323", "")),
)
HOSTILE = (*(("", piece, "") for piece in _REPEATED), *_BEGUN_AND_ENDED)
"""How a text begins, what is repeated in it, and how it ends."""


def hostile(how: tuple[str, str, str], length: int) -> str:
    """The text of that many characters."""
    begun, piece, ended = how
    times = -(-length // len(piece))
    return begun + (piece * times)[: length - len(begun) - len(ended)] + ended
