"""Which statement some words name: by the lexicon, by `assets/wordings.yaml`, in any order.

statement_of(tokens("STEMI of the anterior wall"))     # "acute anterior myocardial infarction"
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from focal_app.lexicon import load_lexicon
from focal_app.words.leads import in_order
from focal_app.words.tokens import COMMA, Token, tokens
from focal_app.words.wordings import wordings

LONGEST_TURNED = 8
"""Words among which a name is looked for in another order."""
FILL = wordings().fill
"""Words that tell nothing inside a name."""
_IMPLIED = frozenset(["wave", "segment", "complex", "interval"])
"""Words that a name of another part of the ECG does without: "tall R in V1"."""
APART = wordings().apart
"""Two names meet there."""


def statement_of(window: Sequence[Token]) -> str | None:
    """The tag that exactly these tokens name, in singular or plural and in any order."""
    first, last = window[0].lower, window[-1].lower
    if COMMA in (first, last):
        return None
    names = _names()
    said = [token for token in window if token.lower != COMMA]
    for form in ("key", "singular", "stem"):
        if tag := names[form].get("".join(getattr(token, form) for token in said)):
            return tag
    if len(window) > 1 and (tag := names["singular"].get("".join(map(_written_out, said)))):
        return tag
    if (bare := _bare(said)) and (tag := _bare_names().get(bare)):
        return tag
    outer = {first} if last == "wall" else {first, last}
    if 1 < len(window) <= LONGEST_TURNED and not FILL.intersection(outer):
        key = _turned_key(window)
        return _turned().get(key) if len(key) > 1 else None
    return None


def named(text: str) -> str | None:
    """The tag of a wording."""
    window = tokens(text)
    return statement_of(window) if window else None


def placed(tag: str, leads: Iterable[str]) -> str:
    """The statement of a finding in just these leads, where the lexicon has one; else the tag."""
    return _placed().get((tag, in_order(leads)), tag)


@cache
def longest_name() -> int:
    """Tokens of the longest name."""
    return max(len(tokens(name)) for _, name in _all_names())


@cache
def known_words() -> frozenset[str]:
    """The stem of every word by which two statements or more are named: what is said of an ECG."""
    said: dict[str, set[str]] = {}
    for tag, name in _all_names():
        for token in tokens(name):
            said.setdefault(token.stem, set()).add(tag)
    return frozenset(word for word, tags in said.items() if len(tags) > 1)


def _all_names() -> Iterator[tuple[str, str]]:
    yield from ((statement.tag, name) for statement in load_lexicon() for name in statement.names)
    for tags in wordings().names.values():
        yield from ((tag, name) for tag, names in tags.items() for name in names)


@cache
def _names() -> dict[str, dict[str, str]]:
    """Tags by their joined keys, by singulars and by stems; the lexicon comes first."""
    found: dict[str, dict[str, str]] = {"key": {}, "singular": {}, "stem": {}}
    for tag, name in _all_names():
        for form, tags in found.items():
            joined = "".join(getattr(token, form) for token in tokens(name) if token.lower != COMMA)
            if joined:
                tags.setdefault(joined, tag)
    return found


def _bare(window: Sequence[Token]) -> str:
    """The joined singulars without "wave" and the like; none of one word or of an "of ..."."""
    told = [token.singular for token in window if token.singular not in _IMPLIED]
    return "".join(told) if len(told) > 1 and told[0] not in FILL else ""


@cache
def _bare_names() -> dict[str, str]:
    """Names without "wave" and the like; none that two statements would share."""
    found: dict[str, set[str]] = {}
    for tag, name in _all_names():
        found.setdefault(_bare(tokens(name)), set()).add(tag)
    return {key: next(iter(tags)) for key, tags in found.items() if key and len(tags) == 1}


def _written_out(token: Token) -> str:
    """A token's singular, or that of the statement of which it is an abbreviation."""
    return _abbreviations().get(token.singular, token.singular)


@cache
def _abbreviations() -> dict[str, str]:
    return {
        tokens(short)[0].singular: "".join(token.singular for token in tokens(statement.tag))
        for statement in load_lexicon()
        for short in statement.abbreviations
        if short.isalnum() and short.isupper()
    }


def _turned_key(window: Sequence[Token]) -> tuple[str, ...]:
    """The words that tell, in alphabetical order; none where two names meet."""
    told = [token.stem for token in window if token.lower not in FILL]
    if any(token.lower in APART or token.lower == COMMA or token.list for token in window):
        return ()
    return tuple(sorted(word.removesuffix("s") if len(word) > 3 else word for word in told))


@cache
def _turned() -> dict[tuple[str, ...], str]:
    """Names of two words and more by their words; none that two statements would share."""
    found: dict[tuple[str, ...], set[str]] = {}
    for tag, name in _all_names():
        window = [token for token in tokens(name) if token.lower != "with"]
        key = _turned_key(window)
        if len(key) > 1 and not any(token.leads for token in window):
            found.setdefault(key, set()).add(tag)
    return {key: next(iter(tags)) for key, tags in found.items() if len(tags) == 1}


@cache
def _placed() -> dict[tuple[str, tuple[str, ...]], str]:
    """Statements that are another in certain leads: "ST elevation" in V1 to V4."""
    found: dict[tuple[str, tuple[str, ...]], str] = {}
    for tag, name in _all_names():
        window = tokens(name)
        lists = [at for at, token in enumerate(window) if token.list]
        if len(lists) == 1 and lists[0] == len(window) - 1:
            head = window[: lists[0]]
            while head and head[-1].lower in {"in", "leads", "lead", "the"}:
                head = head[:-1]
            base = statement_of(head) if head else None
            if base and base != tag:
                found.setdefault((base, window[-1].leads), tag)
    return found
