"""What Similar and Search share: cases that are listed, tinted, and put into a teaching set."""

from __future__ import annotations

from typing import Generic, TypeVar

import gradio as gr
import numpy as np
from jaxtyping import Float

from focal_app.errors import FocalError
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.ui.cases import html, wording
from focal_app.ui.cases import state as cases_state
from focal_app.ui.cases.filters import FilterParts
from focal_app.ui.cases.state import CasesState
from focal_app.ui.gradio_helpers import Updates
from focal_app.ui.read import html as reading_html
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery
from focal_app.ui.teach import state as lessons
from focal_app.ui.teach.state import Lesson


class CaseParts:
    """What the parts of Similar and of Search have in common; each lays them out."""

    state: gr.State
    lesson: gr.State
    gallery: gr.HTML
    filters: FilterParts
    trouble: gr.HTML
    in_set: gr.HTML
    cases: gr.HTML


P = TypeVar("P", bound=CaseParts)


class CaseHandlers(Generic[P]):
    """What the handlers of Similar and of Search share: their parts, the model and the cases."""

    def __init__(self, parts: P, reader: LazyExplorer, gallery: LazyGallery) -> None:
        self.parts = parts
        self._reader = reader
        self._gallery = gallery

    def keep(self, state: CasesState, lesson: Lesson, event: gr.EventData) -> Updates:
        """A case of the list into the set or out of it."""
        key = str(event.key)
        try:
            cases_state.opened(state, key)  # a case that is not listed is no case to keep
            after = lessons.kept(lesson, key)
        except FocalError as error:
            return {self.parts.trouble: reading_html.trouble(str(error))}
        return {
            self.parts.lesson: after,
            self.parts.trouble: "",
            **self._listed(state, after),
        }

    def _listed(self, state: CasesState, lesson: Lesson) -> Updates:
        """The cases, which of them are in the set, and how many cases are."""
        return {
            self.parts.cases: html.hits_list(state, lesson.keys),
            self.parts.in_set: html.in_set(len(lesson.keys)),
        }

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
