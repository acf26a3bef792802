"""JSON from a file that somebody else wrote: bounded, shallow, and without numbers that are none.

    read_json(folder / "config.json", most_bytes=1_000_000)     # an object, or a `ValueError`

Python's parser takes any depth until the stack ends, NaN for a number, whole numbers that no float
holds, half a character (a lone surrogate), and a key written twice.
"""

import json
import re
from pathlib import Path
from typing import Any

DEEPEST = 20
_TEXTS_AND_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""A text that does not end reaches to the end: it is not looked through again from each quote."""


def read_json(path: Path, *, most_bytes: int) -> dict[str, Any]:
    """The object of a JSON file; a `ValueError` says what is wrong, an `OSError` if it is gone."""
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"more than {most_bytes} bytes")
    return parse_json(content.decode("utf-8"))


def parse_json(text: str) -> dict[str, Any]:
    """The object of a JSON text; a `ValueError` for anything else."""
    values = parse_value(text)
    if not isinstance(values, dict):
        raise ValueError("no object at its top")
    return values


def parse_value(text: str) -> object:
    """The same of a text that may hold a list, or a value alone."""
    _check_depth(text)
    values = json.loads(
        text, parse_constant=_no_number, parse_int=_whole, object_pairs_hook=each_once
    )
    refuse_half_characters(text, values)
    return values


def refuse_half_characters(text: str, values: object) -> None:
    """A `ValueError` where a JSON text holds what could be held, but not be shown or written."""
    if "\\u" in text:
        json.dumps(values, ensure_ascii=False).encode()


def _check_depth(text: str) -> None:
    depth = 0
    for found in _TEXTS_AND_BRACKETS.finditer(text):
        if found[0] in "[{":
            depth += 1
        elif found[0] in "]}":
            depth -= 1
        if depth > DEEPEST:
            raise ValueError(f"more than {DEEPEST} levels")


def _no_number(found: str) -> float:
    raise ValueError(f"{found} where a number is needed")


def _whole(found: str) -> int:
    number = int(found)
    try:
        float(number)
    except OverflowError as error:
        raise ValueError("a number that is too large") from error
    return number


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no two parsers read another: a `ValueError` where a key stands twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key twice")
    return values
