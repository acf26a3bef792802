"""Ventricular conduction: bundle branch and fascicular blocks, pre-excitation, wide beats.

Each function changes a `Heart` in place. Vectors are mV along x (left), y (feet), z (back), chosen
so that the criteria of the block hold on the drawn beat (`holds` of `states_conduction`). Limits of
QRS: AHA/ACCF/HRS recommendations (J Am Coll Cardiol 53:976, 2009).
"""

from dataclasses import replace

import numpy as np

from train.simulate.heart import Heart, by_lead, later, scaled, slower, stretch_qrs, wave

Activation = tuple[tuple[float, float, tuple[float, ...]], ...]
"""Phases of QRS: when and how long, in parts of it, and the vector."""


def complete_left_bundle_branch_block(heart: Heart, rng: np.random.Generator) -> None:
    """No septal q; 120 ms or more, notched, to the left and back; ST and T the other way."""
    _left_bundle(heart, rng, qrs_s=rng.uniform(0.126, 0.172), size=rng.uniform(0.75, 1.25))
    heart.voltage_judged = False


def incomplete_left_bundle_branch_block(heart: Heart, rng: np.random.Generator) -> None:
    """The same shape in 104 to 118 ms, short of a complete block; no septal q."""
    _left_bundle(heart, rng, qrs_s=rng.uniform(0.104, 0.118), size=rng.uniform(0.65, 1.0))


def _left_bundle(heart: Heart, rng: np.random.Generator, *, qrs_s: float, size: float) -> None:
    tilt = rng.normal(-0.12, 0.22)
    notch = rng.uniform(0.7, 1.2)
    back = rng.uniform(0.85, 1.35)
    vectors = (
        (0.20, 0.060, (0.16, 0.08, rng.normal(-0.08, 0.14))),
        (0.37, 0.075, (0.66, 0.12 + tilt, 0.62 * back)),
        (0.52, 0.080, (0.48, 0.02 + tilt, 0.95 * back)),
        (0.67, 0.070, (0.66 * notch, -0.04 + tilt, 0.75 * back)),
        (0.83, 0.060, (0.24 * notch, -0.06, 0.30 * back)),
    )
    _replace_qrs(heart, rng, vectors, qrs_s=qrs_s, size=1.2 * size)
    deep = rng.uniform(0.0, 0.7) * size * by_lead({"V3": -0.7, "V4": -0.9, "V5": -0.25, "V2": -0.3})
    heart.qrs.append(wave(0.55 * qrs_s, 0.13 * qrs_s, local=deep))
    _discordant(heart, rng, strength=rng.uniform(0.7, 1.2) * min(1.0, (qrs_s - 0.085) / 0.05))


def complete_right_bundle_branch_block(heart: Heart, rng: np.random.Generator) -> None:
    """The left ventricle first, as ever; then slowly to the right and front; 120 ms or more."""
    width = rng.uniform(0.015, 0.021)
    _right_bundle(
        heart, rng, qrs_s=rng.uniform(0.121, 0.160), size=rng.uniform(0.6, 1.25), width=width
    )
    away = rng.uniform(0.6, 1.5) * np.array([0.10, 0.02, 0.20])
    turned = -rng.uniform(0.0, 0.2) * by_lead({"V1": 1.0, "V2": 1.0, "V3": 0.5})
    heart.t.append(wave(heart.t_peak_s, 0.06, away, fall_s=0.05, local=turned))


def incomplete_right_bundle_branch_block(heart: Heart, rng: np.random.Generator) -> None:
    """A small late r' in V1, QRS below 120 ms, often hardly longer than before."""
    qrs_s = float(np.clip(heart.qrs_s + rng.uniform(0.0, 0.022), 0.086, 0.117))
    _right_bundle(
        heart, rng, qrs_s=qrs_s, size=rng.uniform(0.2, 0.5), width=rng.uniform(0.0055, 0.009)
    )


def _right_bundle(
    heart: Heart, rng: np.random.Generator, *, qrs_s: float, size: float, width: float
) -> None:
    """Append a terminal vector; the first forces keep their times, the basal forces shrink.

    S before R' is shallow in V1: the right ventricle turns to the front before the left one ends.
    """
    first_s = min(heart.qrs_s, qrs_s - 1.8 * width)
    scale = first_s / heart.qrs_s * 0.95
    basal = 0.70 * heart.qrs_s
    front = rng.uniform(0.3, 0.7) * by_lead({"V1": 1.0, "V2": 0.4})
    kept = [
        replace(item, local=item.local - front * np.minimum(heart.leads_of(item), 0.0))
        for item in (
            scaled(slower(item, scale), 0.3 if item.at_s > basal else 0.97) for item in heart.qrs
        )
    ]
    at = qrs_s - 2.1 * width
    terminal = size * np.array([-0.52, rng.normal(-0.18, 0.15), -0.50])
    local = size * by_lead({"V1": 0.12, "V2": 0.05})
    kept.append(wave(at, width * 1.15, terminal, fall_s=width, local=local))
    heart.qrs = kept
    stretch_qrs(heart, qrs_s)


def left_anterior_fascicular_block(heart: Heart, rng: np.random.Generator) -> None:
    """First down and right (small q in I, aVL; r in II, III, aVF), then up and left, S to V6.

    QRS is hardly longer, below 120 ms: only the order in the left ventricle is another.
    """
    qrs_s = float(np.clip(heart.qrs_s * rng.uniform(0.98, 1.10), 0.086, 0.114))
    up, late = rng.uniform(0.45, 1.2), rng.uniform(0.0, 1.0)
    vectors = (
        (0.17, 0.060, (-0.07, 0.095, -0.11)),
        (0.36, 0.075, (0.68, -0.08 * up, -0.06)),
        (0.50, 0.075, (0.62, -0.45 * up, 0.42)),
        (0.66, 0.080, (0.20 - 0.2 * late, -0.47 * up, 0.45)),
        (0.82, 0.060, (-0.06 - 0.2 * late, -0.24 * up, 0.15)),
    )
    _redirect(heart, rng, vectors, qrs_s=qrs_s)
    # Forces that go up leave V4 to V6, which lie lower than a dipole's transform has them.
    leaving = -rng.uniform(0.0, 0.5) * up * by_lead({"V3": 0.5, "V4": 0.9, "V5": 1.0, "V6": 0.7})
    heart.qrs.append(wave(0.66 * qrs_s, 0.085 * qrs_s, local=leaving))


def left_posterior_fascicular_block(heart: Heart, rng: np.random.Generator) -> None:
    """First up and left (r in I, aVL; q in II, III, aVF), then down and right, below 120 ms."""
    qrs_s = float(np.clip(heart.qrs_s * rng.uniform(1.02, 1.12), 0.088, 0.114))
    down = rng.uniform(0.9, 1.3)
    vectors = (
        (0.17, 0.060, (0.18, -0.20, -0.20)),
        (0.36, 0.075, (0.28, 0.50 * down, -0.20)),
        (0.52, 0.075, (-0.10, 0.95 * down, 0.45)),
        (0.68, 0.075, (-0.50, 0.55 * down, 0.45)),
        (0.83, 0.060, (-0.26, 0.10, 0.15)),
    )
    _redirect(heart, rng, vectors, qrs_s=qrs_s)


def _redirect(heart: Heart, rng: np.random.Generator, vectors: Activation, *, qrs_s: float) -> None:
    """A new order of activation in the limb leads; the chest leads keep their own shape in part."""
    kept_share = rng.uniform(0.35, 0.75)
    scale = qrs_s / heart.qrs_s
    limb, chest = np.r_[np.ones(2), np.zeros(6)], np.r_[np.zeros(2), np.ones(6)]
    kept = [
        wave(
            item.at_s * scale, item.rise_s * scale, local=kept_share * chest * heart.leads_of(item)
        )
        for item in heart.qrs
    ]
    size = float(np.clip(heart.qrs_size(), 0.6, 1.5))
    heart.see_through(
        replace(heart.torso, frontal_rad=rng.normal(0, 0.16), horizontal_rad=rng.normal(0, 0.12))
    )
    _replace_qrs(heart, rng, vectors, qrs_s=qrs_s, size=size)
    share = limb + (1 - kept_share) * chest
    fresh = [
        replace(item, dipole=np.zeros(3), local=share * heart.leads_of(item)) for item in heart.qrs
    ]
    heart.qrs = fresh + kept


def nonspecific_conduction_delay(heart: Heart, rng: np.random.Generator) -> None:
    """A wide QRS (over 110 ms) of neither bundle: slurred, split, unlike either pattern."""
    qrs_s = rng.uniform(0.112, 0.150)
    scale = qrs_s / heart.qrs_s
    waves = [scaled(slower(item, scale), 0.9) for item in heart.qrs]
    for place in rng.uniform(0.5, 0.86, 2):
        bump = rng.normal(0, 0.14, 3)
        waves.append(wave(place * qrs_s, 0.055 * qrs_s, bump, local=rng.normal(0, 0.06, 8)))
    heart.qrs = waves
    stretch_qrs(heart, qrs_s)
    _discordant(heart, rng, strength=0.35)


def slow_av_node(heart: Heart, rng: np.random.Generator) -> None:
    """First degree block, which begins above 200 ms: PR of 210 to 340 ms."""
    heart.pr_s = float(0.21 + min(rng.gamma(2.0, 0.022), 0.13))


def wolff_parkinson_white(heart: Heart, rng: np.random.Generator) -> None:
    """Short PR (below 120 ms), a slurred start (delta) from the accessory pathway, secondary ST-T.

    The pathway lies to the left most often, as in patients.
    """
    heart.pr_s = float(rng.uniform(0.085, 0.115))
    side = rng.choice(["left lateral", "posteroseptal", "right free wall"], p=[0.45, 0.3, 0.25])
    direction = {
        "left lateral": (-0.30, 0.40, -0.75),
        "posteroseptal": (0.55, -0.55, -0.50),
        "right free wall": (0.75, 0.10, 0.55),
    }[str(side)]
    delta = rng.uniform(0.35, 0.6) * np.array(direction)
    shift = rng.uniform(0.028, 0.045)
    slur = [
        wave(0.030, 0.013, 0.5 * delta, fall_s=0.02),
        wave(0.052, 0.016, delta, fall_s=0.022),
    ]
    septal = 0.25 * heart.qrs_s
    rest = [
        later(scaled(slower(item, 1.08), 0.5 if item.at_s < septal else 0.9), shift)
        for item in heart.qrs
    ]
    heart.qrs = slur + rest
    stretch_qrs(heart, heart.qrs_s + shift)
    _discordant(heart, rng, strength=rng.uniform(0.3, 0.8))
    heart.voltage_judged = False


def ventricular_beat(heart: Heart, rng: np.random.Generator, *, origin: str = "any") -> None:
    """A beat born in the ventricle: wide (over 120 ms), large, slow at both ends, T against QRS."""
    qrs_s = float(rng.uniform(0.135, 0.185))
    directions = {
        "right outflow": (0.30, 1.05, 0.60),
        "left free": (-0.80, 0.15, -1.0),
        "septal": (0.65, -0.65, 0.65),
        "apex": (0.60, -0.85, 0.85),
    }
    name = str(rng.choice([*directions])) if origin == "any" else origin
    main = np.array(directions[name]) + rng.normal(0, 0.18, 3)
    turn = rng.normal(0, 0.25, 3)
    size = rng.uniform(0.7, 1.25)
    vectors = (
        (0.24, 0.095, tuple(0.45 * main - turn)),
        (0.46, 0.110, tuple(main)),
        (0.68, 0.110, tuple(0.80 * main + turn)),
        (0.84, 0.075, tuple(0.25 * main + 0.5 * turn)),
    )
    _replace_qrs(heart, rng, vectors, qrs_s=qrs_s, size=size)
    _discordant(heart, rng, strength=rng.uniform(1.0, 1.5))
    heart.voltage_judged = False


def _replace_qrs(
    heart: Heart, rng: np.random.Generator, vectors: Activation, *, qrs_s: float, size: float
) -> None:
    """A new activation sequence, each phase with a little spread of its own."""
    heart.qrs = [
        wave(
            (place + rng.normal(0, 0.012)) * qrs_s,
            width * qrs_s * np.exp(rng.normal(0, 0.07)),
            size * (np.array(vector) * np.exp(rng.normal(0, 0.12)) + rng.normal(0, 0.05, 3)),
            local=size * rng.normal(0, 0.07, 8) * np.array([0.4, 0.4, 1, 1, 1, 1, 1, 1]),
        )
        for place, width, vector in vectors
    ]
    stretch_qrs(heart, float(qrs_s))


def _discordant(heart: Heart, rng: np.random.Generator, *, strength: float) -> None:
    """ST and T against the area of QRS (secondary repolarisation)."""
    area = sum((item.dipole * (item.rise_s + item.fall_s) for item in heart.qrs), np.zeros(3))
    vector = -strength * area / 0.085 * 0.42
    heart.t = [scaled(item, 1 - 0.75 * min(strength, 1.0)) for item in heart.t]
    rest = heart.t_peak_s - heart.qrs_s
    rise = float(np.clip(0.36 * rest, 0.05, 0.1)) * rng.uniform(0.9, 1.1)
    heart.t.append(wave(heart.t_peak_s, rise, vector, fall_s=rng.uniform(0.042, 0.056)))
    middle = 0.5 * (heart.qrs_s + heart.t_peak_s)
    heart.st.append(wave(middle, max(0.5 * rest, 0.03), 0.30 * vector, power=4.0))
