"""The model behind the page: loaded once, when it is first needed, by whoever needs it first."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from focal_app.ui.view import Reader


class LazyReader:
    """Gives the same reader to every visitor; a failed load is tried again by the next one."""

    def __init__(self, load: Callable[[], Reader]) -> None:
        self._load = load
        self._lock = Lock()
        self._reader: Reader | None = None

    def __call__(self) -> Reader:
        """The reader, after at most one load."""
        with self._lock:
            if self._reader is None:
                self._reader = self._load()
            return self._reader


def explorer_source(source: str | Path | None = None) -> LazyReader:
    """The explorer of a checkpoint, the embedded one by default."""

    def load() -> Reader:
        # Imported here, so that the page opens before torch does.
        from focal_app.explore.explorer import Explorer

        return Explorer.load(source)

    return LazyReader(load)
