"""What is known of a case, and a case of a gallery."""

import re
from dataclasses import dataclass

from focal_app.errors import GalleryError

SEXES = ("female", "male")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A key names a case in links and files: nothing that could be a path or a piece of a page."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a recording beside its signal, None where it is not known.

    `key` is its name in the gallery, which links and teaching sets carry. `labels` are
    statements of the lexicon, most specific ones; `shows` are those for which the case was made or
    chosen, where that is known. `report` is text as its source wrote it, to be escaped wherever it
    is shown. `trained` says whether the model of the gallery learnt from ECGs of this patient.
    """

    key: str
    labels: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    report: str = ""
    sex: str | None = None
    age_years: int | None = None
    source: str
    licence: str
    trained: bool | None = None

    def __post_init__(self) -> None:
        """Refuse what could do harm where it is shown or linked to."""
        texts = (self.key, self.report, self.source, self.licence, *self.labels, *self.shows)
        if not all(isinstance(text, str) for text in texts) or not KEY.fullmatch(self.key):
            raise GalleryError(
                f"found the key {str(self.key)[:64]!r}; needed at most 64 letters, digits, '.', "
                "'_' or '-'"
            )
        if self.sex not in (None, *SEXES):
            raise GalleryError(f"case {self.key}: found sex {self.sex!r}; needed female or male")
        if self.trained not in (None, True, False):
            raise GalleryError(f"case {self.key}: found {self.trained!r} for trained")
        age = self.age_years
        if age is not None and (type(age) is not int or not 0 <= age <= 150):
            raise GalleryError(f"case {self.key}: found age {age!r}; needed whole years")


@dataclass(frozen=True)
class Case:
    """A recording of a gallery: its place there, by which `Gallery.ecg` reads it, and its facts."""

    number: int
    facts: Facts

    @property
    def key(self) -> str:
        """Its name in the gallery."""
        return self.facts.key
