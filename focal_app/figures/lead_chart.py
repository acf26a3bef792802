"""One lead as an interactive chart: zoom, pan, and seconds and millivolts under the pointer."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measurements import Waves
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.figures.layout import PAGE_S
from focal_app.figures.marks import COARSE, FINE, INK, PAPER, WAVE_COLOURS
from focal_app.figures.tint import COLOUR, scale_top

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

HEIGHT_PX = 380
NAMES = ("P", "QRS", "T")


def lead_chart(
    ecg: CompleteECG,
    lead: str,
    *,
    start_s: float = 0.0,
    heatmap: Heatmap | None = None,
    waves: Waves | None = None,
) -> "Figure":
    """Ten seconds of a lead from `start_s` on, every sample as it was recorded, in millivolts.

    Below it stands how often the finding of `heatmap` looked at each part of this lead, 1 as often
    as on average; behind it the measured waves.
    """
    from plotly.graph_objects import Figure

    rate_hz = ecg.sampling_rate_hz
    first = round(start_s * rate_hz)
    value_mv = ecg.signal_mv[ecg.leads.index(lead)][first : first + round(PAGE_S * rate_hz)]
    second = (first + np.arange(len(value_mv))) / rate_hz
    chart = Figure(layout=_layout(lead, with_strip=heatmap is not None))
    chart.add_scatter(
        x=second.round(4),
        y=value_mv,
        mode="lines",
        line={"color": INK, "width": 1.3},
        hovertemplate="%{x:.3f} s, %{y:.3f} mV<extra></extra>",
    )
    if heatmap is not None:
        _add_strip(chart, heatmap, lead)
    if waves is not None:
        for name, colour, rows in zip(NAMES, WAVE_COLOURS, _rows(waves), strict=True):
            _add_waves(chart, name, colour, rows[np.isfinite(rows).all(1)])
    return chart


def _layout(lead: str, *, with_strip: bool) -> dict[str, object]:
    lines = {"gridcolor": COARSE, "minor": {"showgrid": True, "gridcolor": FINE}}
    across = {**lines, "anchor": "y2" if with_strip else "y", "ticksuffix": " s"}
    up = {**lines, "zeroline": False}
    return {
        "height": HEIGHT_PX,
        "margin": {"l": 56, "r": 12, "t": 12, "b": 44},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": PAPER,
        "font": {"color": INK},
        "showlegend": False,
        "dragmode": "zoom",
        "xaxis": across,
        "yaxis": {**up, "title": f"{lead}, mV", "domain": [0.16, 1] if with_strip else [0, 1]},
        "yaxis2": {"domain": [0, 0.1], "fixedrange": True, "showticklabels": False},
    }


def _add_strip(chart: "Figure", heatmap: Heatmap, lead: str) -> None:
    weights = heatmap.weights[heatmap.leads.index(lead)]
    chart.add_heatmap(
        x=heatmap.edges_s,
        y=[0, 1],
        z=[weights],
        zmin=1,
        zmax=scale_top(heatmap.weights),
        colorscale=[[0, PAPER], [1, COLOUR]],
        showscale=False,
        yaxis="y2",
        hovertemplate="looked here %{z:.1f} times as much as on average<extra></extra>",
    )


def _rows(waves: Waves) -> tuple[Float[np.ndarray, "B 2"], ...]:
    return waves.p_s, waves.qrs_s, waves.t_s


def _add_waves(chart: "Figure", name: str, colour: str, rows: Float[np.ndarray, "B 2"]) -> None:
    """A wash from onset to offset of each, with its name above."""
    for onset_s, offset_s in rows.tolist():
        chart.add_vrect(x0=onset_s, x1=offset_s, fillcolor=colour, opacity=0.12, line_width=0)
        chart.add_annotation(
            x=(onset_s + offset_s) / 2, y=1, yref="paper", text=name, showarrow=False
        )
