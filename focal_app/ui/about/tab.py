"""The About tab: a tour of the app, and what is known of the model and of its limits."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component
from markupsafe import Markup

from focal_app.errors import FocalError
from focal_app.explore.reading.checkpoint_card import Card, read_card
from focal_app.figures.templates import Templates
from focal_app.ui.about import wording
from focal_app.ui.cases import search_tab
from focal_app.ui.cases.state import CasesState, hiding
from focal_app.ui.gradio_helpers import Updates, connect, paragraph, parts_of, words
from focal_app.ui.read.handlers import Handlers
from focal_app.ui.read.state import View
from focal_app.ui.teach.state import Lesson
from focal_app.ui.verify import tab as verify_tab
from focal_app.ui.verify.state import VerifyView

INFARCTION, LEFT_BLOCK = "inferior-infarction", "left-bundle-branch-block"
RIGHT_BLOCK = "right-bundle-branch-block"
_fill = Templates(Path(__file__).parent, wording=wording)


@dataclass(frozen=True)
class Tabs:
    """The other tabs, which the tour visits."""

    row: gr.Tabs
    read: Handlers
    verify: verify_tab.Handlers
    search: search_tab.Handlers

    @property
    def outputs(self) -> list[Component | BlockContext]:
        """Everything that a step may change."""
        handlers = (self.read, self.verify, self.search)
        parts = [part for handler in handlers for part in parts_of(handler.parts)]
        return [self.row, *parts]


def build_about_tab(tab: gr.Tab, tabs: Tabs, checkpoint: Callable[[], Path]) -> None:
    """Lays out the tab inside `tab`; the figures are read when it is opened."""
    tour = Tour(tabs)
    with gr.Column(elem_classes="tour"):
        words(_fill("tour"))
        with gr.Row(elem_classes="toursteps"):
            steps = zip(tour.steps, wording.STEPS, strict=True)
            for number, (step, (title, text)) in enumerate(steps, 1):
                with gr.Column(elem_classes="tourstep", min_width=0):
                    words(_fill("step", number=number, title=title, text=text))
                    button = gr.Button(wording.SHOW_ME, size="md", elem_id=f"tour-{number}")
                connect(button.click, step, inputs=tour.inputs, outputs=tabs.outputs)
    with gr.Row(elem_classes="aboutgrid", equal_height=False):
        with gr.Column(min_width=0):
            words(_fill("what"))
            figures = words("", elem_id="figures")
        with gr.Column(min_width=0):
            words(_fill("limits"))

    def about() -> Updates:
        """The figures of the checkpoint in use."""
        try:
            return {figures: card_panel(read_card(checkpoint()))}
        except FocalError as error:
            return {figures: paragraph(str(error), "")}

    connect(tab.select, about, inputs=[], outputs=[figures])


def card_panel(card: Card) -> Markup:
    """Training data and figures, as far as the checkpoint's own files tell them."""
    return _fill("card", card=card)


class Tour:
    """Four steps, each a handler: it sets up what it describes, and goes there."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self.steps = (self.read_and_see, self.ask, self.verify, self.teach)
        self.inputs = [tabs.read.parts.view, tabs.search.parts.state, tabs.search.parts.lesson]

    def read_and_see(self, view: View, state: CasesState, lesson: Lesson) -> Updates:
        """The inferior infarction, with its ST elevation tinted."""
        return self._at("read", self._tabs.read.show(view, INFARCTION, "ST elevation"))

    def ask(self, view: View, state: CasesState, lesson: Lesson) -> Updates:
        """The left bundle branch block, with a prompt of one's own."""
        return self._at("read", self._tabs.read.show(view, LEFT_BLOCK, wording.TOUR_ADDED))

    def verify(self, view: View, state: CasesState, lesson: Lesson) -> Updates:
        """The right bundle branch block with a report, verified."""
        verify = self._tabs.verify
        shown = self._tabs.read.show(view, RIGHT_BLOCK, "right bundle branch block")
        after = shown.get(self._tabs.read.parts.view)
        if not isinstance(after, View):
            return self._at("read", shown)
        verified = verify.read_report(after, VerifyView(), wording.TOUR_REPORT)
        return self._at("verify", {**shown, **verified, verify.parts.report: wording.TOUR_REPORT})

    def teach(self, view: View, state: CasesState, lesson: Lesson) -> Updates:
        """A search whose labels are hidden."""
        search = self._tabs.search
        found = search.search(hiding(state, on=True), lesson, wording.TOUR_QUERY, False)
        asked = {search.parts.query: wording.TOUR_QUERY, search.parts.only_labelled: False}
        return self._at("search", {**found, **asked})

    def _at(self, tab: str, updates: Updates) -> Updates:
        return {**updates, self._tabs.row: gr.Tabs(selected=tab)}
