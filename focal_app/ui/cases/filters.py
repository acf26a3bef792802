"""Which cases take part in a search or a comparison."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import gradio as gr
from gradio.components import Component

from focal_app.ui.cases import wording

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery import Filters

OLDEST = 120
_SEXES = {wording.ANY: None, wording.FEMALE: "female", wording.MALE: "male"}


class FilterParts:
    """The controls, folded, in the order in which `filters_of` takes their values."""

    def __init__(self, name: str) -> None:
        """Lays them out; `name` keeps the ids of two tabs apart."""
        age = partial(gr.Number, minimum=0, maximum=OLDEST, precision=0)
        with (
            gr.Accordion(wording.FILTERS, open=False, elem_classes="filters"),
            gr.Row(elem_classes="filterrow"),
        ):
            self.labels = gr.Dropdown(
                [], multiselect=True, label=wording.LABELS, elem_id=f"{name}-labels"
            )
            self.sex = gr.Radio(
                list(_SEXES), value=wording.ANY, label=wording.SEX, elem_id=f"{name}-sex"
            )
            self.youngest = age(0, label=wording.YOUNGEST)
            self.oldest = age(OLDEST, label=wording.OLDEST)
            self.source = gr.Dropdown([], label=wording.SOURCE, elem_id=f"{name}-source")

    @property
    def inputs(self) -> list[Component]:
        """All controls."""
        return list(vars(self).values())


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
