"""One lead in numbers: a chart that is made, and whose library is loaded, when it is opened."""

from dataclasses import dataclass, replace

import gradio as gr

from focal_app.ecg.recording import LEADS
from focal_app.figures.lead_chart import lead_chart
from focal_app.ui.gradio_helpers import Updates, words
from focal_app.ui.read import wording_paper as wording
from focal_app.ui.read.state import View


@dataclass(frozen=True)
class LeadChart:
    """What opens it, which lead it shows, and the chart."""

    drawer: gr.Accordion
    lead: gr.Dropdown
    chart: gr.Plot


def build_lead_chart() -> LeadChart:
    """Lays it out, closed."""
    with gr.Accordion(wording.CHART, open=False, elem_id="lead-chart") as drawer:
        lead = gr.Dropdown(list(LEADS), value="II", label=wording.LEAD, elem_id="chart-lead")
        words(wording.CHART_HELP, elem_classes="hint")
        chart = gr.Plot(show_label=False, container=False, visible=False, elem_id="chart")
    return LeadChart(drawer, lead, chart)


def opened(view: View, lead: object) -> View:
    """The view with the chart of a lead, closed where it is none."""
    return replace(view, charted=lead if lead in LEADS else None)


def redrawn(part: LeadChart, before: View | None, after: View) -> Updates:
    """The chart, where it is open and shows something else now."""
    if after.charted is None or (before is not None and _key(before) == _key(after)):
        return {}
    if after.charted not in after.ecg.leads:
        return {part.chart: gr.update(visible=False)}
    figure = lead_chart(
        after.ecg,
        after.charted,
        start_s=after.start_s,
        heatmap=after.heatmap,
        waves=after.waves if after.paper.fiducials else None,
    )
    return {part.chart: gr.update(value=figure, visible=True)}


def _key(view: View) -> tuple[object, ...]:
    weights = view.heatmap.weights.tobytes() if view.heatmap else None
    return id(view.ecg), view.start_s, view.charted, weights, view.paper.fiducials, id(view.waves)
