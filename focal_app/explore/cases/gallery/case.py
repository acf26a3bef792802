"""One case of a gallery, and which cases somebody wants to see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focal_app.ecg.recording import ECG
from focal_app.errors import PromptError

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery.gallery import Gallery

SEXES = ("female", "male")


@dataclass(frozen=True)
class Case:
    """A recording of a gallery with everything that is known of it, None where it is not known.

    `number` is its place in the gallery, `key` its name there, which links and teaching sets
    carry. `labels` are statements of the lexicon, most specific ones; `report` is text as its
    source wrote it, to be escaped wherever it is shown.
    """

    number: int
    key: str
    labels: tuple[str, ...]
    report: str
    sex: str | None
    age_years: int | None
    source: str
    licence: str
    gallery: Gallery = field(repr=False, compare=False)

    def ecg(self) -> ECG:
        """Its signal, read from the gallery; a `GalleryError` if the gallery is gone."""
        return self.gallery.ecg(self.number)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which cases take part: all `labels` (or more specific ones), a sex, an age, a source.

    `age_years` bounds the age on both sides, both included. A case whose sex or age is not known
    passes no filter on it.
    """

    labels: tuple[str, ...] = ()
    sex: str | None = None
    age_years: tuple[int, int] | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        """Refuse a filter that no case could pass."""
        if self.sex is not None and self.sex not in SEXES:
            raise PromptError(f"found sex {self.sex!r}; needed one of {', '.join(SEXES)}")
        if self.age_years is not None and self.age_years[0] > self.age_years[1]:
            raise PromptError(
                f"found ages from {self.age_years[0]} to {self.age_years[1]}; the lower bound "
                "comes first"
            )
