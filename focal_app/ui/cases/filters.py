"""Which cases take part in a search or a comparison, and what both tabs share beside that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import gradio as gr
import numpy as np
from gradio.components import Component
from jaxtyping import Float

from focal_app.explore.reading.heatmap import Heatmap
from focal_app.ui.cases import html, wording
from focal_app.ui.gradio_helpers import Updates
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery import Filters

OLDEST = 120
_SEXES = {wording.ANY: None, wording.FEMALE: "female", wording.MALE: "male"}


@dataclass(frozen=True)
class FilterParts:
    """The controls in the order in which `filters_of` takes their values."""

    labels: gr.Dropdown
    sex: gr.Radio
    youngest: gr.Number
    oldest: gr.Number
    source: gr.Dropdown

    @property
    def inputs(self) -> list[Component]:
        """All controls."""
        return list(vars(self).values())


class CaseParts(Protocol):
    """What the parts of Similar and of Search have in common."""

    @property
    def filters(self) -> FilterParts:
        """The controls of the filters."""
        ...

    @property
    def gallery(self) -> gr.HTML:
        """Which cases there are."""
        ...


P = TypeVar("P", bound=CaseParts)


class CaseHandlers(Generic[P]):
    """What the handlers of Similar and of Search share: their parts, the model and the cases."""

    def __init__(self, parts: P, reader: LazyExplorer, gallery: LazyGallery) -> None:
        self.parts = parts
        self._reader = reader
        self._gallery = gallery

    def _offered(self) -> Updates:
        """Which cases there are, and what can be chosen of them."""
        gallery = self._gallery()
        labels = [(f"{tag} ({count})", tag) for tag, count in gallery.labels().items()]
        return {
            self.parts.gallery: html.gallery_line(gallery),
            self.parts.filters.labels: gr.update(choices=labels),
            self.parts.filters.source: gr.update(choices=[wording.ANY, *gallery.sources()]),
        }

    def _heatmap(
        self, weights: Float[np.ndarray, "L N_time"], *, start_s: float = 0.0
    ) -> Heatmap | None:
        """What of a window matched; None where nothing of it took part."""
        return Heatmap.over(weights, start_s=start_s, window_s=self._reader().spec.duration_s)


def build_filters(name: str) -> FilterParts:
    """Lays the controls out, folded; `name` keeps the ids of two tabs apart."""
    with (
        gr.Accordion(wording.FILTERS, open=False, elem_classes="filters"),
        gr.Row(elem_classes="filterrow"),
    ):
        return FilterParts(
            gr.Dropdown([], multiselect=True, label=wording.LABELS, elem_id=f"{name}-labels"),
            gr.Radio(list(_SEXES), value=wording.ANY, label=wording.SEX, elem_id=f"{name}-sex"),
            gr.Number(0, label=wording.YOUNGEST, minimum=0, maximum=OLDEST, precision=0),
            gr.Number(OLDEST, label=wording.OLDEST, minimum=0, maximum=OLDEST, precision=0),
            gr.Dropdown([], label=wording.SOURCE, elem_id=f"{name}-source"),
        )


def filters_of(
    labels: list[str] | None,
    sex: str | None,
    youngest: float | None,
    oldest: float | None,
    source: str | None,
) -> Filters | None:
    """The filters that the controls stand for, None where nothing is filtered."""
    from focal_app.explore.cases.gallery import Filters

    chosen = None if source in (None, "", wording.ANY) else source
    found = Filters(
        labels=tuple(labels or ()),
        sex=_SEXES.get(sex or wording.ANY),
        age_years=ages(youngest, oldest),
        source=chosen,
    )
    return None if found == Filters() else found


def ages(youngest: float | None, oldest: float | None) -> tuple[int, int] | None:
    """Both bounds of an age, None where they leave nobody out: an age that is unknown passes."""
    found = int(youngest or 0), int(OLDEST if oldest is None else oldest)
    return None if found == (0, OLDEST) else found
