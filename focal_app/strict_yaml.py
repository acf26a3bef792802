"""YAML as plain values: a key that is written twice is refused."""

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from yaml.constructor import ConstructorError

from focal_app.errors import LexiconError

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import SafeLoader as _SafeLoader
else:
    from yaml import CSafeLoader as _SafeLoader  # ten times as fast


class _Strict:
    """Refuses a key that is written twice, of which YAML would keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        twice = repeated(str(key.value) for key, _ in node.value)
        if twice:
            found = f"found {', '.join(sorted(twice))} twice"
            raise ConstructorError(problem=found, problem_mark=node.start_mark)
        return super().construct_mapping(node, deep=deep)  # pyrefly: ignore[missing-attribute]


class _OwnLoader(_Strict, _SafeLoader):
    """For our own assets: plain YAML, fast."""


class _CarefulLoader(_Strict, yaml.SafeLoader):
    """For files of others: written in C, nesting without end would end the process."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """A whole number that a float holds: on others arithmetic would end."""
        try:
            number = super().construct_yaml_int(node)
            float(number)
        except (ValueError, OverflowError) as error:
            found = "found a number that is too large, or none"
            raise ConstructorError(problem=found, problem_mark=node.start_mark) from error
        return number


_CarefulLoader.add_constructor("tag:yaml.org,2002:int", _CarefulLoader.construct_yaml_int)


def parsed(text: str) -> object:
    """The values of a text by anyone; a `yaml.YAMLError` where it holds none."""
    try:
        return yaml.load(text, Loader=_CarefulLoader)
    except RecursionError as error:
        raise yaml.YAMLError("found values that are nested too deeply") from error
    except OverflowError as error:  # of a number that is written to the base of sixty
        raise yaml.YAMLError("found a number that is too large") from error


def read_yaml(source: Path) -> dict[object, object]:
    """The names and values of a file; a `LexiconError` where it holds none."""
    try:
        # A safe loader's subclass: it constructs plain values only.
        raw = yaml.load(source.read_text(encoding="utf-8"), Loader=_OwnLoader)
    except FileNotFoundError as error:
        raise LexiconError(f"{source.name} is missing; reinstall the app's assets.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise LexiconError(f"{source.name} is no readable YAML: {_where(error)}.") from error
    if not isinstance(raw, dict):
        raise LexiconError(f"{source.name} holds no mapping; it needs one at its top level.")
    return raw


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or type(error).__name__
    return f"{said} in line {mark.line + 1}" if mark else str(said)


def repeated(items: Iterable[str]) -> set[str]:
    """What comes more than once."""
    seen: set[str] = set()
    return {item for item in items if item in seen or seen.add(item)}
