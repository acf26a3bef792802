"""The toolbar of the paper and the overview of a long recording, as HTML; scripts lie beside."""

from pathlib import Path

from gradio import EventData
from markupsafe import Markup

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.figures.overview import overview_svg
from focal_app.figures.paper_settings import GAINS, LAYOUTS, SPEEDS, PaperSettings
from focal_app.figures.templates import Templates
from focal_app.ui.read import wording_paper as wording
from focal_app.ui.read.state import View

NUMBERS = {"gain_mm_per_mv": GAINS, "speed_mm_per_s": SPEEDS}
SWITCHES = ("half_chest", "fiducials")
WITH_RHYTHM = ("3x4", "3x4+3", "cabrera")

_fill = Templates(Path(__file__).parent, wording=wording, leads=LEADS)


def toolbar(view: View) -> Markup:
    """Settings of the paper as they are, and the tools that work in the browser alone."""
    return _fill(
        "tools",
        paper=view.paper,
        layouts=[(name, wording.LAYOUTS[name]) for name in LAYOUTS],
        gains=GAINS,
        speeds=SPEEDS,
        rhythm=view.paper.layout in WITH_RHYTHM,
        waves=view.waves is not None,
    )


def asked(paper: PaperSettings, event: EventData) -> PaperSettings:
    """The settings with what the toolbar tells; a `ConfigError` where no paper has it."""
    name, value = str(event.name), str(event.value)
    values = vars(paper) | {name: _value(name, value)}
    if values.keys() != vars(paper).keys():
        raise ConfigError(wording.NO_SUCH_SETTING)
    return PaperSettings(**values)


def _value(name: str, said: str) -> object:
    if name in SWITCHES:
        return said == "true"
    if name not in NUMBERS:
        return said
    return next((number for number in NUMBERS[name] if f"{number:g}" == said), None)


def overview(view: View, spec: SignalSpec) -> Markup:
    """The whole of a recording that is longer than a window, to choose the window from."""
    latest_s = view.ecg.duration_s - spec.duration_s
    if latest_s < spec.duration_s / spec.windows / 2:
        return Markup()
    return _fill(
        "overview",
        drawing=Markup(overview_svg(view.ecg)),
        start_s=view.start_s,
        latest_s=round(latest_s, 3),
        window_s=spec.duration_s,
        part=f"{100 * spec.duration_s / view.ecg.duration_s:.3f}",
    )
