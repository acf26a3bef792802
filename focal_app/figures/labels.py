"""Every word that is printed on the ECG paper."""

from collections.abc import Sequence

from focal_app.ecg.numerals import numeral

NO_FILTER = "no display filter, leads centred"
NOT_RECORDED = "not recorded"
ELSEWHERE = "not in these seconds: see 12×1"
RECORDING_ENDS = "recording ends"
LOOKED = "looked here, times the average"
LOOKED_HERE = "looked here {times} times as much as on average"
LOOKED_AT = f"{{lead}}, {{span}}: {LOOKED_HERE}"
NOT_SEEN_AT = "{lead}, {span}: the model did not look here: no signal, or noise"
TITLE = "12-lead ECG"
WAVES = ("P", "QRS", "T")


def scale_line(speed_mm_per_s: float, gain_mm_per_mv: float, chest_mm_per_mv: float) -> str:
    """What stands at the foot: speed, gain and filter."""
    chest = "" if chest_mm_per_mv == gain_mm_per_mv else f" (V1–V6: {chest_mm_per_mv:g})"
    return f"{speed_mm_per_s:g} mm/s · {gain_mm_per_mv:g} mm/mV{chest} · {NO_FILTER}"


def broken_line(leads: Sequence[str]) -> str:
    """Says that a trace leaves the paper, in the words of who cannot see the mark."""
    return f" · {', '.join(leads)}: broken where too tall" if leads else ""


def peak(value_mv: float) -> str:
    """How tall a wave is that the paper breaks."""
    return f"{numeral(value_mv, '+.1f')} mV"


def span(start_s: float, end_s: float) -> str:
    """Seconds from the start of the recording, as short as they can be said."""
    return f"{start_s:g}–{end_s:g} s"


def looked(times: float) -> str:
    """How much the model looked at a place."""
    return LOOKED_HERE.format(times=f"{times:.1f}")
