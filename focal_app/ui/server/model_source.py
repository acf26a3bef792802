"""The model behind the page: loaded once, when it is first needed, by whoever needs it first."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from focal_app.errors import FocalError
from focal_app.model.checkpoint_folder import local_folder
from focal_app.ui.server import zero_gpu
from focal_app.ui.server.time_limit import not_counted

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery import Gallery
    from focal_app.explore.reading.explorer import Explorer

Thing = TypeVar("Thing")
State = Literal["waiting", "loading", "ready", "failed"]

_log = logging.getLogger(__name__)


class Lazy(Generic[Thing]):
    """Gives the same thing to every visitor; a failed load is tried again by the next one."""

    def __init__(self, load: Callable[[], Thing], *, name: str = "model") -> None:
        self._load = load
        self._name = name
        self._lock = Lock()
        self._thing: Thing | None = None
        self.state: State = "waiting"
        self.reason = ""
        """Why it failed, for as long as it is not there."""

    def __call__(self) -> Thing:
        """The thing, after at most one load; who comes while it loads waits for it."""
        with not_counted(), self._lock:
            if self._thing is None:
                self._thing = self._loaded()
            return self._thing

    def _loaded(self) -> Thing:
        start = time.perf_counter()
        # One that failed stays failed while it is tried again, for what watches over the app.
        self.state = "failed" if self.state == "failed" else "loading"
        _log.info("loading the %s", self._name)
        try:
            thing = self._load()
        except BaseException as error:
            self.state = "failed"
            self.reason = str(error) if isinstance(error, FocalError) else type(error).__name__
            raise
        self.state, self.reason = "ready", ""
        took = {"seconds": round(time.perf_counter() - start, 2)}
        _log.info("the %s is ready", self._name, extra={"facts": took})
        return thing


LazyExplorer: TypeAlias = "Lazy[Explorer]"
LazyGallery: TypeAlias = "Lazy[Gallery]"


def explorer_source(source: str | Path | None = None) -> LazyExplorer:
    """The explorer of a checkpoint, the embedded one by default."""

    def load() -> "Explorer":
        if zero_gpu.available():
            return zero_gpu.load(source)
        folder = None if source is None else local_folder(source)
        # Imported here, so that the page opens, and a missing checkpoint is told, before torch is.
        from focal_app.explore.reading.explorer import Explorer

        return Explorer.load(folder)

    return Lazy(load)


def gallery_source(reader: LazyExplorer) -> LazyGallery:
    """The gallery that `FOCAL_GALLERY` names, or the embedded one, for the reader's model."""

    def load() -> "Gallery":
        model = reader().model
        from focal_app.explore.cases.gallery import Gallery

        return Gallery.configured(model)

    return Lazy(load, name="gallery")
