"""Rate and intervals of a recording: medians over beats in each lead, then over leads.

Not the earliest onset and the latest offset of all leads, which gather every lead's outlier:
cardiographs agree with medians (30 ms closer in QRS and QT on files with the makers' own values).
"""

import numpy as np
from jaxtyping import Bool, Float

from focal_app.ecg.dissociation import dissociated_p_per_min
from focal_app.ecg.early_beats import Beats, EarlyBeats, early_beats
from focal_app.ecg.lead_waves import BeatTable
from focal_app.ecg.measurements import Measurement, Measurements, Waves, half_middle

NONE = Measurement()
SLOWEST_PER_MIN, FASTEST_PER_MIN = 20, 320
"""Beyond, beats were missed, or a file says a wrong sampling rate: nothing of it can be right."""
_LEADS_OF_QRS, _LEADS_OF_PR = 3, 4
_BEATS_OF_REGULARITY = 3
_FEWEST_KEPT = 0.5

WIDEST_SPREAD_MS = {"pr": 14.0, "qrs": 12.0, "qt": 14.0}
"""From this spread over leads on a value is left blank: no answer rather than a wrong one."""
_P_SHARE, _P_SHARE_IRREGULAR, _IRREGULAR_PERCENT = 0.5, 0.7, 10.0
"""PR is measured where so many of the beats have a P wave in most leads; more where RR is
irregular, for in atrial fibrillation a wave of the atria now and then looks like one."""
_PR_SWING_MS = 22.0
"""P waves whose distance to QRS swings by more (median deviation over beats) are not conducted."""


def measurements(table: BeatTable) -> Measurements:
    """All that follows from the waves alone; the axis needs the signal."""
    rate, qt = rate_per_min(table), qt_ms(table)
    if rate.value is None or not SLOWEST_PER_MIN <= rate.value <= FASTEST_PER_MIN:
        return Measurements()
    return Measurements(
        rate_per_min=rate,
        rr_variation_percent=rr_variation_percent(table),
        pr_ms=pr_ms(table),
        qrs_ms=qrs_ms(table),
        qt_ms=qt,
        qtc_bazett_ms=_corrected(qt, rate, 1 / 2),
        qtc_fridericia_ms=_corrected(qt, rate, 1 / 3),
    )


def rate_per_min(table: BeatTable) -> Measurement:
    """Mean rate over all beats; the spread is that of single RR intervals."""
    rr_s = rr_intervals_s(table)
    if not len(rr_s):
        return NONE
    return Measurement(60 / float(rr_s.mean()), half_middle(60 / rr_s))


def rr_variation_percent(table: BeatTable) -> Measurement:
    """Standard deviation of RR over its mean."""
    rr_s = rr_intervals_s(table)
    if len(rr_s) < _BEATS_OF_REGULARITY:
        return NONE
    return Measurement(100 * float(rr_s.std() / rr_s.mean()))


def rr_intervals_s(table: BeatTable) -> Float[np.ndarray, " n"]:
    """From beat to beat, by the medians over leads of their onsets; none across an interruption.

    None at all where most are: the short ones are left between many interruptions.
    """
    rr_s = _rr_of_beats_s(table)
    kept = np.isfinite(rr_s)
    return rr_s[kept] if len(rr_s) and kept.mean() >= _FEWEST_KEPT else np.zeros(0)


def _rr_of_beats_s(table: BeatTable) -> Float[np.ndarray, " n"]:
    """From every beat to the next, NaN across an interruption."""
    onsets_s = _median(table.qrs_s, axis=1)[:, 0]
    from_s, to_s = table.interruptions_s.T
    across = (onsets_s[:-1, None] < to_s) & (from_s < onsets_s[1:, None])
    return np.where(across.any(axis=1), np.nan, np.diff(onsets_s))


def beats_that_come_early(table: BeatTable) -> EarlyBeats | None:
    """How many come early, and how wide they are; None where that cannot be told."""
    found = Beats(
        rr_s=_rr_of_beats_s(table),
        p_between=np.diff(np.searchsorted(table.every_p_s, _median(table.qrs_s, axis=1)[:, 0])),
        qrs_width_s=_median(table.qrs_s[..., 1] - table.qrs_s[..., 0], axis=1),
        has_p=_in_most_leads(table.p_s, table.qrs_s),
        has_t=_in_most_leads(table.t_s, table.qrs_s),
    )
    return early_beats(found)


def qrs_ms(table: BeatTable) -> Measurement:
    """Duration of QRS."""
    spans = table.qrs_s
    return _over_leads(spans[..., 1] - spans[..., 0], _LEADS_OF_QRS, WIDEST_SPREAD_MS["qrs"])


def qt_ms(table: BeatTable) -> Measurement:
    """From the onset of QRS to the end of T in the same lead."""
    spans = table.t_s[..., 1] - table.qrs_s[..., 0]
    return _over_leads(spans, _LEADS_OF_QRS, WIDEST_SPREAD_MS["qt"])


def pr_ms(table: BeatTable) -> Measurement:
    """From the onset of P to that of QRS; none where P waves are missing or not conducted."""
    if unrelated_p_per_min(table):
        return NONE
    irregular = (rr_variation_percent(table).value or 0.0) > _IRREGULAR_PERCENT
    if p_share(table) < (_P_SHARE_IRREGULAR if irregular else _P_SHARE):
        return NONE
    spans = table.qrs_s[..., 0] - table.p_s[..., 0]
    by_beat = _median(spans, axis=1)
    known = by_beat[np.isfinite(by_beat)]
    if 1000 * np.median(np.abs(known - np.median(known))) > _PR_SWING_MS:
        return NONE
    return _over_leads(spans, _LEADS_OF_PR, WIDEST_SPREAD_MS["pr"])


def unrelated_p_per_min(table: BeatTable) -> float | None:
    """The rate of P waves without relation to QRS, None where there may be one."""
    return dissociated_p_per_min(table.every_p_s, _median(table.qrs_s, axis=1).mean(axis=1))


def p_share(table: BeatTable) -> float:
    """The share of beats before which most leads see a P wave; 0 without any beat.

    The first beat is not asked where its P would lie before the recording.
    """
    return float(_in_most_leads(table.p_s, table.qrs_s).mean()) if len(table.qrs_s) else 0.0


def _in_most_leads(
    waves_s: Float[np.ndarray, "B L 2"], qrs_s: Float[np.ndarray, "B L 2"]
) -> Bool[np.ndarray, " B"]:
    """Of which beats most leads that show QRS show this wave too."""
    seen = np.isfinite(waves_s[..., 0]).sum(axis=1)
    return seen >= np.isfinite(qrs_s[..., 0]).sum(axis=1) / 2


def waves(table: BeatTable, spikes_s: Float[np.ndarray, " S"]) -> Waves:
    """Every beat's waves, medians over the leads that show them; a wave that few show is none."""
    beats = np.isfinite(table.qrs_s[..., 0]).sum(axis=1)[:, None]

    def over_leads(spans: np.ndarray) -> np.ndarray:
        seen = np.isfinite(spans[..., 0]).sum(axis=1)[:, None]
        return np.where(2 * seen >= beats, _median(spans, axis=1), np.nan)

    return Waves(over_leads(table.p_s), over_leads(table.qrs_s), over_leads(table.t_s), spikes_s)


def _corrected(qt: Measurement, rate: Measurement, power: float) -> Measurement:
    """QT / RR^power, RR in seconds: 1/2 after Bazett (Heart 7:353, 1920), 1/3 after Fridericia
    (Acta Med Scand 53:469, 1920)."""
    if qt.value is None or rate.value is None:
        return NONE
    factor = (rate.value / 60) ** power
    return Measurement(qt.value * factor, None if qt.spread is None else qt.spread * factor)


def _over_leads(spans_s: np.ndarray, needed: int, widest_ms: float) -> Measurement:
    """The median over leads of their medians over beats, where enough of them agree."""
    often = np.isfinite(spans_s).sum(axis=0) >= max(1, spans_s.shape[0] / 3)
    by_lead = 1000 * _median(spans_s, axis=0)[often]
    if len(by_lead) < needed:
        return NONE
    spread = half_middle(by_lead)
    return Measurement(float(np.median(by_lead)), spread) if spread <= widest_ms else NONE


def _median(values: np.ndarray, *, axis: int) -> np.ndarray:
    """The median of what is known; NaN where nothing is."""
    return np.ma.filled(np.ma.median(np.ma.masked_invalid(values), axis=axis), np.nan)
