"""Heights of waves, from the median beat over beats: voltages of QRS, ST level and T.

    amplitudes(ecg, waves.qrs_s, waves.t_s, seen)    # {"cornell_mv": Measurement(1.4, 0.1), ...}

All are taken from the level just before QRS. The spread is over beats.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import uniform_filter1d

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.gaps import flat_rows
from focal_app.ecg.measurements import Measurement
from focal_app.ecg.recording import LEADS
from focal_app.ecg.resampling import resampled

R, DOWN, Q, QS, Q_MS, S, LATE, ST, T = KINDS = range(9)
"""What is looked at in a lead: R; the deepest point of QRS; Q in percent (`LEAST_R_MV`), and the
same where a small r goes before it; how long Q lasts; S after R; a late R; ST; T.
Heights in mV over the level, depths below it."""
LEVEL_S = (0.03, 0.006)
"""The level is the median from so long before QRS to so long before it: behind P, before q."""
ST_S = 0.06
"""ST is looked at so long after the end of QRS (AHA/ACC/HRS 2009: J, or up to 80 ms after it)."""
FEWEST_BEATS = 2
FINE_HZ = 500.0
"""A slower recording is brought to this rate: its highest sample lies beside the peak."""
SEEN_SHARE = 2 / 3
"""A lead in which QRS is seen in fewer of the beats holds noise, hum or no ECG at all. Of the
4,128 leads of 344 recordings of PTB-XL one does; all that were made of white noise or hum do."""
LIMB = ("I", "II", "III")
"""The others are half of the sum or difference of two of these, and never larger than both."""
ST_LEADS = ("I", "II", "aVL", "aVF", "V3", "V4", "V5", "V6")
"""Not aVR, III, V1 and V2, whose ST may lie off the level in health."""
T_LEADS = ("I", "II", "V4", "V5", "V6")
"""Where T is upright in health; in aVL it may be inverted (AHA/ACCF/HRS 2009, part IV, Circulation
2009;119:e241), which also calls T low that has less than a tenth of R."""
LEAST_R_OF_T_MV, HIGHEST_PERCENT = 0.3, 100.0
"""T beside a smaller R is told in percent of this, and as no more than so many percent."""
R_LEADS = ("V2", "V3", "V4")
Q_MS_LEADS = ("V2", "V3")
"""Where any Q of 20 ms is one of an infarct (Fourth Universal Definition)."""
Q_LEADS = ("II", "III", "aVF")
LEAST_R_MV, DEEPEST_PERCENT = 0.4, 200.0
"""Q is told in percent of this at least: a quarter is deep, and 0.1 mV (Fourth Universal Definition
of Myocardial Infarction, Circulation 2018;138:e618). Beside no R, it is at most so many percent."""
ENDS_Q_MV = 0.04
"""A deflection so far above where QRS begins is an R, after which nothing is Q. Not above the
level before it: where QRS is marked early, the end of P still rises there."""
SMALL_R_MV = 0.1
"""A lower r may be what an infarct leaves: of 24 inferior ones of PTB-XL 11 have a Q of a quarter
of R, and 19 where it may go before; of 18 left anterior fascicular blocks 0 and 8, of 302 others 2
and 9."""
BELOW_MV = 0.02
"""Q lasts as long as it lies so far below the level."""
LATE_FROM = 0.6
"""From this part of QRS on a peak is late, whatever went before it."""
SMOOTHED_S = 0.01
"""It is looked for in means over so long: a single sample of noise is no R."""


def amplitudes(
    ecg: CompleteECG,
    qrs_s: Float[np.ndarray, "B 2"],
    t_s: Float[np.ndarray, "B 2"],
    seen: Bool[np.ndarray, "B L"],
) -> Mapping[str, Measurement]:
    """By the fields of `Measurements`; one whose leads are missing or hold no ECG is left out.

    `seen` says in which leads of `ecg` a beat's QRS was marked.

    In mV: `sokolow_lyon_mv`, S in V1 and the taller R of V5 and V6 (Sokolow & Lyon, Am Heart J
    37:161, 1949). `cornell_mv`, R in aVL and S in V3 (Casale et al., JACC 6:572, 1985).
    `limb_qrs_mv`, the largest QRS of the limb leads from peak to trough. `anterior_r_mv`, the
    smallest R of V2 to V4. `v6_s_mv`, S after R in V6; none of Qr and QS.
    `v1_late_r_mv`, R' in V1, over where QRS ends. `lowest_st_mv`, the level that ST of two of
    `ST_LEADS` reaches or passes downwards. `lateral_t_mv`, the mean peak of T over `T_LEADS`.
    `lowest_t_percent`: the peak of T in percent of R, in the lead of `T_LEADS` that has least.
    `inferior_q_percent`: how deep Q, before any R, is in percent of R, or of 0.4 mV where R is
    smaller, in two of II, III and aVF at least. `inferior_qs_percent`: the same before an R of
    `SMALL_R_MV`. `anterior_q_ms`: the longer Q of V2 and V3.
    """
    fine = _fine(ecg)
    beats = [_beat(fine, *spans) for spans in zip(qrs_s, t_s, strict=True)]
    own = np.moveaxis(np.array(beats).reshape(-1, len(KINDS), len(ecg.leads)), 0, -1)
    moving = np.isfinite(own[R])
    unseen = (seen.T & moving).sum(1) < SEEN_SHARE * moving.sum(1)
    own[:, unusable(ecg, unseen)] = np.nan
    every = np.full((len(KINDS), len(LEADS), len(beats)), np.nan)
    every[:, [LEADS.index(lead) for lead in ecg.leads]] = own

    def of(kind: int, *leads: str) -> np.ndarray:
        return every[kind][[LEADS.index(lead) for lead in leads]]

    found = {
        "lowest_st_mv": _second(of(ST, *ST_LEADS)),
        "lateral_t_mv": of(T, *T_LEADS).mean(0),
        "lowest_t_percent": _lowest_t(of(T, *T_LEADS), of(R, *T_LEADS)),
        "sokolow_lyon_mv": of(DOWN, "V1")[0] + of(R, "V5", "V6").max(0),
        "cornell_mv": of(R, "aVL")[0] + of(DOWN, "V3")[0],
        "limb_qrs_mv": (of(R, *LIMB) + of(DOWN, *LIMB)).max(0),
        "anterior_r_mv": of(R, *R_LEADS).min(0),
        "inferior_q_percent": -_second(-of(Q, *Q_LEADS)),
        "inferior_qs_percent": -_second(-of(QS, *Q_LEADS)),
        "anterior_q_ms": of(Q_MS, *Q_MS_LEADS).max(0),
        "v6_s_mv": of(S, "V6")[0],
        "v1_late_r_mv": of(LATE, "V1")[0],
    }
    return {name: one for name, values in found.items() if (one := _over_beats(values))}


def unusable(ecg: CompleteECG, unseen: Bool[np.ndarray, " L"]) -> Bool[np.ndarray, " L"]:
    """Leads in which QRS is not seen, clipped ones, and those that derive from such."""
    return ecg.with_derived(unseen | ecg.clipped)


def _fine(ecg: CompleteECG) -> CompleteECG:
    """The same at `FINE_HZ` at least."""
    rate_hz, missing = ecg.sampling_rate_hz, np.isnan(ecg.signal_mv)
    if rate_hz >= FINE_HZ:
        return ecg
    rows = resampled(ecg.bridged_mv, rate_hz, FINE_HZ)
    nearest = np.rint(np.arange(rows.shape[1]) * rate_hz / FINE_HZ).astype(int)
    rows[missing[:, nearest.clip(max=missing.shape[1] - 1)]] = np.nan
    return replace(ecg, signal_mv=rows, sampling_rate_hz=FINE_HZ)


def _beat(ecg: CompleteECG, qrs: np.ndarray, t: np.ndarray) -> Float[np.ndarray, "9 L"]:
    """What one beat has of each kind in every lead; NaN where the recording cuts it, and in leads
    that do not move: an electrode is off."""
    found = np.full((len(KINDS), len(ecg.leads)), np.nan)
    if not np.isfinite(qrs).all():
        return found
    rate_hz, signal = ecg.sampling_rate_hz, ecg.signal_mv
    begin, onset, first, last, st = (
        round(at * rate_hz)
        for at in (qrs[0] - LEVEL_S[0], qrs[0] - LEVEL_S[1], qrs[0], qrs[1], qrs[1] + ST_S)
    )
    if begin < 0 or st >= signal.shape[1] or first >= last:
        return found
    before = signal[:, begin : max(onset, begin + 1)].astype(float)
    level = np.median(before, axis=1, keepdims=True)
    level[flat_rows(signal[:, first : last + 1])] = np.nan
    found[R : LATE + 1] = _of_qrs(signal[:, first : last + 1] - level, rate_hz)
    found[ST] = signal[:, st] - level[:, 0]
    if np.isfinite(t).all():
        wave = signal[:, round(t[0] * rate_hz) : round(t[1] * rate_hz) + 1] - level
        found[T] = np.take_along_axis(wave, np.abs(wave).argmax(1)[:, None], 1)[:, 0]
    return found


def _of_qrs(rows: Float[np.ndarray, "L n"], rate_hz: float) -> tuple[np.ndarray, ...]:
    """The kinds from R to a late R, in their order."""
    peak = rows.argmax(1)[:, None]
    r, down = rows.max(1).clip(0), -rows.min(1).clip(None, 0)
    place, lost = np.arange(rows.shape[1]), np.isnan(r)
    smoothed = max(1, round(SMOOTHED_S * rate_hz))
    means = uniform_filter1d(rows, smoothed, axis=1, mode="nearest")
    risen = np.maximum.accumulate(means - means[:, :1], axis=1)

    def percent(ends_mv: float) -> np.ndarray:
        q = -np.where(risen < ends_mv, rows, 0).min(1).clip(None, 0)
        return np.where(lost, np.nan, (100 * q / r.clip(LEAST_R_MV)).clip(None, DEEPEST_PERCENT))

    long = ((risen < ENDS_Q_MV) & (rows < -BELOW_MV)).sum(1) * 1000 / rate_hz
    s = -np.where(place >= peak, rows, 0).min(1).clip(None, 0)
    s[(down > r) & ((down > s) | (r < ENDS_Q_MV))] = np.nan  # Qr and QS leave no S
    q_ms = np.where(lost, np.nan, long)
    return r, down, percent(ENDS_Q_MV), percent(SMALL_R_MV), q_ms, s, _late_r(rows)


def _late_r(rows: Float[np.ndarray, "L n"]) -> Float[np.ndarray, " L"]:
    """The highest peak of the second half, over where QRS ends: what goes on rising there is ST.

    A peak about the middle is the R of the beat itself, unless Q or S went before it.
    """
    long = rows.shape[1]
    at = long // 2 + rows[:, long // 2 :].argmax(1)
    own = (np.arange(len(rows)), at)
    after = np.minimum.accumulate(rows, axis=1)[own] < -ENDS_Q_MV
    late = (at > long // 2) & (after | (at >= LATE_FROM * long))
    height = (rows[own] - rows[:, -1].clip(0)).clip(0)
    return np.where(late | np.isnan(height), height, 0.0)


def _second(values: Float[np.ndarray, "L B"]) -> Float[np.ndarray, " B"]:
    """The second lowest over leads; NaN where one is."""
    return np.where(np.isnan(values).any(0), np.nan, np.sort(values, axis=0)[1])


def _lowest_t(t: Float[np.ndarray, "L B"], r: Float[np.ndarray, "L B"]) -> Float[np.ndarray, " B"]:
    """T in percent of R in the lead that has least of it in the median beat; NaN where it shows in
    too few beats of one."""
    percent = (100 * t / r.clip(LEAST_R_OF_T_MV)).clip(-HIGHEST_PERCENT, HIGHEST_PERCENT)
    if (np.isfinite(percent).sum(1) < FEWEST_BEATS).any():
        return np.full(percent.shape[1], np.nan)
    return percent[np.nanmedian(percent, axis=1).argmin()]


def _over_beats(values: Float[np.ndarray, " B"]) -> Measurement | None:
    known = values[np.isfinite(values)]
    if len(known) < FEWEST_BEATS:
        return None
    low, middle, high = np.percentile(known, [25, 50, 75])
    return Measurement(float(middle) + 0.0, float(high - low) / 2 + 0.0)  # 0 for -0
