"""A set of cases for teaching: kept as JSON, or carried whole in a link.

taught = TeachingSet(title="Blocks", note="", keys=("simulated-0007", "simulated-0031"))
TeachingSet.from_link(taught.to_link()) == taught
"""

from dataclasses import dataclass
from typing import Self

from focal_app.explore.gallery import Case, Gallery


@dataclass(frozen=True)
class TeachingSet:
    """Keys of cases in the order in which they are shown, a title and a note, all plain text."""

    title: str
    note: str
    keys: tuple[str, ...]

    def to_json(self) -> str:
        """The set as a JSON document."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The set of a JSON document; a `GalleryError` for anything else."""
        raise NotImplementedError

    def to_link(self) -> str:
        """The set as the value of a link's parameter: letters, digits, `-` and `_` alone."""
        raise NotImplementedError

    @classmethod
    def from_link(cls, value: str) -> Self:
        """The set of a link's parameter; a `GalleryError` for anything else."""
        raise NotImplementedError

    def cases(self, gallery: Gallery) -> tuple[Case, ...]:
        """The cases of the set; a `GalleryError` names those that this gallery does not hold."""
        raise NotImplementedError
