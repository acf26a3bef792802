"""The Verify tab: a report against the ECG that is open, and the features that it leaves out."""

import os
from collections.abc import Callable
from functools import partial

import gradio as gr
from markupsafe import Markup

from focal_app.errors import FocalError, LLMError, PromptError
from focal_app.explore.reading.bundled_cases import bundled_case
from focal_app.explore.reading.zones import Zones
from focal_app.explore.report.candidates import LEXICON, MODEL
from focal_app.explore.report.language_model import (
    ASKED_S,
    LLMServer,
    propose,
    server_from,
)
from focal_app.ui.gradio_helpers import (
    Updates,
    connector,
    handled,
    paper,
    paragraph,
    parts_of,
    sheet,
    words,
)
from focal_app.ui.read import html as reading_html
from focal_app.ui.read.state import View
from focal_app.ui.server.fairness import ASKING
from focal_app.ui.server.model_source import LazyExplorer
from focal_app.ui.steps import expired, step
from focal_app.ui.verify import html, wording
from focal_app.ui.verify.state import (
    VerifyView,
    choosing,
    verified,
    with_features,
    with_findings,
    with_report,
    with_source,
    with_tag,
    with_threshold,
    without_answer,
    without_report,
    without_tag,
)

PX_PER_MM = 3
"""Of the paper: the table stands beside it."""


class Parts:
    """The parts of the tab that events are about, each laid out where it is made."""

    def __init__(self, server: LLMServer | None, problem: str) -> None:
        self.state = gr.State(VerifyView())
        self.features = gr.State(None)
        words(paragraph(wording.INTRO, "intro"))
        with gr.Row(elem_classes="ask", equal_height=False):
            with gr.Column(min_width=0, elem_classes="report"):
                self.report = gr.Textbox(
                    label=wording.REPORT,
                    placeholder=wording.REPORT_PLACEHOLDER,
                    lines=3,
                    max_lines=12,
                    elem_id="report",
                )
                with gr.Row(elem_classes="buttons"):
                    self.read_it = gr.Button(
                        wording.READ_REPORT, variant="primary", elem_id="verify"
                    )
                    self.take = gr.Button(wording.TAKE_FINDINGS, elem_id="take-findings")
                self.source = _sources(server)
                self.sent = words(elem_id="sent")
                self.send = gr.Button(
                    wording.SEND, visible=False, elem_id="send", variant="primary"
                )
            with gr.Column(min_width=0, elem_classes="border"):
                self.zones = words(elem_id="zones")
                with gr.Accordion(wording.MOVE, open=False, elem_id="move", elem_classes="filters"):
                    self.threshold = gr.Slider(
                        0.05,
                        0.99,
                        value=Zones().high,
                        step=0.01,
                        label=wording.THRESHOLD_LABEL,
                        info=wording.THRESHOLD_HELP,
                        elem_id="threshold",
                        buttons=[],
                    )
        self.trouble = words(reading_html.trouble(problem), elem_id="verify-trouble")
        self.summary = words(elem_id="verify-summary")
        with gr.Row(elem_classes=["desk", "besides"], equal_height=False):
            with gr.Column(elem_classes="sheet", min_width=0):
                self.recording = words(elem_id="verify-recording")
                self.paper = sheet("verify-paper")
                self.places = words(elem_id="verify-places")
            with gr.Column(elem_classes="side", min_width=0):
                self.verdicts = words(
                    paragraph(wording.NOTHING_YET),
                    elem_id="verdicts",
                    scripts=["read/findings", "verify/table"],
                )
            with gr.Column(elem_classes="below", min_width=0):
                self.enriched = words(elem_id="enriched")


def build_verify_tab(tab: gr.Tab, view: gr.State, reader: LazyExplorer) -> "Handlers":
    """Lays out the tab inside `tab`, over the recording that `view` holds."""
    server, problem = _server()
    parts = Parts(server, problem)
    handlers = Handlers(parts, reader, server)
    on = connector([view, parts.state], parts_of(parts))
    on(tab.select, handlers.open)
    on(parts.read_it.click, handlers.read_report, parts.report)
    on(parts.take.click, handlers.take_findings)
    on(parts.source.input, handlers.choose_source, parts.source)
    on(parts.threshold.input, handlers.move_line, parts.threshold)
    on(parts.verdicts.select, handlers.choose)
    on(parts.verdicts.edit, handlers.change_tag, each=True)
    on(parts.verdicts.delete, handlers.remove_tag, each=True)
    sent = parts.send.click(
        handled(handlers.ask, seconds=ASKED_S),
        inputs=parts.state,
        outputs=[parts.features, parts.trouble],
        show_progress="minimal",
        show_progress_on=[parts.sent],
        api_visibility="private",
        **ASKING,
    )
    on(sent.then, handlers.take_answer, parts.features)
    return handlers


def _server() -> tuple[LLMServer | None, str]:
    """The configured server, and what is wrong with the configuration."""
    try:
        return server_from(os.environ), ""
    except LLMError as error:
        return None, str(error)


def _sources(server: LLMServer | None) -> gr.Radio:
    choices = [(wording.FROM_LEXICON, LEXICON)]
    if server:
        choices.append((wording.from_model(server.model, server.host), MODEL))
    return gr.Radio(
        choices,
        value=LEXICON,
        label=wording.SOURCE,
        elem_id="feature-source",
        visible=server is not None,
    )


class Handlers:
    """One method an event: values in, one change of the state, and what it alters out."""

    def __init__(self, parts: Parts, reader: LazyExplorer, server: LLMServer | None) -> None:
        self.parts = parts
        self._reader = reader
        self._server = server

    def open(self, view: View | None, state: VerifyView) -> Updates:
        """The tab is opened: the recording that is open now, and whether the verdicts fit it."""
        if view is None or view.reading is None:
            return {self.parts.trouble: reading_html.trouble(wording.NOT_READ)}
        return {**self._shown(view, state), **self._border(state)}

    def read_report(self, view: View, state: VerifyView, report: str) -> Updates:
        """The report's tags, and what the ECG says of them; of a refused one no row is left."""
        updates = self._step(view, lambda: self._verified(view, with_report(state, report or "")))
        if view is None or self.parts.state in updates:
            return self._with_border(updates)
        return {**self._shown(view, without_report(state)), **updates}

    def take_findings(self, view: View, state: VerifyView) -> Updates:
        """The likely findings of the reading in place of a report."""
        updates = self._step(view, lambda: self._verified(view, with_findings(state, view)))
        if self.parts.state in updates:
            updates[self.parts.report] = ""
        return self._with_border(updates)

    def change_tag(self, view: View, state: VerifyView, event: gr.EventData) -> Updates:
        """One tag in other words, or one more."""
        old, text = str(event.prompt), str(event.text)
        return self._step(view, lambda: self._verified(view, with_tag(state, old, text)))

    def remove_tag(self, view: View, state: VerifyView, event: gr.EventData) -> Updates:
        """One tag less."""
        old = str(event.prompt)
        return self._step(view, lambda: self._verified(view, without_tag(state, old)))

    def choose_source(self, view: View, state: VerifyView, source: str) -> Updates:
        """The lexicon's features, or a model's once it is asked."""
        return self._step(view, lambda: self._verified(view, with_source(state, source)))

    def ask(self, state: VerifyView) -> Updates:
        """Sends the two prompts that are shown, and keeps the answer for `take_answer`."""
        if self._server is None:
            return {self.parts.trouble: reading_html.trouble(wording.NO_SERVER)}
        try:
            found = propose(self._server, state.affirmed)
        except FocalError as error:
            said = reading_html.trouble(str(error))
            return {self.parts.features: (state.tags, None), self.parts.trouble: said}
        return {self.parts.features: (state.tags, found), self.parts.trouble: ""}

    def take_answer(self, view: View, state: VerifyView, features: object) -> Updates:
        """The features that the model proposed, unless the tags have changed since."""
        if not isinstance(features, tuple) or features[0] != state.tags:
            return {}
        if features[1] is None:
            updates = self._step(view, lambda: without_answer(state))
            return {part: value for part, value in updates.items() if part != self.parts.trouble}
        return self._step(view, lambda: self._verified(view, with_features(state, features[1])))

    def move_line(self, view: View, state: VerifyView, threshold: float) -> Updates:
        """Another border of what is supported: the same scores, sorted anew."""
        updates = self._step(view, lambda: with_threshold(state, threshold))
        moved = html.zones(self._reader().zones.moved(float(threshold)))
        return {**updates, self.parts.zones: moved} if self.parts.state in updates else updates

    def choose(self, view: View, state: VerifyView, event: gr.EventData) -> Updates:
        """A row whose heatmap is to be shown, or none."""
        prompt, on = str(event.prompt), bool(event.on)
        return self._step(view, lambda: choosing(state, prompt, on=on))

    def _verified(self, view: View, state: VerifyView) -> VerifyView:
        if view.reading is None:
            raise PromptError(wording.NOT_READ)
        return verified(state, view, self._reader())

    def _step(self, view: View | None, change: Callable[[], VerifyView]) -> Updates:
        if view is None:
            return expired(self.parts.trouble)
        return step(self.parts.trouble, change, partial(self._shown, view))

    def _shown(self, view: View, state: VerifyView) -> Updates:
        parts, fits = self.parts, state.fits(view)
        case = bundled_case(view.case) if fits else None
        shown = state.on_paper(view) if fits else view
        return {
            parts.state: state,
            parts.trouble: "",
            parts.source: gr.update(value=state.source),
            **self._sending(state),
            parts.recording: reading_html.recording(view),
            parts.paper: _paper(shown, tinted=fits),
            parts.places: reading_html.places(shown, back="verdicts", switch=False) if fits else "",
            parts.summary: html.summary(state.verification, stale=not fits),
            parts.verdicts: html.verdicts(state, case),
            parts.enriched: html.enriched(state),
        }

    def _border(self, state: VerifyView) -> Updates:
        """The zones of the checkpoint, and where the visitor put their upper border."""
        zones = self._reader().zones.moved(state.threshold)
        return {self.parts.zones: html.zones(zones), self.parts.threshold: zones.high}

    def _with_border(self, updates: Updates) -> Updates:
        """The same with the zones, which a tab that was opened before the model was there lacks."""
        state = updates.get(self.parts.state)
        return {**updates, **self._border(state)} if isinstance(state, VerifyView) else updates

    def _sending(self, state: VerifyView) -> Updates:
        """What would be sent, and the button that sends it."""
        parts, server = self.parts, self._server
        if server is None:
            return {}
        wanted = state.source == MODEL and bool(state.affirmed)
        return {
            parts.sent: html.to_be_sent(server, state) if wanted else "",
            parts.send: gr.update(visible=wanted and state.features is None),
        }


def _paper(view: View, *, tinted: bool) -> Markup:
    return paper(
        view.ecg,
        settings=view.paper,
        start_s=view.start_s,
        heatmap=view.heatmap if tinted else None,
        px_per_mm=PX_PER_MM,
        faint=view.faint,
    )
