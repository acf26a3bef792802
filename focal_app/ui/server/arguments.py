"""Values that a program sends, each of the type and in the range that is needed, or a sentence.

    number("threshold", "0.9", low=0, high=1)
    # PromptError: found a text as threshold; needed a number from 0 to 1.

Of a value that does not fit only its kind is said, never the value itself.
"""

import math
from collections.abc import Sequence

from focal_app.errors import PromptError

_KINDS: dict[type, str] = {
    type(None): "nothing (null)",
    bool: "true or false",
    str: "a text",
    list: "a list",
    tuple: "a list",
    dict: "an object",
}


def text(name: str, value: object, *, longest: int) -> str:
    """A text of at most `longest` characters; nothing is the empty one."""
    needed = f"a text of at most {longest} characters"
    said = "" if value is None else value
    if not isinstance(said, str):
        raise _refused(kind(value), name, needed)
    if len(said) > longest:
        raise _refused(f"{len(said)} characters", name, needed)
    if not said.isascii() and any("\ud800" <= letter <= "\udfff" for letter in said):
        raise _refused("half a character (a lone surrogate)", name, needed)
    return said


def texts(name: str, value: object, *, most: int, longest: int) -> tuple[str, ...]:
    """A list of at most `most` texts; nothing is an empty list."""
    needed = f"a list of at most {most} texts of at most {longest} characters each"
    items = () if value is None else value
    if not isinstance(items, list | tuple):
        raise _refused(kind(value), name, needed)
    if len(items) > most:
        raise _refused(f"{len(items)} entries", name, needed)
    others = [item for item in items if not isinstance(item, str)]
    if others:
        raise _refused(f"a list with {kind(others[0])}", name, needed)
    return tuple(text(name, item, longest=longest) for item in items)


def number(name: str, value: object, *, low: float, high: float) -> float:
    """A number from `low` to `high`."""
    return float(_within(name, value, f"a number from {low:g} to {high:g}", low, high))


def whole(name: str, value: object, *, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    needed = f"a whole number from {low} to {high}"
    found = _within(name, value, needed, low, high)
    if found != int(found):
        raise _refused("a number with a fraction", name, needed)
    return int(found)


def yes_or_no(name: str, value: object) -> bool:
    """True or false; nothing is false."""
    if not isinstance(value, bool | None):
        raise _refused(kind(value), name, "true or false")
    return bool(value)


def paths(name: str, value: object) -> Sequence[str]:
    """Where uploaded files lie; nothing is none of them."""
    return texts(name, value, most=20, longest=4096)


def kind(value: object) -> str:
    """What a value is, in words."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number" if isinstance(value, int) or math.isfinite(value) else "no finite number"
    return _KINDS.get(type(value), "a value of another kind")


def _within(name: str, value: object, needed: str, low: float, high: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        raise _refused(kind(value), name, needed)
    if not low <= value <= high:
        raise _refused(f"{'less' if value < low else 'more'} than that", name, needed)
    return value


def _refused(found: str, name: str, needed: str) -> PromptError:
    return PromptError(f"found {found} as {name}; needed {needed}.")
