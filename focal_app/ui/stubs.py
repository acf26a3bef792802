"""Gradio without the type stubs that it writes beside its own files whenever it is imported.

Editors read them, the app does not; to compare them takes a third of the time of that import.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

WRITER = ("gradio.component_meta", "create_or_modify_pyi")


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        """Run the module, and have its writer of stubs do nothing."""
        super().exec_module(module)
        setattr(module, WRITER[1], lambda *_: None)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where the module of the writer lies; all others are found by others."""
        spec = PathFinder.find_spec(fullname, path) if fullname == WRITER[0] else None
        if spec and spec.origin:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def write_no_stubs() -> None:
    """Holds for a Gradio that is imported from now on, once a process."""
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
