"""Every word that is printed on the ECG paper."""

PAPER_SPEED = "25 mm/s"
PAPER_GAIN = "10 mm/mV"
NO_FILTER = "no display filter, each lead centred"
NOT_RECORDED = "not recorded"
NOT_SEEN = "not seen by the model"
RECORDING_ENDS = "recording ends"
EVEN_SHARE = "times the even share"


def scale_line() -> str:
    """What a print says at its foot: speed, gain and filter."""
    return f"{PAPER_SPEED}   {PAPER_GAIN}   {NO_FILTER}"


def cut_line(leads: list[str], limit_mv: float) -> str:
    """Says which traces leave the paper, so that a flat top is not taken for the signal."""
    return f"   {', '.join(leads)}: cut at {limit_mv:g} mV" if leads else ""


def span(start_s: float, end_s: float) -> str:
    """Seconds from the start of the recording, as short as they can be said."""
    return f"{start_s:g}–{end_s:g} s"


def patch_line(lead: str, start_s: float, end_s: float, weight: float) -> str:
    """What a pointer resting on a patch is told."""
    return f"{lead}, {span(start_s, end_s)}: {weight:.1f} {EVEN_SHARE}"
