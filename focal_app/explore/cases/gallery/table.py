"""Cases as rows that filters can run over, and as the lines from which a case is read."""

import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool

from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery.case import SEXES, Filters
from focal_app.explore.cases.gallery.manifest import Manifest
from focal_app.lexicon import Lexicon, load_lexicon

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A key names a case in links and files: nothing that could be a path or a piece of a page."""
LONGEST_REPORT = 20_000


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a case beside its signal, as a line of `cases.jsonl` holds it."""

    key: str
    labels: tuple[str, ...] = ()
    report: str = ""
    sex: str | None = None
    age_years: int | None = None
    source: str
    licence: str

    def __post_init__(self) -> None:
        """Refuse what could do harm where it is shown or linked to."""
        texts = (self.key, self.report, self.source, self.licence, *self.labels)
        if not all(isinstance(text, str) for text in texts) or not KEY.fullmatch(self.key):
            raise GalleryError(
                f"found the key {str(self.key)[:64]!r}; needed at most 64 letters, digits, '.', "
                "'_' or '-'"
            )
        if self.sex not in (None, *SEXES):
            raise GalleryError(f"case {self.key}: found sex {self.sex!r}; needed female or male")
        age = self.age_years
        if age is not None and (type(age) is not int or not 0 <= age <= 150):
            raise GalleryError(f"case {self.key}: found age {age!r}; needed whole years")


def line_of(facts: Facts) -> bytes:
    """The line of a case."""
    return json.dumps(vars(facts), ensure_ascii=False).encode() + b"\n"


def facts_of(line: bytes) -> Facts:
    """The facts of a line; a `GalleryError` where it is spoilt."""
    try:
        values: dict[str, Any] = json.loads(line)
        return Facts(**{**values, "labels": tuple(values["labels"])})
    except (ValueError, TypeError, KeyError) as error:
        raise GalleryError(
            "a case of the gallery cannot be read; fetch or build the gallery again"
        ) from error


def label_bits(labels: tuple[str, ...], statements: tuple[str, ...]) -> np.ndarray:
    """One bit a statement, set for every label and for what it implies."""
    lexicon = load_lexicon()
    known = [label for label in labels if label in lexicon]
    held = set(known).union(*(lexicon.ancestors(label) for label in known))
    return np.packbits([tag in held for tag in statements])


def column(bits: np.ndarray, place: int) -> Bool[np.ndarray, " N"]:
    """Which cases hold the statement of that place."""
    return (bits[:, place >> 3] >> (7 - (place & 7)) & 1).astype(bool)


def passing(table: np.ndarray, filters: Filters, manifest: Manifest) -> Bool[np.ndarray, " N"]:
    """Which cases pass; a `GalleryError` for a label or a source that no case could have."""
    passed = np.ones(len(table), bool)
    for label in filters.labels:
        passed &= column(table["labels"], _place_of(label, manifest, load_lexicon()))
    if filters.sex is not None:
        passed &= table["sex"] == 1 + SEXES.index(filters.sex)
    if filters.age_years is not None:
        low, high = filters.age_years
        passed &= (table["age_years"] >= max(0, low)) & (table["age_years"] <= high)
    if filters.source is not None:
        if filters.source not in manifest.sources:
            raise GalleryError(
                f"found source {filters.source!r}; needed one of {', '.join(manifest.sources)}"
            )
        passed &= table["source"] == manifest.sources.index(filters.source)
    return passed


def _place_of(label: str, manifest: Manifest, lexicon: Lexicon) -> int:
    statement = lexicon.resolve(label)
    if statement is None or statement.tag not in manifest.statements:
        raise GalleryError(
            f"found the label {label[:100]!r}, which is no statement of the lexicon; choose one "
            "that the gallery lists"
        )
    return manifest.statements.index(statement.tag)
