"""The rhythm that a set of states asks for."""

from functools import partial

import numpy as np

from train.simulate import rhythm as build
from train.simulate.heart import Heart
from train.simulate.rhythm import Rhythm

_ECTOPY = {
    "premature ventricular complex": ("pvc", None),
    "ventricular bigeminy": ("pvc", 2),
    "ventricular trigeminy": ("pvc", 3),
    "premature atrial complex": ("pac", None),
    "atrial bigeminy": ("pac", 2),
    "atrial trigeminy": ("pac", 3),
}


def make_rhythm(
    rng: np.random.Generator,
    names: frozenset[str],
    heart: Heart,
    *,
    rate_bpm: float,
    duration_s: float,
) -> Rhythm:
    """Beats and atrial activity for these states."""
    base = _base(rng, names, heart, rr_s=60 / rate_bpm, duration_s=duration_s)
    for name, (kind, every) in _ECTOPY.items():
        if name in names:
            share = rng.uniform(0.05, 0.25)
            base = build.add_ectopics(
                rng, base, duration_s=duration_s, kind=kind, every=every, share=share
            )
    return base


def _base(
    rng: np.random.Generator, names: frozenset[str], heart: Heart, *, rr_s: float, duration_s: float
) -> Rhythm:
    regular = partial(build.regular_without_p, rng, duration_s=duration_s, rr_s=rr_s)
    if "atrial fibrillation" in names:
        return build.fibrillation(rng, duration_s=duration_s, rr_s=rr_s)
    if "atrial flutter" in names:
        return build.flutter(rng, duration_s=duration_s)
    if "supraventricular tachycardia" in names:
        # P falls shortly after QRS, or into it, where nobody sees it.
        late = heart.qrs_s + rng.uniform(-0.01, 0.06) if rng.random() < 0.5 else None
        p = "retrograde P waves" if late else "absent P waves"
        return regular(retrograde_s=late, facts=frozenset({"supraventricular tachycardia", p}))
    if "paroxysmal supraventricular tachycardia" in names:
        return build.paroxysm(rng, duration_s=duration_s, rr_s=rr_s, pr_s=heart.pr_s)
    if "junctional rhythm" in names:
        late = heart.qrs_s - 0.01 if rng.random() < 0.4 else None
        p = "retrograde P waves" if late else "absent P waves"
        return regular(retrograde_s=late, facts=frozenset({"junctional rhythm", p}))
    if "ventricular tachycardia" in names:
        return regular(kind="wide", facts=frozenset({"monomorphic ventricular tachycardia"}))
    if "ventricular pacing" in names:
        atrium = str(rng.choice(["sinus", "paced", "fibrillation"], p=[0.4, 0.25, 0.35]))
        return build.paced(rng, duration_s=duration_s, rr_s=rr_s, atrium=atrium)
    if "atrial pacing" in names:
        return build.atrial_paced(rng, duration_s=duration_s, rr_s=rr_s, pr_s=heart.pr_s + 0.03)
    if "second degree AV block type 1" in names:
        return build.wenckebach(rng, duration_s=duration_s, rr_s=rr_s, pr_s=heart.pr_s + 0.03)
    if "second degree AV block type 2" in names:
        return build.mobitz(rng, duration_s=duration_s, rr_s=rr_s, pr_s=heart.pr_s)
    if "third degree AV block" in names:
        kind = "own" if rng.random() < 0.6 else "wide"
        return build.complete_block(rng, duration_s=duration_s, rr_s=rr_s, kind=kind)
    # In health RR swings by 5 % with breath, seldom by 13.
    calm = min(float(rng.gamma(1.5, 0.032)), 0.13)
    breathing = rng.uniform(0.10, 0.2) if "sinus arrhythmia" in names else calm
    return build.sinus(
        rng, duration_s=duration_s, rr_s=rr_s, pr_s=heart.pr_s, breathing=float(breathing)
    )
