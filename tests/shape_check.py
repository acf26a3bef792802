"""Shapes in signatures, held at run time: in tests only, since every call pays for it.

`conftest.py` installs this as the type checker of jaxtyping's import hook. Functions and
dataclasses whose annotations name no shape are left as they are.
"""

from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

from beartype import BeartypeConf, beartype
from jaxtyping import _import_hook

_checked = beartype(conf=BeartypeConf(is_pep484_tower=True))


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, checked by beartype if one of its annotations names a shape."""
    annotations = getattr(function, "__annotations__", {})
    return _checked(function) if "jaxtyping" in repr(annotations) else function


def _compiled(loader: SourceFileLoader, name: str) -> CodeType:
    path = loader.get_filename(name)
    return loader.source_to_code(loader.get_data(path), path)


def keep_caches() -> None:
    """Has the hook compile its own modules alone.

    While it loads one, it looks for all bytecode under a name of its own, so that every library
    which that module is the first to import would be compiled anew: ten seconds in each process.
    """
    setattr(_import_hook._JaxtypingLoader, "exec_module", SourceFileLoader.exec_module)  # noqa: B010
    setattr(_import_hook._JaxtypingLoader, "get_code", _compiled)  # noqa: B010
