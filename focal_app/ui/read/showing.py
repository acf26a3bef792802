"""What a change of the view alters on the page: only what differs is sent."""

import gradio as gr
from markupsafe import Markup

from focal_app.ecg.preprocess import window_starts
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.ui import wording
from focal_app.ui.gradio_helpers import Updates, paper
from focal_app.ui.read.findings_list import findings_list
from focal_app.ui.read.measured_strip import header
from focal_app.ui.read.parts import Parts
from focal_app.ui.read.state import Reader, View


def shown(parts: Parts, before: View | None, after: View, *, reader: Reader | None) -> Updates:
    """The parts of the page that another view alters; `reader` is needed once it was read."""
    updates: Updates = {parts.view: after, parts.trouble: "", parts.add_trouble: ""}
    if before is None or before.case != after.case:
        updates[parts.case] = after.case
    if before is None or _recording_key(before) != _recording_key(after):
        updates[parts.recording] = header(after)
        updates[parts.window] = _windows(after, reader.spec) if reader else gr.skip()
    if before is None or _paper_key(before) != _paper_key(after):
        updates[parts.paper] = reading_paper(after)
    if after.reading is not None:
        updates |= {panel.part: panel.says(after) for panel in parts.panels}
        updates[parts.findings] = findings_list(after)
    return updates


def as_before(parts: Parts, view: View) -> Updates:
    """What the visitor set in vain, back to what the page still shows."""
    updates: Updates = {
        parts.case: view.case,
        parts.prompt_set: view.prompt_set,
        parts.layout: view.paper.layout,
        parts.focus: view.tau,
    }
    if view.reading is None:
        return {**updates, parts.findings: findings_list(view)}
    return {**updates, parts.window: gr.update(value=view.start_s)}


def _windows(view: View, spec: SignalSpec) -> object:
    starts = window_starts(view.ecg, spec)
    choices = [(wording.window(start, spec.duration_s), start) for start in starts]
    return gr.update(choices=choices, value=view.start_s, visible=len(starts) > 1)


def _recording_key(view: View) -> tuple[object, ...]:
    read = (view.reading.warnings, id(view.reading.measured)) if view.reading else None
    return id(view.ecg), view.about, view.start_s, read


def _paper_key(view: View) -> tuple[object, ...]:
    weights = view.finding.weights.tobytes() if view.finding else None
    faint = view.finding is not None and view.finding.improbable
    return id(view.ecg), view.start_s, view.paper, weights, faint


def reading_paper(view: View) -> Markup:
    """The recording of a view on paper, tinted where a finding is chosen."""
    return paper(
        view.ecg,
        settings=view.paper,
        start_s=view.start_s,
        heatmap=view.heatmap,
        px_per_mm=view.px_per_mm,
        faint=view.finding is not None and view.finding.improbable,
    )
