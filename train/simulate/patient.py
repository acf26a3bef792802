"""A patient before any disease: age, sex, torso and a normal heart, with the spread of health."""

from dataclasses import dataclass, replace

import numpy as np

from train.simulate.anatomy import (
    P_OFFSETS_S,
    P_WIDTH_S,
    QRS_KERNELS,
    QRS_WIDTH,
    T_CENTRES,
    T_WIDTHS,
    Shape,
    draw_shape,
)
from train.simulate.heart import Heart, Wave, draw, slower, wave
from train.simulate.projection import DOWER, Torso

_INVERSE = np.linalg.pinv(DOWER)
_P_PEAK_S = 0.052
"""The middle of P, which lasts 104 ms: usual is less than 120."""


@dataclass(frozen=True)
class Patient:
    """Who lies on the couch; `rate_bpm` is the mean sinus rate."""

    age_years: int
    sex: str
    torso: Torso
    rate_bpm: float


def draw_patient(
    rng: np.random.Generator,
    *,
    age_years: float = 52,
    lean: float = 0.0,
    turn: float = 0.0,
    size: float = 1.0,
) -> Patient:
    """A random adult; the anatomy has its own spread, the torso adds that of the electrodes.

    `age_years` is the mean age; `lean` turns the heart further to the left, `turn` to the back,
    in radians; `size` is that of its waves. The rate is that of adults at rest, 50 to 94 a minute.
    """
    torso = Torso(
        frontal_rad=float(np.radians(rng.normal(0, 8)) - lean),
        horizontal_rad=float(np.radians(rng.normal(0, 6)) + turn),
        shift=float(np.clip(rng.normal(0, 0.15), -0.5, 0.5)),
        height=float(np.clip(rng.normal(0.0, 0.12), -0.4, 0.6)),
        gains=size * np.exp(rng.normal(0, [0.04, 0.04, 0.1, 0.1, 0.1, 0.1, 0.08, 0.08])),
    )
    return Patient(
        age_years=int(np.clip(rng.normal(age_years, 17), 18, 92)),
        sex="female" if rng.random() < 0.5 else "male",
        torso=torso,
        rate_bpm=float(np.clip(68 * np.exp(rng.normal(0, 0.15)), 50, 94)),
    )


def draw_heart(rng: np.random.Generator, patient: Patient) -> Heart:
    """A normal heart of this patient: P, QRS, ST and T with healthy spread, PR of 120 to 200 ms."""
    shape = draw_shape(rng, age_years=patient.age_years, sex=patient.sex)
    shape = replace(shape, pr_s=float(np.clip(shape.pr_s, 0.122, 0.198)))
    rr_s = 60 / patient.rate_bpm
    t_peak_s = max(shape.t_peak_s - _rate_effect(rr_s), shape.qrs_s + 0.09)
    heart = Heart(
        torso=patient.torso,
        qrs_s=shape.qrs_s,
        t_peak_s=t_peak_s,
        qt_s=t_peak_s + 0.1,
        pr_s=shape.pr_s,
        p_s=0.104,
        p=_p_waves(shape),
        qrs=_qrs_waves(shape),
        t=_t_waves(shape, t_peak_s),
    )
    heart.qt_s = t_end_s(heart)
    return heart


def _rate_effect(rr_s: float) -> float:
    """Shortening of QT at a rate, against one beat a second, in s.

    The Framingham line (Sagie et al., Am J Cardiol 70:797, 1992); below an RR of 0.6 s, outside
    that study, QT shortens faster, so that T ends before the next beat.
    """
    rr = min(rr_s, 1.6)
    return 0.154 * (1 - rr) + 0.25 * max(0.6 - rr, 0.0)


def qt_at(heart: Heart, *, from_rr_s: float, to_rr_s: float) -> float:
    """QT of this heart when RR changes, in seconds."""
    return heart.qt_s + _rate_effect(from_rr_s) - _rate_effect(to_rr_s)


def corrected_qt_s(heart: Heart, patient: Patient) -> float:
    """QTc by the Framingham line, in seconds."""
    return heart.qt_s + _rate_effect(60 / patient.rate_bpm)


def at_rate(heart: Heart, patient: Patient, *, rate_bpm: float) -> tuple[Heart, Patient]:
    """The same heart and patient at another rate: ST, T and QT move together."""
    wanted = qt_at(heart, from_rr_s=60 / patient.rate_bpm, to_rr_s=60 / rate_bpm)
    slow = max(wanted, heart.qrs_s + 0.12) / heart.qt_s
    heart.t = [slower(item, slow) for item in heart.t]
    heart.qt_s, heart.t_peak_s = heart.qt_s * slow, heart.t_peak_s * slow
    return heart, replace(patient, rate_bpm=rate_bpm)


def t_end_s(heart: Heart) -> float:
    """Where the drawn T has fallen to a sixth of its peak, in s from the onset of QRS."""
    times = np.arange(heart.t_peak_s, heart.t_peak_s + 0.25, 0.004)
    size = np.abs(draw(heart, heart.t, times[None])[0]).sum(0)
    low = np.flatnonzero(size < size[:8].max() / 6)
    return float(times[low[0]] if len(low) else heart.t_peak_s + 0.13)


def _as_wave(at_s: float, width_s: float, base_mv: np.ndarray) -> Wave:
    """A kernel given in leads: the part that a dipole explains, and the rest."""
    dipole = _INVERSE @ base_mv
    return wave(at_s, width_s, dipole, local=base_mv - DOWER @ dipole)


def _qrs_waves(shape: Shape) -> list[Wave]:
    step = shape.qrs_s / QRS_KERNELS
    return [_as_wave((k + 0.5) * step, QRS_WIDTH * step, row) for k, row in enumerate(shape.qrs)]


def _t_waves(shape: Shape, t_peak_s: float) -> list[Wave]:
    rest = t_peak_s - shape.qrs_s
    return [
        _as_wave(shape.qrs_s + centre * rest, width * rest, row)
        for centre, width, row in zip(T_CENTRES, T_WIDTHS, shape.t, strict=True)
    ]


def _p_waves(shape: Shape) -> list[Wave]:
    return [
        _as_wave(_P_PEAK_S + offset, P_WIDTH_S, row)
        for offset, row in zip(P_OFFSETS_S, shape.p, strict=True)
    ]
