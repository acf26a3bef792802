"""A gallery on disk, opened with the model that made it.

gallery = Gallery.open("galleries/ptb-xl", explorer.model)
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from focal_app.ecg.recording import ECG
from focal_app.explore.gallery.case import Case, Filters
from focal_app.model.focal import Focal

EMBEDDED = Path(__file__).parents[3] / "assets" / "gallery"
VARIABLE = "FOCAL_GALLERY"


class Gallery:
    """Cases in a fixed order, memory-mapped. Safe to share between threads.

    Every method raises a `GalleryError` when the folder is gone or has changed meanwhile.
    """

    title: str
    note: str
    """What the gallery is and how it was stored, in sentences for a user."""
    simulated: bool
    """Whether every case is simulated, which a page has to say."""

    @classmethod
    def open(cls, source: str | Path, model: Focal) -> Self:
        """The gallery of a folder or of a Hub data set `org/name@revision`.

        Refused with another checkpoint than the one that made it.
        """
        raise NotImplementedError

    @classmethod
    def embedded(cls, model: Focal) -> Self:
        """The gallery that comes with the app: simulated cases."""
        return cls.open(EMBEDDED, model)

    @classmethod
    def configured(cls, model: Focal) -> Self:
        """The gallery that `FOCAL_GALLERY` names, or the embedded one."""
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, number: int) -> Case:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Case]:
        raise NotImplementedError

    def case(self, key: str) -> Case:
        """The case of that key."""
        raise NotImplementedError

    def labels(self) -> dict[str, int]:
        """Every label with the number of cases that carry it or imply it, most frequent first."""
        raise NotImplementedError

    def sources(self) -> tuple[str, ...]:
        """Where the cases come from."""
        raise NotImplementedError

    def count(self, filters: Filters) -> int:
        """How many cases pass the filters."""
        raise NotImplementedError

    def ecg(self, number: int) -> ECG:
        """The signal of a case."""
        raise NotImplementedError
