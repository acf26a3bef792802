"""Shapes in signatures, held at run time: in tests only, since every call pays for it.

`conftest.py` installs this as the type checker of jaxtyping's import hook. Functions and
dataclasses whose annotations name no shape are left as they are, and a function is checked in its
first calls: a training asks some a million times.
"""

import functools
import itertools
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

import jaxtyping
from beartype import BeartypeConf, beartype
from jaxtyping import _import_hook

FIRST = 100
"""Calls of a function in which its shapes are held, in each process."""

_checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
_jaxtyped = jaxtyping.jaxtyped


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, checked by beartype if one of its annotations names a shape."""
    return _checked(function) if _names_a_shape(function) else function


def _names_a_shape(target: object) -> bool:
    return "jaxtyping" in repr(getattr(target, "__annotations__", {}))


def _sparing(*, typechecker: Callable[..., Any]) -> Callable[..., Any]:
    """What the hook decorates with: jaxtyping's own, where a shape is named and while it pays."""
    decorate = _jaxtyped(typechecker=typechecker)

    def decorated(target: Any) -> Any:  # noqa: ANN401
        if not _names_a_shape(target):
            return target
        if not isinstance(target, type):
            return _at_first(decorate(target), target)
        plain = target.__init__
        held = decorate(target)
        setattr(held, "__init__", _at_first(held.__init__, plain))  # noqa: B010
        return held

    return decorated


def _at_first(held: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is `held` in its first calls, and itself in all others."""
    number = itertools.count()

    @functools.wraps(plain)
    def called(*args: Any, **given: Any) -> Any:  # noqa: ANN401
        return (held if next(number) < FIRST else plain)(*args, **given)

    setattr(called, "held", held)  # noqa: B010
    return called


def _compiled(loader: SourceFileLoader, name: str) -> CodeType:
    path = loader.get_filename(name)
    return loader.source_to_code(loader.get_data(path), path)


def spare() -> None:
    """Has the hook compile its own modules alone, and check no more than it must.

    While it loads one, it looks for all bytecode under a name of its own, so that every library
    which that module is the first to import would be compiled anew: ten seconds in each process.
    """
    setattr(_import_hook._JaxtypingLoader, "exec_module", SourceFileLoader.exec_module)  # noqa: B010
    setattr(_import_hook._JaxtypingLoader, "get_code", _compiled)  # noqa: B010
    setattr(jaxtyping, "jaxtyped", _sparing)  # noqa: B010
