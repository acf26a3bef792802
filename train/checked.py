"""Values that are held against their types when an object is made.

    @dataclass(frozen=True)
    class Stage(Checked):
        batch: Annotated[int, Range(1)] = 64

    Stage(batch=0)                          # ConfigError: batch: found 0; needed at least 1
    built(Stage, {"batch": 0}, "coarse")    # ConfigError: coarse.batch: found 0; ...

A field is a plain type, a `Literal`, a tuple of one of them, another dataclass, or any of these
with a `Range`.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from focal_app.errors import ConfigError

T = TypeVar("T")
KINDS = {int: int, float: (int, float), str: str, bool: bool}
"""What a value must be for a field of this type; a whole number may stand for a float."""


class Refused(ConfigError):
    """A value that cannot be: `path` says which, `reason` what was found and what is needed."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


@dataclass(frozen=True)
class Range:
    """The numbers a value may be; `above` and `below` leave the bound itself out."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    below: bool = False

    def __contains__(self, value: float) -> bool:
        """Whether the number is in it; what is no number is in none."""
        low = self.low < value if self.above else self.low <= value
        return low and (value < self.high if self.below else value <= self.high)

    def __str__(self) -> str:
        """As an error says it."""
        if self.high == math.inf:
            return f"{'above' if self.above else 'at least'} {self.low:g}"
        if self.above and self.below:
            return f"between {self.low:g} and {self.high:g}"
        return f"{self.low:g} to {'less than ' if self.below else ''}{self.high:g}"


class Checked:
    """A dataclass that refuses, when it is made, what its fields' types do not allow."""

    def __post_init__(self) -> None:
        """Check every field."""
        for field in dataclasses.fields(self):  # pyrefly: ignore[bad-argument-type]
            check(getattr(self, field.name), field.type, field.name)


def check(value: Any, kind: Any, path: str) -> None:  # noqa: ANN401
    """Refuse a value that its type does not allow."""
    if get_origin(kind) is Annotated:
        inner, *bounds = get_args(kind)
        check(value, inner, path)
        for bound in bounds:
            if isinstance(bound, Range) and value is not None and value not in bound:
                raise Refused(path, f"found {value}; needed {bound}")
    elif get_origin(kind) is tuple:
        kinds = get_args(kind)
        if not (isinstance(value, tuple) and (kinds[-1] is ... or len(value) == len(kinds))):
            needed = "a list" if kinds[-1] is ... else f"{len(kinds)} values"
            raise Refused(path, f"found {value!r}; needed {needed}")
        for one in value:
            check(one, kinds[0], path)
    elif not _fits(value, kind):
        raise Refused(path, f"found {value!r}; needed {_named(kind)}")


def built(kind: type[T], values: Any, path: str) -> T:  # noqa: ANN401
    """The object from plain names and values, as a YAML file holds them."""
    if not isinstance(values, Mapping):
        raise Refused(path, f"found {values!r}; needed names and values")
    fields = {field.name: field.type for field in dataclasses.fields(kind)}  # pyrefly: ignore[bad-argument-type]
    if unknown := values.keys() - fields.keys():
        known = ", ".join(sorted(fields))
        raise Refused(path, f"found unknown {', '.join(sorted(map(str, unknown)))}; known: {known}")
    made = {name: _part(fields[name], value, f"{path}.{name}") for name, value in values.items()}
    try:
        return kind(**made)
    except Refused as error:
        raise Refused(f"{path}.{error.path}", error.reason) from None
    except ConfigError as error:
        raise Refused(path, str(error)) from None


def _part(kind: Any, value: Any, path: str) -> Any:  # noqa: ANN401
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return built(kind, value, path)
    value = tuple(value) if isinstance(value, list) else value
    check(value, kind, path)
    return value


def _fits(value: Any, kind: Any) -> bool:  # noqa: ANN401
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(kind))
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is float and isinstance(value, float) and not math.isfinite(value):
        return False
    known = KINDS.get(kind, kind if isinstance(kind, type) else object)
    return isinstance(value, known) and (kind is bool or not isinstance(value, bool))


def _named(kind: Any) -> str:  # noqa: ANN401
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(_named, get_args(kind)))
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    named = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    return named.get(kind) or ("none" if kind is NoneType else kind.__name__)
