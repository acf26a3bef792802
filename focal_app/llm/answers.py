"""Answers of a language model to features: JSON, a Python list in prose, or a list of lines.

    parse_features('Here it is:\n```python\n["absent P waves", "wide QRS"]\n```')

Nothing is ever evaluated: JSON and Python literals are parsed, nothing else. None means that the
answer holds no list (malformed), an empty tuple that it says there are no features.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

LONGEST_ANSWER = 50_000
"""Characters that are looked at; a real answer holds a few hundred."""

_THOUGHT = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNFINISHED_THOUGHT = re.compile(r"<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)
_FENCE = "```"
_LANGUAGE = re.compile(r"[\w+-]*\n?")
_BULLET = re.compile(r"(?:\(?\d{1,2}[.)]|[-*•–])(?=\s|$)")


def parse_features(text: str) -> tuple[str, ...] | None:
    """The features that an answer lists, as it words them; None where it lists nothing."""
    said = _without_thoughts(text[:LONGEST_ANSWER])
    for literal in _literals(said):
        features = _texts_of(literal)
        if features is not None:
            return features
    return tuple(_items(said)) or None


def _without_thoughts(text: str) -> str:
    """What is said after thinking; a template may have opened the thought, a limit cut it off."""
    return _UNFINISHED_THOUGHT.sub("", _THOUGHT.sub("", text)).strip()


def _literals(said: str) -> Iterator[Any]:
    """Everything in an answer that parses: the whole, its code blocks, its brackets in turn."""
    for piece in (said, *_code_blocks(said)):
        yield from _parsed(piece.strip())
    yield from _parsed_from_brackets(said)


# No expression looks for a closed code block or for an item: on an answer of one open block, or of
# line breaks alone, it would take the square of its length.
def _code_blocks(said: str) -> Iterator[str]:
    """What stands between two fences, without the name of the language."""
    pieces = said.split(_FENCE)
    for block in pieces[1 : len(pieces) - 1 : 2]:
        yield _LANGUAGE.sub("", block, count=1)


def _items(said: str) -> Iterator[str]:
    """The texts behind bullets and numbers, on the same line or on the next that says anything."""
    after_bullet = False
    for line in map(str.strip, said.split("\n")):
        bullet = None if after_bullet else _BULLET.match(line)
        text = line[bullet.end() :].strip() if bullet else line
        if text and (bullet or after_bullet):
            yield text
        after_bullet = (bullet is not None or after_bullet) and not text


def _parsed(piece: str) -> Iterator[Any]:
    # A name before a list, `features = [...]`, as a code block often has it.
    named = re.sub(r"^\w+\s*=\s*", "", piece)
    for parse in (_json, _python):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a lone backslash, as in R\S
                literal = parse(named)
            yield literal
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue


def _json(piece: str) -> Any:  # noqa: ANN401
    """JSON that may hold line breaks and the like inside its texts, as models write it."""
    return json.loads(piece, strict=False)


def _python(piece: str) -> Any:  # noqa: ANN401
    """A Python literal. Letters beyond ASCII are escaped: as parts of names they would be brought
    to a normal form, which takes the square of a run of accents."""
    return ast.literal_eval(piece.encode("ascii", "backslashreplace").decode())


def _parsed_from_brackets(said: str) -> Iterator[Any]:
    """Literals that begin at a bracket and end at the one that closes it."""
    for start, end in _bracketed(said):
        yield from _parsed(said[start:end])


def _bracketed(said: str) -> Iterator[tuple[int, int]]:
    """Outermost [...] and {...}, where they begin and end; brackets in quotes count as text."""
    depth, begun, quote = 0, 0, ""
    for i, letter in enumerate(said):
        if quote:
            if letter == quote and said[i - 1] != "\\":
                quote = ""
        elif depth and _opens_quote(said, i):
            quote = letter
        elif letter in "[{":
            begun, depth = (i if not depth else begun), depth + 1
        elif letter in "]}" and depth:
            depth -= 1
            if not depth:
                yield begun, i + 1


def _opens_quote(said: str, i: int) -> bool:
    """A quote that begins a text; an apostrophe inside a word begins none."""
    return said[i] in "\"'" and not (i and said[i - 1].isalnum())


def _texts_of(literal: Any) -> tuple[str, ...] | None:  # noqa: ANN401
    """The texts of a list, or of the one list that an object holds; None for anything else."""
    if isinstance(literal, dict):
        lists = [value for value in literal.values() if isinstance(value, list)]
        return _texts_of(lists[0]) if len(lists) == 1 else None
    if not isinstance(literal, (list, tuple)):
        return None
    texts = tuple(_text_of(item) for item in literal)
    return None if None in texts else tuple(text for text in texts if text)


def _text_of(item: Any) -> str | None:  # noqa: ANN401
    """An item's text; some models wrap each in an object, {"feature": "..."}."""
    if isinstance(item, dict):
        item = next((item[key] for key in ("feature", "name", "text") if key in item), None)
    return item if isinstance(item, str) else None
