"""One thin handler behind each event of the reading tab."""

from collections.abc import Callable
from dataclasses import replace

import gradio as gr

from focal_app.ecg.tables.question import SignalUnknown
from focal_app.errors import FocalError
from focal_app.explore.reading.bundled_cases import bundled_case, bundled_cases, load_case
from focal_app.explore.reading.prompts import EVERYDAY, prompt_set, tidy
from focal_app.figures.layout import PX_PER_MM
from focal_app.ui import wording
from focal_app.ui.gradio_helpers import Updates, number
from focal_app.ui.read import asking, html, state
from focal_app.ui.read.layout import Parts
from focal_app.ui.read.prompt_edits import added, removed, reworded
from focal_app.ui.read.showing import as_before, shown
from focal_app.ui.read.state import View, at_once, choosing, read, refined
from focal_app.ui.read.tools import asked
from focal_app.ui.read.uploads import read_upload
from focal_app.ui.server.model_source import LazyExplorer

WIDE_PX, NARROW_PX_PER_MM = 1434, 3
"""A narrower window has no room for paper of 4 px/mm and the findings beside it (style.css)."""


class Handlers:
    """One method an event: values in, one change of the view, and only what changed out."""

    def __init__(self, parts: Parts, reader: LazyExplorer) -> None:
        self.parts = parts
        self._reader = reader

    def start(self, window_px: object) -> Updates:
        """The first case on paper, as large as the window allows, before the model is there."""
        first = bundled_cases()[0]
        ecg, prompts = load_case(first.name), prompt_set(EVERYDAY).prompts
        view = View(
            ecg=ecg,
            case=first.name,
            about=first.description,
            prompt_set=EVERYDAY,
            prompts=prompts,
            px_per_mm=PX_PER_MM if number(window_px) >= WIDE_PX else NARROW_PX_PER_MM,
        )
        return self._shown(None, view)

    def first_reading(self, view: View) -> Updates:
        """The model's first reading, which may have to wait for the model."""
        return self._step(view, lambda: self._read(view))

    def open_case(self, view: View, name: str | None) -> Updates:
        """A bundled case instead of the present recording."""

        def change() -> View:
            found = bundled_case(name)
            if found is None or found.name == view.case:
                return view
            return self._read(state.with_recording(view, load_case(found.name), found))

        return self._step(view, change)

    def show(self, view: View, name: str, prompt: str) -> Updates:
        """A bundled case with one finding chosen, which joins the list where it is not in it."""

        def change() -> View:
            opened = state.with_recording(view, load_case(name), bundled_case(name))
            asked = view.prompts if prompt in view.prompts else added(view.prompts, prompt)
            return self._read(state.with_prompts(opened, asked, chosen=prompt))

        return self._step(view, change)

    def open_upload(self, view: View, paths: list[str] | None) -> Updates:
        """Uploaded files instead of the present recording."""

        def change() -> View:
            return self._read(state.with_recording(view, read_upload(paths or [])))

        still = wording.still_showing(_title(view))
        return self._step(view, change, still=still)

    def answer(
        self, view: View, table: object, rate: object, unit: object, leads: object
    ) -> Updates:
        """A table of numbers as a recording, with the rate, the unit and the leads as told."""

        def change() -> View:
            ecg = asking.answered(table, rate, unit, leads)
            return self._read(state.with_recording(view, ecg))

        parts, updates = self.parts, self._step(view, change)
        if parts.view in updates or view is None:
            return updates
        said = updates.get(parts.trouble, "")
        return {**updates, parts.trouble: "", parts.asking.trouble: said}

    def move(self, view: View, event: gr.EventData) -> Updates:
        """Another window of a long recording."""

        def change() -> View:
            start_s = number(event.start)
            if start_s == view.start_s:
                return view
            return self._read(replace(view, start_s=start_s))

        return self._step(view, change)

    def lay_out(self, view: View, event: gr.EventData) -> Updates:
        """Another arrangement of the leads, scale or mark of the paper."""
        return self._step(view, lambda: replace(view, paper=asked(view.paper, event)))

    def chart(self, view: View, lead: str | None = None) -> Updates:
        """One lead in numbers, or without a lead no more of it."""
        return self._step(view, lambda: replace(view, charted=lead))

    def refine(self, view: View) -> Updates:
        """A finer tint for the chosen finding, when the coarse one is on the paper."""
        return self._step(view, lambda: refined(view, self._reader()))

    def focus(self, view: View, tau: object) -> Updates:
        """A sharper or softer tint."""
        return self._step(view, lambda: self._read(replace(view, tau=number(tau))))

    def choose_set(self, view: View, named: object) -> Updates:
        """The prompts of another set."""

        def change() -> View:
            name = str(named)
            if name == view.prompt_set:
                return view
            return self._read(state.with_set(view, name))

        return self._step(view, change)

    def reset(self, view: View) -> Updates:
        """The prompts of the present set as they were at first."""
        return self._step(view, lambda: self._read(state.with_set(view, view.prompt_set)))

    def add(self, view: View, text: str | None) -> Updates:
        """One prompt more, chosen at once."""

        def change() -> View:
            asked = added(view.prompts, text or "")
            return self._read(state.with_prompts(view, asked, chosen=tidy(text or "")))

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
        return self._step(view, lambda: at_once(choosing(view, prompt, on=on), self._reader()))

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
        except SignalUnknown as unknown:
            updates = as_before(self.parts, view)
            form = asking.opened(self.parts.asking, unknown, still=_title(view))
            return {**updates, self.parts.trouble: "", **form}
        except FocalError as error:
            said = html.trouble(str(error), still=still)
            return {self.parts.trouble: said, **as_before(self.parts, view)}
        return {} if after is view else self._shown(view, after)

    def _shown(self, before: View | None, after: View) -> Updates:
        spec = self._reader().spec if after.reading is not None else None
        updates = shown(self.parts, before, after, spec=spec)
        if before is not None and before.ecg is not after.ecg:
            updates |= asking.closed(self.parts.asking)
        return updates


def _title(view: View | None) -> str:
    """What a bundled case is called; nothing where an upload is open."""
    case = bundled_case(view.case) if view else None
    return case.title if case else ""
