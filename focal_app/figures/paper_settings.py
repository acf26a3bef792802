"""How the visitor wants the ECG drawn: kept over recordings, and the same for page, PDF and SVG."""

from dataclasses import dataclass

from focal_app.figures.layout import MM_PER_S, THREE_BY_FOUR


@dataclass(frozen=True, kw_only=True)
class PaperSettings:
    """Layout, scale and marks of the paper.

    `gain_mm_per_mv` is 5, 10 or 20, or None for the largest at which complexes keep apart;
    `half_chest` draws V1 to V6 at half of it. `rhythm` is the lead of the long strip where the
    layout has one, `enlarged` the lead of the layout "one".
    """

    layout: str = THREE_BY_FOUR.name
    gain_mm_per_mv: float | None = None
    half_chest: bool = False
    speed_mm_per_s: float = MM_PER_S
    rhythm: str = "II"
    enlarged: str = "II"
    fiducials: bool = False


AT_FIRST = PaperSettings()
