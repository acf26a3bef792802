"""ST, T and U without infarction: ischaemia, drugs, salts, and what nobody can name.

Amounts in mV are chosen so that what a state claims holds on the drawn beat (`holds`).
"""

from dataclasses import replace

import numpy as np

from train.simulate.heart import Heart, Wave, by_lead, scaled, slower, wave
from train.simulate.infarction import TERRITORIES, WALLS, injure, scar, turn_t


def ischemia(heart: Heart, rng: np.random.Generator, territory: str) -> None:
    """T turned over a territory, ST sunk there a little."""
    depressed = rng.choice(["inverted", "depressed"], p=[0.7, 0.3]) == "depressed"
    for name, part in TERRITORIES[territory].items():
        amount = part * rng.uniform(0.18, 0.45)
        if not depressed:
            turn_t(heart, rng, WALLS[name], amount=amount)
        depth = rng.uniform(0.09, 0.2) if depressed else rng.uniform(0.0, 0.07)
        sink_st(heart, rng, np.array(WALLS[name].towards), amount=part * depth)
    if depressed:
        flatten_t(heart, keep=rng.uniform(0.25, 0.6))


def diffuse_ischemia(heart: Heart, rng: np.random.Generator) -> None:
    """Subendocardial: ST down in most leads, up in aVR."""
    towards = np.array([0.62, 0.62, -0.35]) + rng.normal(0, 0.12, 3)
    flatten_t(heart, keep=rng.uniform(0.15, 0.6))
    sink_st(heart, rng, towards, amount=rng.uniform(0.11, 0.24))
    if rng.random() < 0.4:
        heart.t.append(wave(heart.t_peak_s, 0.045, -rng.uniform(0.1, 0.28) * towards))


def sink_st(heart: Heart, rng: np.random.Generator, towards: np.ndarray, *, amount: float) -> None:
    """Lower ST by about `amount` mV in the leads that look from `towards`.

    The course is drawn: upsloping (deep at J), level or downsloping (deep before T).
    """
    start, end = heart.qrs_s, heart.t_peak_s
    course = rng.choice([0.22, 0.40, 0.62], p=[0.2, 0.45, 0.35])
    middle = start + course * (end - start)
    rise = max(course * (end - start) + 0.012, 0.035)
    fall = max((1.05 - course) * (end - start) * 0.75, 0.04)
    spread = -amount * rng.normal(0, 0.18, 8)
    heart.st.append(wave(middle, rise, -amount * towards, fall_s=fall, local=spread, power=3.0))


def subendocardial_injury(heart: Heart, rng: np.random.Generator, territory: str) -> None:
    """ST clearly down over a territory, T pulled along."""
    for name, part in TERRITORIES[territory].items():
        wall = WALLS[name]
        sink_st(heart, rng, np.array(wall.towards), amount=part * rng.uniform(0.14, 0.26))
    flatten_t(heart, keep=rng.uniform(0.3, 0.7))


def flatten_t(heart: Heart, *, keep: float) -> None:
    """Shrink T to the part `keep`."""
    heart.t = [scaled(item, keep) for item in heart.t]


def flatten_left_t(heart: Heart, rng: np.random.Generator, *, keep: float) -> None:
    """Shrink T in the limb leads and V4 to V6, less so in V1 to V3."""
    front = rng.uniform(max(keep, 0.4), 1.0)
    parts = keep + (front - keep) * by_lead({"V1": 1.0, "V2": 1.0, "V3": 0.8, "V4": 0.35})
    parts = parts * np.exp(rng.normal(0, 0.2, 8))
    heart.t = [
        replace(item, dipole=np.zeros(3), local=parts * heart.leads_of(item)) for item in heart.t
    ]


def low_t(heart: Heart, rng: np.random.Generator) -> None:
    """T flat in most leads, neither tall nor clearly upside down."""
    flatten_left_t(heart, rng, keep=rng.uniform(0.05, 0.25))


def inverted_t(heart: Heart, rng: np.random.Generator) -> None:
    """T against QRS in the left leads, of no certain cause."""
    away = np.array([-1.0, rng.uniform(-0.9, 0.1), rng.uniform(-0.1, 0.4)])
    flatten_left_t(heart, rng, keep=rng.uniform(0.05, 0.25))
    rise = rng.uniform(0.045, 0.07)
    heart.t.append(wave(heart.t_peak_s, rise, rng.uniform(0.14, 0.32) * away, fall_s=0.045))


def nonspecific_t(heart: Heart, rng: np.random.Generator) -> None:
    """T low, notched or slightly turned in left leads: nondiagnostic."""
    flatten_left_t(heart, rng, keep=rng.uniform(0.15, 0.62))
    away = np.array([-1.0, rng.uniform(-0.9, 0.2), rng.uniform(0.0, 0.4)])
    heart.t.append(wave(heart.t_peak_s, 0.05, rng.uniform(0.0, 0.10) * away))


def nonspecific_st(heart: Heart, rng: np.random.Generator) -> None:
    """ST a little low (under 0.1 mV) in some leads, T lowered."""
    flatten_left_t(heart, rng, keep=rng.uniform(0.3, 0.7))
    towards = np.array([rng.uniform(0.3, 1.0), rng.uniform(-0.1, 0.9), rng.uniform(-0.3, 0.2)])
    sink_st(heart, rng, towards / np.linalg.norm(towards), amount=rng.uniform(0.06, 0.1))


def st_depression(heart: Heart, rng: np.random.Generator) -> None:
    """ST clearly low in lateral or inferior leads."""
    towards = np.array([rng.uniform(0.5, 1.0), rng.uniform(0.0, 0.9), rng.uniform(-0.4, 0.1)])
    sink_st(heart, rng, towards / np.linalg.norm(towards), amount=rng.uniform(0.09, 0.2))
    flatten_left_t(heart, rng, keep=rng.uniform(0.3, 0.9))


def digitalis(heart: Heart, rng: np.random.Generator) -> None:
    """Scooped ST in leads with tall R, short QT, low T."""
    flatten_t(heart, keep=rng.uniform(0.3, 0.6))
    shorter = rng.uniform(0.88, 0.95)
    heart.t = [slower(item, shorter) for item in heart.t]
    heart.qt_s, heart.t_peak_s = heart.qt_s * shorter, heart.t_peak_s * shorter
    middle = 0.55 * heart.qrs_s + 0.45 * heart.t_peak_s
    towards = np.array([0.75, 0.6, 0.0])
    heart.st.append(wave(middle, 0.055, -rng.uniform(0.12, 0.22) * towards, fall_s=0.05))


def long_qt(heart: Heart, rng: np.random.Generator) -> None:
    """T late by 65 to 130 ms, so that most QTc pass the limit; broad, or after a long flat ST."""
    extra = rng.uniform(0.065, 0.13)
    rest = heart.t_peak_s - heart.qrs_s
    if rng.random() < 0.5:
        slow = 1 + extra / rest
        heart.t = [_after(heart, item, slow=slow, shift=0.0) for item in heart.t]
    else:
        heart.t = [_after(heart, item, slow=1.0, shift=extra) for item in heart.t]
    heart.qt_s, heart.t_peak_s = heart.qt_s + extra, heart.t_peak_s + extra


def _after(heart: Heart, item: Wave, *, slow: float, shift: float) -> Wave:
    """Stretch ST-T from the end of QRS, or move T and leave ST."""
    past = item.at_s - heart.qrs_s
    part = float(np.clip(past / (0.6 * (heart.t_peak_s - heart.qrs_s)), 0, 1))
    return replace(
        item,
        at_s=heart.qrs_s + past * slow + part * shift,
        rise_s=item.rise_s * slow,
        fall_s=item.fall_s * slow,
    )


def high_potassium(heart: Heart, rng: np.random.Generator) -> None:
    """T tall, narrow and pointed; P low."""
    dipole, local = heart.t_vector()
    size = max(rng.uniform(1.6, 2.6), 1.25 / max(float(heart.matrix[4] @ dipole), 0.2))
    heart.t = [wave(heart.t_peak_s, 0.040, size * dipole, fall_s=0.033, local=size * local)]
    heart.p = [scaled(item, 0.55) for item in heart.p]


def low_potassium(heart: Heart, rng: np.random.Generator) -> None:
    """T low, ST sunk, U tall."""
    flatten_t(heart, keep=rng.uniform(0.1, 0.4))
    sink_st(heart, rng, np.array([0.7, 0.6, -0.4]), amount=rng.uniform(0.05, 0.1))
    add_u(heart, rng, size=rng.uniform(0.16, 0.26))


def add_u(heart: Heart, rng: np.random.Generator, *, size: float) -> None:
    """A wave after T, largest in V2 and V3."""
    at = heart.qt_s + rng.uniform(0.075, 0.10)
    heart.t.append(wave(at, 0.040, size * np.array([0.35, 0.25, -0.75]), fall_s=0.045))


def aneurysm(heart: Heart, rng: np.random.Generator) -> None:
    """An old anterior scar whose ST never came down."""
    scar(heart, rng, "anteroseptal", size=rng.uniform(1.0, 1.4))
    injure(heart, rng, "anteroseptal", size=rng.uniform(0.14, 0.26))
    turn_t(heart, rng, WALLS["anterior"], amount=rng.uniform(0.15, 0.35))


def early_repolarization(heart: Heart, rng: np.random.Generator) -> None:
    """J point raised with a hollow ST and tall T, in the young and healthy."""
    size = rng.uniform(0.12, 0.24)
    towards = np.array([0.45, rng.uniform(0.2, 0.7), -0.6])
    middle = 0.5 * (heart.qrs_s + heart.t_peak_s)
    half = 0.5 * (heart.t_peak_s - heart.qrs_s)
    heart.st.append(wave(middle, 1.05 * half, size * towards, power=4.0))
    heart.t = [scaled(item, 1.25) for item in heart.t]
    heart.qrs.append(wave(heart.qrs_s * 0.97, 0.007, 0.5 * size * towards))
