"""A patient before any disease: age, sex, torso and a normal heart, with the spread of health."""

from dataclasses import dataclass

import numpy as np

from train.simulate.heart import Heart, Wave, slower, wave
from train.simulate.projection import Torso

# Kernels of the normal QRS: place and width as parts of its duration, dipole (mV).
# Septum, apex, free wall, base; the amplitudes follow the normal limits of the Frank VCG.
_QRS = (
    (0.17, 0.070, (-0.12, -0.04, -0.24)),
    (0.36, 0.085, (0.72, 0.42, -0.22)),
    (0.50, 0.085, (0.62, 0.55, 0.50)),
    (0.64, 0.080, (0.08, 0.12, 0.52)),
    (0.80, 0.080, (-0.12, -0.12, 0.14)),
)
_T = (0.34, 0.22, -0.24)
_P_RIGHT = (0.02, 0.07, -0.035)
_P_LEFT = (0.06, 0.05, 0.03)


@dataclass(frozen=True)
class Patient:
    """Who lies on the couch: `rate_bpm` is the resting sinus rate, `qtc_s` after Framingham."""

    age_years: int
    sex: str
    torso: Torso
    rate_bpm: float
    qtc_s: float


def draw_patient(rng: np.random.Generator) -> Patient:
    """A random adult; older hearts lie more to the left, women have a longer QTc."""
    age = int(np.clip(rng.normal(54, 18), 18, 92))
    sex = "female" if rng.random() < 0.49 else "male"
    frontal = np.radians(rng.normal(2 - 0.45 * (age - 45), 22))
    torso = Torso(
        frontal_rad=float(frontal),
        horizontal_rad=float(np.radians(rng.normal(0, 14))),
        shift=float(np.clip(rng.normal(0, 0.3), -0.8, 0.8)),
        height=float(np.clip(rng.normal(0.1, 0.3), -0.5, 1.0)),
        gains=np.exp(rng.normal(0, [0.05, 0.05, 0.2, 0.18, 0.18, 0.16, 0.14, 0.14])),
    )
    qtc = rng.normal(0.412 if sex == "female" else 0.402, 0.014)
    return Patient(
        age_years=age,
        sex=sex,
        torso=torso,
        rate_bpm=float(np.clip(rng.normal(71, 10), 58, 98)),
        qtc_s=float(np.clip(qtc, 0.365, 0.443)),
    )


def qt_of(qtc_s: float, rr_s: float | np.ndarray) -> float | np.ndarray:
    """QT from QTc by the Framingham line (Sagie et al., Am J Cardiol 70:797, 1992), in s.

    Below an RR of 0.6 s, outside the study, QT shortens faster, so that T ends before the
    next beat.
    """
    rr = np.minimum(rr_s, 1.6)
    return qtc_s - 0.154 * (1 - rr) - 0.25 * np.maximum(0.6 - rr, 0.0)


def draw_heart(rng: np.random.Generator, patient: Patient) -> Heart:
    """A normal heart of this patient: P, QRS, ST and T with healthy spread."""
    qrs_s = float(
        np.clip(rng.normal(0.094 if patient.sex == "male" else 0.087, 0.007), 0.072, 0.106)
    )
    heart = Heart(
        torso=patient.torso,
        qrs_s=qrs_s,
        qt_s=float(qt_of(patient.qtc_s, 60 / patient.rate_bpm)),
        pr_s=float(np.clip(rng.normal(0.155, 0.018), 0.122, 0.196)),
        p_s=float(np.clip(rng.normal(0.100, 0.008), 0.08, 0.115)),
    )
    voltage = _voltage(rng, patient)
    heart.p = normal_p(rng, heart.p_s)
    heart.qrs = _normal_qrs(rng, qrs_s, voltage=voltage)
    heart.t = _normal_t(rng, patient, heart.qt_s)
    heart.st = _normal_st(rng, patient, heart)
    return heart


def at_rate(heart: Heart, patient: Patient) -> Heart:
    """The heart at another rate: ST, T and QT move together."""
    qt_s = float(qt_of(patient.qtc_s, 60 / patient.rate_bpm))
    slow = qt_s / heart.qt_s
    heart.st, heart.t = ([slower(w, slow) for w in waves] for waves in (heart.st, heart.t))
    heart.qt_s = qt_s
    return heart


def _voltage(rng: np.random.Generator, patient: Patient) -> float:
    """Overall QRS size: falls with age, lower in women."""
    mean = 1.05 - 0.004 * (patient.age_years - 45) - (0.10 if patient.sex == "female" else 0.0)
    return float(mean * np.exp(rng.normal(0, 0.17)))


def normal_p(
    rng: np.random.Generator, p_s: float, *, right: float = 1.0, left: float = 1.0
) -> list[Wave]:
    """Two atria, one after the other; `right` and `left` scale their dipoles."""
    size = np.exp(rng.normal(0, 0.22))
    spread = rng.normal(0, 0.012, (2, 3))
    return [
        wave(0.36 * p_s, 0.17 * p_s, size * right * (np.array(_P_RIGHT) + spread[0])),
        wave(0.64 * p_s, 0.17 * p_s, size * left * (np.array(_P_LEFT) + spread[1])),
    ]


def _normal_qrs(rng: np.random.Generator, qrs_s: float, *, voltage: float) -> list[Wave]:
    """Septum, apex, free wall and base, each with its own spread in size and direction."""
    waves = []
    for place, width, dipole in _QRS:
        vector = np.array(dipole) * np.exp(rng.normal(0, 0.18)) + rng.normal(0, 0.07, 3)
        local = rng.normal(0, [0.015, 0.015, 0.04, 0.06, 0.06, 0.05, 0.04, 0.03])
        waves.append(
            wave(
                (place + rng.normal(0, 0.012)) * qrs_s,
                width * qrs_s * np.exp(rng.normal(0, 0.08)),
                voltage * vector,
                local=voltage * local,
            )
        )
    return waves


def _normal_t(rng: np.random.Generator, patient: Patient, qt_s: float) -> list[Wave]:
    """A T wave that rises slowly and falls faster; smaller and flatter with age."""
    size = 1.08 - 0.004 * (patient.age_years - 45) + (0.10 if patient.sex == "male" else -0.08)
    vector = size * np.exp(rng.normal(0, 0.2)) * np.array(_T) + rng.normal(0, 0.035, 3)
    fall = rng.uniform(0.034, 0.046)
    peak = qt_s - 2.1 * fall
    rise = fall * rng.uniform(1.25, 1.7)
    return [
        wave(peak, rise, 0.85 * vector, fall_s=fall, local=rng.normal(0, 0.025, 8)),
        wave(peak - 1.2 * rise, rise, 0.15 * vector),
    ]


def _normal_st(rng: np.random.Generator, patient: Patient, heart: Heart) -> list[Wave]:
    """The healthy ST: a slight lift towards T, most in V2 and V3 of young men."""
    young_man = patient.sex == "male" and patient.age_years < 50
    lift = abs(rng.normal(0.05 if young_man else 0.02, 0.02))
    middle = 0.5 * (heart.qrs_s + heart.t_peak_s)
    half = 0.5 * (heart.t_peak_s - heart.qrs_s)
    return [wave(middle, 0.8 * half, lift * np.array([0.25, 0.2, -0.9]), power=4.0)]
