"""One lead in numbers: a chart that is made, and whose library is loaded, when it is opened."""

import gradio as gr

from focal_app.ecg.recording import LEADS
from focal_app.figures.lead_chart import lead_chart
from focal_app.ui.gradio_helpers import Updates, words
from focal_app.ui.read import wording_paper as wording
from focal_app.ui.read.state import View


class LeadChart:
    """What opens it, which lead it shows, and the chart; closed at first."""

    def __init__(self) -> None:
        with gr.Accordion(wording.CHART, open=False, elem_id="lead-chart") as self.drawer:
            self.lead = gr.Dropdown(
                list(LEADS), value="II", label=wording.LEAD, elem_id="chart-lead"
            )
            words(wording.CHART_HELP, elem_classes="hint")
            self.chart = gr.Plot(show_label=False, container=False, visible=False, elem_id="chart")


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
