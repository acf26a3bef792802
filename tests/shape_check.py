"""Shapes in signatures, held at run time: in tests only, since every call pays for it.

`conftest.py` installs this as the type checker of jaxtyping's import hook. Functions and
dataclasses whose annotations name no shape are left as they are.
"""

from collections.abc import Callable
from typing import Any

from beartype import BeartypeConf, beartype

_checked = beartype(conf=BeartypeConf(is_pep484_tower=True))


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, checked by beartype if one of its annotations names a shape."""
    annotations = getattr(function, "__annotations__", {})
    return _checked(function) if "jaxtyping" in repr(annotations) else function
