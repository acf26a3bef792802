"""Cases as rows that filters can run over, and as the lines from which a case is read."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool

from focal_app.errors import GalleryError, PromptError
from focal_app.explore.cases.gallery.case import SEXES, Facts
from focal_app.explore.cases.gallery.manifest import Manifest
from focal_app.lexicon import Lexicon, load_lexicon
from focal_app.untrusted import parse_json
from focal_app.words.numbers import Value

LONGEST_REPORT = 20_000


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which cases take part: all `labels` (or more specific ones), a sex, an age, a source.

    `age_years` bounds the age on both sides, both included; `values` bound what was measured of the
    case. A case of which something is not known passes no filter on it.
    """

    labels: tuple[str, ...] = ()
    sex: str | None = None
    age_years: tuple[int, int] | None = None
    source: str | None = None
    values: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a filter that no case could pass."""
        if self.sex is not None and self.sex not in SEXES:
            raise PromptError(f"found sex {self.sex!r}; needed one of {', '.join(SEXES)}")
        if self.age_years is not None and self.age_years[0] > self.age_years[1]:
            raise PromptError(
                f"found ages from {self.age_years[0]} to {self.age_years[1]}; the lower bound "
                "comes first"
            )


def line_of(facts: Facts) -> bytes:
    """The line of a case."""
    return json.dumps(vars(facts), ensure_ascii=False).encode() + b"\n"


def facts_of(line: bytes) -> Facts:
    """The facts of a line; a `GalleryError` where it is spoilt."""
    try:
        values = parse_json(line.decode("utf-8"))
        lists: dict[str, Any] = {name: tuple(values.get(name, ())) for name in ("labels", "shows")}
        return Facts(**(values | lists))
    except (ValueError, TypeError, KeyError) as error:
        raise GalleryError(
            "a case of the gallery cannot be read; fetch or build the gallery again"
        ) from error


def label_bits(labels: tuple[str, ...], statements: tuple[str, ...]) -> np.ndarray:
    """One bit a statement, set for every label and for what it implies."""
    held = load_lexicon().with_implied(labels)
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


def within(measured: np.ndarray, value: Value, *, tolerance: float) -> Bool[np.ndarray, " N"]:
    """Which measured values lie within the bounds; none that could not be measured."""
    low, high = value.low - tolerance, value.high + tolerance
    return (measured >= low) & (measured <= high)


def _place_of(label: str, manifest: Manifest, lexicon: Lexicon) -> int:
    statement = lexicon.resolve(label)
    if statement is None or statement.tag not in manifest.statements:
        raise GalleryError(
            f"found the label {label[:100]!r}, which is no statement of the lexicon; choose one "
            "that the gallery lists"
        )
    return manifest.statements.index(statement.tag)
