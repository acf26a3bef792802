"""When the heart beats: times of atrial and ventricular beats over a recording.

A `Rhythm` covers more than the recording, so that waves may enter and leave at its edges.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float

_LEAD_IN_S = 2.0
"""So long before and after the recording hearts beat too, so that waves cross its edges."""


@dataclass(frozen=True)
class Beat:
    """A ventricular beat: onset of QRS, its kind, the PR before it (None without P), QT factor."""

    at_s: float
    kind: str = "own"
    pr_s: float | None = None
    rr_s: float = 0.8
    spike_s: float | None = None
    p_kind: str = "sinus"
    run: str = ""
    """Name of the run to which it belongs, where a rhythm comes and goes."""


@dataclass(frozen=True)
class Rhythm:
    """Beats, P waves without QRS, and what the atria do all the time."""

    beats: tuple[Beat, ...]
    lone_p: tuple[tuple[float, str], ...] = ()
    fibrillation: bool = False
    flutter_hz: float = 0.0
    atrial_spikes_s: tuple[float, ...] = ()
    dropped: tuple[tuple[float, float], ...] = ()
    """Seconds of pauses in which a QRS was dropped."""
    facts: frozenset[str] = field(default=frozenset())
    """Tags that hold by construction."""


def sinus_times(
    rng: np.random.Generator,
    *,
    duration_s: float,
    rr_s: float,
    breathing: float,
    wander: float = 0.012,
) -> Float[np.ndarray, " n"]:
    """Sinus beats with respiratory arrhythmia: `breathing` is the relative swing of RR.

    A breath takes 3 to 5.5 s, as in adults at rest (11 to 20 a minute).
    """
    count = int((duration_s + 2 * _LEAD_IN_S) / rr_s * 1.6) + 4
    cycle_s = rng.uniform(3.0, 5.5)
    phase = rng.uniform(0, 2 * np.pi)
    drift = np.cumsum(rng.normal(0, wander / 3, count))
    noise = rng.normal(0, wander, count) + drift - drift.mean()
    rr = rr_s * (1 + noise)
    at = -_LEAD_IN_S - rng.uniform(0, rr_s) + np.cumsum(rr)
    swing = breathing * rr_s * np.sin(2 * np.pi * at / cycle_s + phase)
    at = at + np.cumsum(swing)
    return at[at < duration_s + _LEAD_IN_S]


def sinus(
    rng: np.random.Generator,
    *,
    duration_s: float,
    rr_s: float,
    pr_s: float,
    breathing: float,
) -> Rhythm:
    """Every P conducted, one PR for all beats but for a few milliseconds."""
    at = sinus_times(rng, duration_s=duration_s, rr_s=rr_s, breathing=breathing)
    return _conducted(at, pr_s + rng.normal(0, 0.0015, len(at)))


def _conducted(at: np.ndarray, pr: np.ndarray | float) -> Rhythm:
    rr = np.diff(at, prepend=2 * at[0] - at[1])
    pr = np.broadcast_to(pr, at.shape)
    beats = tuple(
        Beat(float(t), pr_s=float(p), rr_s=float(r)) for t, p, r in zip(at, pr, rr, strict=True)
    )
    return Rhythm(beats, facts=frozenset({"sinus rhythm"}))


def fibrillation(rng: np.random.Generator, *, duration_s: float, rr_s: float) -> Rhythm:
    """No P, RR without order, never below the refractory time of the AV node (here 0.31 s)."""
    spread = rng.uniform(0.17, 0.30)
    count = int((duration_s + 2 * _LEAD_IN_S) / rr_s * 2) + 6
    rr = np.maximum(rr_s * np.exp(rng.normal(0, spread, count) - spread**2 / 2), 0.31)
    at = -_LEAD_IN_S + np.cumsum(rr)
    keep = at < duration_s + _LEAD_IN_S
    beats = tuple(Beat(float(t), rr_s=float(r)) for t, r in zip(at[keep], rr[keep], strict=True))
    facts = frozenset({"atrial fibrillation", "fibrillatory waves", "absent P waves"})
    return Rhythm(beats, fibrillation=True, facts=facts)


def flutter(rng: np.random.Generator, *, duration_s: float) -> Rhythm:
    """Saw-tooth at 240-330 a minute, conducted 2:1, 3:1, 4:1 or changing; most often evenly."""
    cycle = 60 / rng.uniform(240, 330)
    ratio = int(rng.choice([2, 3, 4, 0], p=[0.4, 0.12, 0.3, 0.18]))
    count = int((duration_s + 2 * _LEAD_IN_S) / cycle)
    steps = rng.choice([2, 3, 4, 5], size=count, p=[0.35, 0.25, 0.3, 0.1]) if ratio == 0 else ratio
    waves = np.cumsum(np.broadcast_to(steps, count))
    at = -_LEAD_IN_S + waves * cycle + rng.normal(0, 0.004, count) + rng.uniform(0, cycle)
    at = at[at < duration_s + _LEAD_IN_S]
    rr = np.diff(at, prepend=at[0] - cycle * 3)
    beats = tuple(Beat(float(t), rr_s=float(r)) for t, r in zip(at, rr, strict=True))
    kind = {
        2: "atrial flutter with 2:1 conduction",
        0: "atrial flutter with variable conduction",
    }.get(ratio, "atrial flutter")
    facts = frozenset({kind, "sawtooth flutter waves", "absent P waves"})
    return Rhythm(beats, flutter_hz=1 / cycle, facts=facts)


def regular_without_p(
    rng: np.random.Generator,
    *,
    duration_s: float,
    rr_s: float,
    kind: str = "own",
    retrograde_s: float | None = None,
    facts: frozenset[str],
) -> Rhythm:
    """A junctional, supraventricular or ventricular run, perhaps with P upside down.

    The retrograde P begins `retrograde_s` after the onset of QRS.
    """
    at = sinus_times(rng, duration_s=duration_s, rr_s=rr_s, breathing=0.0, wander=0.004)
    beats = tuple(Beat(float(t), kind=kind, rr_s=rr_s) for t in at)
    lone = (
        () if retrograde_s is None else tuple((float(t) + retrograde_s, "retrograde") for t in at)
    )
    return Rhythm(beats, lone_p=lone, facts=facts)


def paroxysm(rng: np.random.Generator, *, duration_s: float, rr_s: float, pr_s: float) -> Rhythm:
    """Sinus rhythm that turns into a regular run of 150-210 a minute, or comes back from it."""
    calm = sinus(rng, duration_s=duration_s, rr_s=rr_s, pr_s=pr_s, breathing=0.01)
    turn = duration_s * rng.uniform(0.3, 0.7)
    fast = float(60 / rng.uniform(150, 210))
    begins = rng.random() < 0.6
    kept = [beat for beat in calm.beats if (beat.at_s < turn) == begins]
    edge = kept[-1].at_s if begins else kept[0].at_s
    count = int((duration_s + 2 * _LEAD_IN_S) / fast)
    steps = np.arange(1, count) * fast
    times = edge + steps if begins else edge - 1.1 * rr_s - steps + fast
    run = [
        Beat(float(t), rr_s=fast, run="svt")
        for t in times
        if -_LEAD_IN_S < t < duration_s + _LEAD_IN_S
    ]
    beats = tuple(sorted([*kept, *run], key=lambda beat: beat.at_s))
    facts = frozenset({"paroxysmal supraventricular tachycardia", "sinus rhythm"})
    return Rhythm(beats, facts=facts)


def paced(rng: np.random.Generator, *, duration_s: float, rr_s: float, atrium: str) -> Rhythm:
    """Ventricular pacing; the atria tracked ("sinus"), paced, or fibrillating.

    The AV delay, 130 to 190 ms, is as pacemakers are usually set.
    """
    at = sinus_times(rng, duration_s=duration_s, rr_s=rr_s, breathing=0.0, wander=0.001)
    pr = None if atrium == "fibrillation" else float(rng.uniform(0.13, 0.19))
    beats = tuple(
        Beat(float(t), kind="paced", rr_s=rr_s, pr_s=pr, spike_s=float(t) - 0.006) for t in at
    )
    if pr is None:
        facts = frozenset({"pacing spikes", "absent P waves", "ventricular pacing"})
        return Rhythm(beats, fibrillation=True, facts=facts)
    if atrium == "sinus":
        return Rhythm(beats, facts=frozenset({"pacing spikes", "atrial-sensed ventricular pacing"}))
    spikes = tuple(float(t) - pr - 0.01 for t in at)
    facts = frozenset({"pacing spikes", "dual chamber pacing"})
    return Rhythm(beats, atrial_spikes_s=spikes, facts=facts)


def atrial_paced(
    rng: np.random.Generator, *, duration_s: float, rr_s: float, pr_s: float
) -> Rhythm:
    """A spike before each P, the QRS conducted."""
    at = sinus_times(rng, duration_s=duration_s, rr_s=rr_s, breathing=0.0, wander=0.001)
    base = _conducted(at, pr_s)
    spikes = tuple(float(t) - pr_s - 0.012 for t in at)
    return replace(
        base, atrial_spikes_s=spikes, facts=frozenset({"atrial pacing", "pacing spikes"})
    )


def wenckebach(rng: np.random.Generator, *, duration_s: float, rr_s: float, pr_s: float) -> Rhythm:
    """PR grows from beat to beat until one P is not conducted.

    It grows by less each time (60 to 100 ms, then a half, a third), so that RR shortens.
    """
    length = int(rng.integers(3, 6))
    atria = sinus_times(rng, duration_s=duration_s, rr_s=rr_s, breathing=0.01) - pr_s
    gains = np.cumsum([0.0, *(rng.uniform(0.06, 0.10) / np.arange(1, length))])
    offset = int(rng.integers(0, length))
    prs = [
        pr_s + gains[k] if (k := (i + offset) % length) < length - 1 else None
        for i in range(len(atria))
    ]
    return _with_drops(atria, prs, "second degree AV block type 1", "progressive PR prolongation")


def mobitz(rng: np.random.Generator, *, duration_s: float, rr_s: float, pr_s: float) -> Rhythm:
    """PR stays, single P waves are not conducted."""
    length = int(rng.integers(3, 5))
    atria = sinus_times(rng, duration_s=duration_s, rr_s=rr_s, breathing=0.0) - pr_s
    offset = int(rng.integers(0, length))
    prs = [pr_s if (i + offset) % length else None for i in range(len(atria))]
    return _with_drops(atria, prs, "second degree AV block type 2")


def _with_drops(atria: np.ndarray, prs: list[float | None], *tags: str) -> Rhythm:
    beats, lone, dropped, last = [], [], [], float(atria[0]) - 1.0
    for onset, pr in zip(atria.tolist(), prs, strict=True):
        if pr is None:
            lone.append((onset, "sinus"))
            continue
        at = onset + pr
        if lone and lone[-1][0] > last:
            dropped.append((last, at))
        beats.append(Beat(at, pr_s=pr, rr_s=min(at - last, 1.3)))
        last = at
    facts = frozenset({*tags, "dropped QRS complexes"})
    return Rhythm(tuple(beats), lone_p=tuple(lone), dropped=tuple(dropped), facts=facts)


def complete_block(
    rng: np.random.Generator, *, duration_s: float, rr_s: float, kind: str
) -> Rhythm:
    """Atria and ventricles each at their own rate; ventricles escape at 32 to 50 a minute."""
    at = sinus_times(rng, duration_s=duration_s, rr_s=rng.uniform(1.2, 1.9), breathing=0.0)
    atria = sinus_times(rng, duration_s=duration_s, rr_s=rr_s, breathing=0.01)
    beats = tuple(Beat(float(t), kind=kind, rr_s=1.2) for t in at)
    escape = "ventricular escape rhythm" if kind == "wide" else "junctional rhythm"
    facts = frozenset({"third degree AV block", "AV dissociation", escape})
    return Rhythm(beats, lone_p=tuple((float(t), "sinus") for t in atria), facts=facts)


def add_ectopics(
    rng: np.random.Generator,
    rhythm: Rhythm,
    *,
    duration_s: float,
    kind: str,
    every: int | None,
    share: float,
) -> Rhythm:
    """Some beats replaced by premature ones: "pvc" with a full pause, "pac" with a reset.

    `every` 2 or 3 makes bigeminy or trigeminy; None scatters them, at least one in view. None comes
    within some 0.36 s of the beat before: the ventricles are refractory for most of that time.
    """
    beats = list(rhythm.beats)
    chosen = _chosen(rng, beats, duration_s=duration_s, every=every, share=share)
    coupling = float(rng.uniform(0.56, 0.72) if kind == "pvc" else rng.uniform(0.6, 0.76))
    shift, made = 0.0, []
    lone = list(rhythm.lone_p)
    for index, beat in enumerate(beats):
        if index not in chosen:
            made.append(replace(beat, at_s=beat.at_s + shift))
            continue
        rr = min(beat.rr_s, 1.1)
        before = made[-1].at_s if made else beat.at_s - rr
        at = before + max(coupling * rr, 0.36) + float(rng.normal(0, 0.012))
        if kind == "pvc":
            made.append(Beat(at, kind="pvc", rr_s=rr))
            if beat.pr_s is not None:
                lone.append((beat.at_s + shift - beat.pr_s, "sinus"))
            continue
        new_pr = None if beat.pr_s is None else beat.pr_s + float(rng.uniform(0.0, 0.03))
        made.append(Beat(at, kind="own", pr_s=new_pr, rr_s=rr, p_kind="ectopic", run="pac"))
        shift += at - (beat.at_s + shift) + float(rng.uniform(0.0, 0.06))
    origin = "ventricular" if kind == "pvc" else "atrial"
    facts = rhythm.facts | {f"premature {origin} complex"}
    if every is not None:
        facts |= {f"{origin} {'bigeminy' if every == 2 else 'trigeminy'}"}
    return replace(rhythm, beats=tuple(made), lone_p=tuple(lone), facts=facts)


def _chosen(
    rng: np.random.Generator,
    beats: list[Beat],
    *,
    duration_s: float,
    every: int | None,
    share: float,
) -> set[int]:
    """Indices of the beats that come early, never two in a row unless asked."""
    if every is not None:
        start = int(rng.integers(0, every))
        return {i for i in range(1, len(beats)) if i % every == start}
    inside = [i for i in range(2, len(beats)) if 0.6 < beats[i].at_s < duration_s - 0.9]
    chosen: set[int] = set()
    for index in inside:
        if index - 1 not in chosen and rng.random() < share:
            chosen.add(index)
    if inside and not chosen:
        chosen.add(int(rng.choice(inside)))
    return chosen
