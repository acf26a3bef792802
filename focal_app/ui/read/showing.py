"""What a change of the view alters on the page: only what differs is sent."""

from markupsafe import Markup

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.ui.gradio_helpers import Updates, paper
from focal_app.ui.read import html
from focal_app.ui.read.findings_list import findings_list
from focal_app.ui.read.layout import Parts
from focal_app.ui.read.lead_chart import redrawn
from focal_app.ui.read.measured_strip import measured_panel
from focal_app.ui.read.state import View
from focal_app.ui.read.tools import overview, toolbar


def shown(parts: Parts, before: View | None, after: View, *, spec: SignalSpec | None) -> Updates:
    """The parts of the page that another view alters; `spec` is needed once it was read."""
    updates: Updates = {parts.view: after, parts.trouble: "", parts.add_trouble: ""}
    if before is None or before.case != after.case:
        updates[parts.case] = after.case
    if before is None or _recording_key(before) != _recording_key(after):
        updates[parts.recording] = html.recording(after)
        updates[parts.overview] = overview(after, spec) if spec else ""
    if before is None or _tools_key(before) != _tools_key(after):
        updates[parts.tools] = toolbar(after)
    if before is None or _paper_key(before) != _paper_key(after):
        updates[parts.paper] = reading_paper(after)
    if after.reading is not None:
        updates[parts.measured] = measured_panel(after)
        updates[parts.places] = html.places(after)
        updates[parts.findings] = findings_list(after)
    return updates | redrawn(parts.lead_chart, before, after)


def as_before(parts: Parts, view: View) -> Updates:
    """What the visitor set in vain, back to what the page still shows."""
    updates: Updates = {
        parts.case: view.case,
        parts.prompt_set: view.prompt_set,
        parts.focus: view.tau,
    }
    if view.reading is None:
        return {**updates, parts.findings: findings_list(view)}
    return {**updates, parts.tools: toolbar(view)}


def _recording_key(view: View) -> tuple[object, ...]:
    warnings = view.reading.warnings if view.reading else None
    return id(view.ecg), view.about, view.start_s, warnings


def _tools_key(view: View) -> tuple[object, ...]:
    return view.paper, view.waves is None


def _paper_key(view: View) -> tuple[object, ...]:
    weights = view.heatmap.weights.tobytes() if view.heatmap else view.reading is None
    return id(view.ecg), view.start_s, view.paper, weights, view.faint


def reading_paper(view: View) -> Markup:
    """The recording of a view on paper, tinted where a finding is chosen."""
    return paper(
        view.ecg,
        settings=view.paper,
        start_s=view.start_s,
        coarse=view.finding is not None and view.fine is None,
        px_per_mm=view.px_per_mm,
        **view.shown,
    )
