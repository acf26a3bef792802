"""How the visitor wants the ECG drawn: kept over recordings, and the same for page, PDF and SVG."""

from dataclasses import dataclass

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from focal_app.figures.layout import PageLayout, page_layout

GAINS, SPEEDS = (5.0, 10.0, 20.0), (25.0, 50.0)
LAYOUTS = ("3x4", "3x4+3", "6x2", "12x1", "cabrera", "one")


@dataclass(frozen=True, kw_only=True)
class PaperSettings:
    """Layout, scale and marks of the paper.

    `gain_mm_per_mv` is 5, 10 or 20, or None for the largest at which complexes of stacked rows keep
    apart: 10, that with half for the chest, 5, that with half for the chest. `half_chest` draws V1
    to V6 at half of any.
    `rhythm` is the lead of the long strip where the layout has one, `enlarged` the lead of the
    layout "one". `fiducials` marks measured waves.
    """

    layout: str = "3x4"
    gain_mm_per_mv: float | None = None
    half_chest: bool = False
    speed_mm_per_s: float = 25.0
    rhythm: str = "II"
    enlarged: str = "II"
    fiducials: bool = False

    def __post_init__(self) -> None:
        _one_of("layout", self.layout, LAYOUTS)
        _one_of("gain", self.gain_mm_per_mv, (None, *GAINS))
        _one_of("speed", self.speed_mm_per_s, SPEEDS)
        _one_of("rhythm lead", self.rhythm, LEADS)
        _one_of("enlarged lead", self.enlarged, LEADS)

    @property
    def page_layout(self) -> PageLayout:
        """Which lead stands where."""
        return page_layout(self.layout, rhythm=self.rhythm, enlarged=self.enlarged)


def _one_of(name: str, found: object, allowed: tuple[object, ...]) -> None:
    if found not in allowed:
        said = ", ".join("automatic" if one is None else f"{one}" for one in allowed)
        raise ConfigError(f"found another {name} than the paper has; choose one of {said}.")


AT_FIRST = PaperSettings()
