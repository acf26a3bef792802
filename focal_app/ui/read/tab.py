"""The reading of one recording: its parts on the page, and one thin handler behind each event."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import gradio as gr
from gradio.components import Component
from gradio.components.plot import PlotData
from gradio.events import Dependency

from focal_app.ecg.preprocess import window_starts
from focal_app.errors import FocalError
from focal_app.explore.reading.bundled_cases import bundled_case, bundled_cases, load_case
from focal_app.explore.reading.prompts import EVERYDAY, prompt_set, tidy
from focal_app.figures.layout import LAYOUTS, PX_PER_MM
from focal_app.lexicon import load_prompt_sets
from focal_app.ui import theme, wording
from focal_app.ui.gradio_helpers import Updates, connect, handled, paper, words
from focal_app.ui.read import html, state
from focal_app.ui.read.findings_list import findings_list, waiting
from focal_app.ui.read.prompt_edits import added, removed, reworded
from focal_app.ui.read.state import SHARP, View, choosing, read
from focal_app.ui.read.uploads import read_upload
from focal_app.ui.server.fairness import LANE
from focal_app.ui.server.model_source import LazyReader

WIDE_PX, NARROW_PX_PER_MM = 1434, 3
"""A narrower window has no room for paper of 4 px/mm and the findings beside it (style.css)."""


@dataclass(frozen=True)
class Parts:
    """Every part of the page that an event reads or changes."""

    view: gr.State
    case: gr.Dropdown
    upload: gr.UploadButton
    layout: gr.Radio
    window: gr.Dropdown
    trouble: gr.HTML
    recording: gr.HTML
    paper: gr.Plot
    focus: gr.Radio
    places: gr.HTML
    prompt_set: gr.Dropdown
    reset: gr.Button
    findings: gr.HTML
    new_prompt: gr.Textbox
    add: gr.Button
    add_trouble: gr.HTML


def build_reading_tab(page: gr.Blocks, reader: LazyReader) -> "Handlers":
    """Lays out the tab inside the Blocks that is being built, and connects its events.

    The other tabs read the visitor's `View`, which is in `parts.view` of what it returns.
    """
    with gr.Row(elem_classes="toolbar"):
        case, upload, layout, window = _toolbar()
    trouble = words(elem_id="trouble")
    with gr.Row(elem_classes="desk", equal_height=False):
        with gr.Column(elem_classes="sheet", min_width=0):
            recording, sheet, focus, places = _sheet()
        with gr.Column(elem_classes="side", min_width=0):
            chosen_set, reset, findings, new_prompt, add, add_trouble = _side()
    view = gr.State(None)
    parts = Parts(
        view=view,
        case=case,
        upload=upload,
        layout=layout,
        window=window,
        trouble=trouble,
        recording=recording,
        paper=sheet,
        focus=focus,
        places=places,
        prompt_set=chosen_set,
        reset=reset,
        findings=findings,
        new_prompt=new_prompt,
        add=add,
        add_trouble=add_trouble,
    )
    handlers = Handlers(parts, reader)
    _connect(parts, handlers)
    _connect_start(page, parts, handlers)
    return handlers


def _toolbar() -> tuple[gr.Dropdown, gr.UploadButton, gr.Radio, gr.Dropdown]:
    cases = [(case.title, case.name) for case in bundled_cases()]
    case = gr.Dropdown(cases, value=cases[0][1], label=wording.CASE, elem_id="case")
    upload = gr.UploadButton(wording.UPLOAD, file_count="multiple", elem_id="upload", size="md")
    words(
        html.upload_help(),
        elem_classes="privacy",
        js_on_load=theme.script("read/uploading"),
    )
    choices = [(said, name) for name, said in wording.LAYOUTS.items()]
    layout = gr.Radio(choices, value=choices[0][1], label=wording.LAYOUT, elem_id="layout")
    window = gr.Dropdown([], label=wording.WINDOW, visible=False, elem_id="window")
    return case, upload, layout, window


def _sheet() -> tuple[gr.HTML, gr.Plot, gr.Radio, gr.HTML]:
    recording = words(elem_id="recording")
    sheet = gr.Plot(show_label=False, container=False, elem_id="paper", elem_classes="paper")
    places = words(elem_id="places")
    foci = [(said, tau) for tau, said in wording.FOCI.items()]
    focus = gr.Radio(
        foci, value=SHARP, label=wording.FOCUS, info=wording.FOCUS_HELP, elem_id="focus"
    )
    return recording, sheet, focus, places


def _side() -> tuple[gr.Dropdown, gr.Button, gr.HTML, gr.Textbox, gr.Button, gr.HTML]:
    words(html.findings_help())
    sets = [(chosen.title, name) for name, chosen in load_prompt_sets().items()]
    with gr.Row(elem_classes="setrow"):
        chosen_set = gr.Dropdown(sets, value=EVERYDAY, label=wording.SET, elem_id="prompt-set")
        reset = gr.Button(wording.RESET, size="md", elem_id="reset", min_width=0)
    findings = words(waiting(), elem_id="findings", js_on_load=theme.script("read/findings"))
    with gr.Row(elem_classes="addrow"):
        new_prompt = gr.Textbox(
            label=wording.ADD_LABEL,
            placeholder=wording.ADD_PLACEHOLDER,
            max_lines=3,
            elem_id="new-prompt",
        )
        add = gr.Button(wording.ADD, size="md", elem_id="add", min_width=0)
    return chosen_set, reset, findings, new_prompt, add, words(elem_id="add-trouble")


class Handlers:
    """One method an event: values in, one change of the view, and only what changed out."""

    def __init__(self, parts: Parts, reader: LazyReader) -> None:
        self.parts = parts
        self._reader = reader

    def start(self, window_px: float) -> Updates:
        """The first case on paper, as large as the window allows, before the model is there."""
        first = bundled_cases()[0]
        ecg, prompts = load_case(first.name), prompt_set(EVERYDAY).prompts
        view = View(
            ecg=ecg,
            case=first.name,
            about=first.description,
            prompt_set=EVERYDAY,
            prompts=prompts,
            px_per_mm=PX_PER_MM if window_px >= WIDE_PX else NARROW_PX_PER_MM,
        )
        return self._shown(None, view)

    def first_reading(self, view: View) -> Updates:
        """The model's first reading, which may have to wait for the model."""
        return self._step(view, lambda: self._read(view))

    def open_case(self, view: View, name: str | None) -> Updates:
        """A bundled case instead of the present recording."""

        def change() -> View:
            found = next((case for case in bundled_cases() if case.name == name), None)
            if found is None or found.name == view.case:
                return view
            ecg = load_case(found.name)
            opened = state.with_recording(view, ecg, case=found.name, about=found.description)
            return self._read(opened)

        return self._step(view, change)

    def show(self, view: View, name: str, prompt: str) -> Updates:
        """A bundled case with one finding chosen, which joins the list where it is not in it."""

        def change() -> View:
            found = next(case for case in bundled_cases() if case.name == name)
            ecg = load_case(name)
            opened = state.with_recording(view, ecg, case=name, about=found.description)
            asked = view.prompts if prompt in view.prompts else added(view.prompts, prompt)
            return self._read(state.with_prompts(opened, asked, chosen=prompt))

        return self._step(view, change)

    def open_upload(self, view: View, paths: list[str] | None) -> Updates:
        """Uploaded files instead of the present recording."""
        case = bundled_case(view.case) if view else None

        def change() -> View:
            recording = read_upload(paths or [])
            return self._read(state.with_recording(view, recording, case=None, about=""))

        still = wording.still_showing(case.title if case else "")
        return self._step(view, change, still=still)

    def move(self, view: View, start_s: float) -> Updates:
        """Another window of a long recording."""

        def change() -> View:
            if start_s == view.start_s:
                return view
            return self._read(replace(view, start_s=float(start_s)))

        return self._step(view, change)

    def lay_out(self, view: View, name: str) -> Updates:
        """Another arrangement of the leads."""
        return self._step(view, lambda: replace(view, layout=name))

    def focus(self, view: View, tau: float) -> Updates:
        """A sharper or softer tint."""
        return self._step(view, lambda: self._read(replace(view, tau=float(tau))))

    def choose_set(self, view: View, name: str) -> Updates:
        """The prompts of another set."""

        def change() -> View:
            if name == view.prompt_set:
                return view
            return self._read(state.with_set(view, name, prompt_set(name).prompts))

        return self._step(view, change)

    def reset(self, view: View) -> Updates:
        """The prompts of the present set as they were at first."""

        def change() -> View:
            first = prompt_set(view.prompt_set).prompts
            return self._read(state.with_set(view, view.prompt_set, first))

        return self._step(view, change)

    def add(self, view: View, text: str) -> Updates:
        """One prompt more, chosen at once."""

        def change() -> View:
            asked = added(view.prompts, text)
            return self._read(state.with_prompts(view, asked, chosen=tidy(text)))

        parts, updates = self.parts, self._step(view, change)
        if parts.view in updates:
            return {**updates, parts.new_prompt: ""}
        # The field may be far from the top of the page: what is wrong with it stands below it.
        return {**updates, parts.trouble: "", parts.add_trouble: updates.get(parts.trouble, "")}

    def reword(self, view: View, event: gr.EventData) -> Updates:
        """One prompt in other words; the others keep their scores."""
        old, text = str(event.prompt), str(event.text)
        return self._step(
            view,
            lambda: self._read(
                state.with_prompts(view, reworded(view.prompts, old, text), chosen=tidy(text))
            ),
        )

    def remove(self, view: View, event: gr.EventData) -> Updates:
        """One prompt less."""
        old = str(event.prompt)
        return self._step(
            view,
            lambda: self._read(state.with_prompts(view, removed(view.prompts, old), chosen=None)),
        )

    def choose(self, view: View, event: gr.EventData) -> Updates:
        """A finding to show on the paper, or none."""
        prompt, on = str(event.prompt), bool(event.on)
        return self._step(view, lambda: choosing(view, prompt, on=on))

    def _read(self, view: View) -> View:
        return read(view, self._reader())

    def _step(self, view: View | None, change: Callable[[], View], *, still: str = "") -> Updates:
        """What a change alters on the page; where it cannot be, the reason and all as before.

        `still` says what the page goes on showing then. A dropdown tells its value again whenever
        it is left: the same view alters nothing.
        """
        if view is None:
            return {self.parts.trouble: html.trouble(wording.EXPIRED)}
        try:
            after = change()
        except FocalError as error:
            said = html.trouble(str(error), still=still)
            return {self.parts.trouble: said, **self._as_before(view)}
        return {} if after is view else self._shown(view, after)

    def _as_before(self, view: View) -> Updates:
        """What the visitor set in vain, back to what the page still shows."""
        parts = self.parts
        updates: Updates = {
            parts.case: view.case,
            parts.prompt_set: view.prompt_set,
            parts.layout: view.layout,
            parts.focus: view.tau,
        }
        if view.reading is None:
            return {**updates, parts.findings: findings_list(view)}
        return {**updates, parts.window: gr.update(value=view.start_s)}

    def _shown(self, before: View | None, after: View) -> Updates:
        parts = self.parts
        updates: Updates = {parts.view: after, parts.trouble: "", parts.add_trouble: ""}
        if before is None or before.case != after.case:
            updates[parts.case] = after.case
        if before is None or _recording_key(before) != _recording_key(after):
            updates[parts.recording] = html.recording(after)
            updates[parts.window] = self._windows(after)
        if before is None or _paper_key(before) != _paper_key(after):
            updates[parts.paper] = reading_paper(after)
        if after.reading is not None:
            updates[parts.places] = html.places(after)
            updates[parts.findings] = findings_list(after)
        return updates

    def _windows(self, view: View) -> object:
        if view.reading is None:
            return gr.skip()
        spec = self._reader().spec
        starts = window_starts(view.ecg, spec)
        choices = [(wording.window(start, spec.duration_s), start) for start in starts]
        return gr.update(choices=choices, value=view.start_s, visible=len(starts) > 1)


def _recording_key(view: View) -> tuple[object, ...]:
    warnings = view.reading.warnings if view.reading else None
    return id(view.ecg), view.about, view.start_s, warnings


def _paper_key(view: View) -> tuple[object, ...]:
    weights = view.finding.weights.tobytes() if view.finding else None
    faint = view.finding is not None and view.finding.improbable
    return id(view.ecg), view.start_s, view.layout, weights, faint


def reading_paper(view: View) -> PlotData:
    """The recording of a view on paper, tinted where a finding is chosen."""
    return paper(
        view.ecg,
        layout=LAYOUTS[view.layout],
        start_s=view.start_s,
        heatmap=view.heatmap,
        px_per_mm=view.px_per_mm,
        faint=view.finding is not None and view.finding.improbable,
    )


def _connect(parts: Parts, handlers: Handlers) -> None:
    outputs = _all(parts)

    def on(
        event: Callable[..., Dependency],
        handler: Callable[..., Updates],
        *inputs: Component,
        each: bool = False,
    ) -> Dependency:
        inputs_too = [parts.view, *inputs]
        return connect(event, handler, inputs=inputs_too, outputs=outputs, each=each)

    on(parts.case.input, handlers.open_case, parts.case)
    on(parts.window.input, handlers.move, parts.window)
    on(parts.layout.input, handlers.lay_out, parts.layout)
    on(parts.focus.input, handlers.focus, parts.focus)
    on(parts.prompt_set.input, handlers.choose_set, parts.prompt_set)
    on(parts.findings.select, handlers.choose)
    uploaded = on(parts.upload.upload, handlers.open_upload, parts.upload, each=True)
    uploaded.then(
        None, js="() => { window.dispatchEvent(new Event('uploadanswered')); return []; }"
    )
    on(parts.reset.click, handlers.reset, each=True)
    on(parts.add.click, handlers.add, parts.new_prompt, each=True)
    on(parts.new_prompt.submit, handlers.add, parts.new_prompt, each=True)
    on(parts.findings.edit, handlers.reword, each=True)
    on(parts.findings.delete, handlers.remove, each=True)


def _connect_start(page: gr.Blocks, parts: Parts, handlers: Handlers) -> None:
    """Paper first; the model's reading follows when the model is there."""
    outputs = _all(parts)
    started = page.load(
        handled(handlers.start),
        inputs=gr.Number(WIDE_PX, visible=False),
        outputs=outputs,
        js="() => window.innerWidth",
        show_progress="hidden",
        api_visibility="private",
        **LANE,
    )
    connect(started.then, handlers.first_reading, inputs=[parts.view], outputs=outputs)


def _all(parts: Parts) -> list[Component]:
    return [getattr(parts, field.name) for field in fields(parts)]
