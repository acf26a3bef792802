"""Beats into a recording: each kind of beat drawn at its times, atria and pacemaker beside them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from train.simulate import conduction
from train.simulate.atria import add_fibrillation, add_flutter, p_waves_of
from train.simulate.heart import Heart, copy_of, draw
from train.simulate.patient import Patient, qt_at
from train.simulate.places import Span
from train.simulate.projection import DOWER
from train.simulate.rhythm import Beat, Rhythm

_PAD_S = 1.5


Cast = dict[str, Heart]
"""The hearts that draw each kind of beat of one patient."""


def cast_of(heart: Heart, rng: np.random.Generator) -> Cast:
    """Own beats, one form of premature beat, a wide escape or run, paced beats."""
    pvc, wide, paced = copy_of(heart), copy_of(heart), copy_of(heart)
    conduction.ventricular_beat(pvc, rng)
    conduction.ventricular_beat(wide, rng)
    conduction.ventricular_beat(paced, rng, origin="apex")
    return {"own": heart, "pvc": pvc, "wide": wide, "paced": paced}


@dataclass(frozen=True)
class Scene:
    """The eight independent leads without noise, in mV, and the limits of every visible beat."""

    base_mv: Float[np.ndarray, "8 T"]
    spans: list[Span]


@dataclass(frozen=True)
class _Canvas:
    """What is drawn on, with `_PAD_S` on either side of the recording, at `rate` hertz."""

    base_mv: Float[np.ndarray, "8 T"]
    rate: int
    pad: int

    def paste(self, pieces: Float[np.ndarray, "B 8 n"], first: Int[np.ndarray, " B"]) -> None:
        """Add what is drawn from these samples of the recording on, as far as it lies inside."""
        for piece, start in zip(pieces, (first + self.pad).tolist(), strict=True):
            low, high = max(start, 0), min(start + piece.shape[1], self.base_mv.shape[1])
            if high > low:
                self.base_mv[:, low:high] += piece[:, low - start : high - start]


def paint(
    rhythm: Rhythm,
    cast: Cast,
    patient: Patient,
    rng: np.random.Generator,
    *,
    duration_s: float,
    rate: int,
) -> Scene:
    """Draw every beat and everything atrial, sampled at `rate` hertz; cut to the recording."""
    pad, count = int(_PAD_S * rate), round(duration_s * rate)
    canvas = _Canvas(np.zeros((8, count + 2 * pad)), rate, pad)
    beats = [b for b in rhythm.beats if -_PAD_S + 0.5 < b.at_s < duration_s + 0.4]
    breathing = (rng.uniform(0.18, 0.32), rng.uniform(0, 2 * np.pi), rng.normal(0, 0.025, 8))
    mean_rr = float(np.median([b.rr_s for b in beats])) if beats else 0.8
    spans = []
    for kind in dict.fromkeys(b.kind for b in beats):
        heart, mine = cast[kind], [b for b in beats if b.kind == kind]
        stretch = _stretches(heart, patient, mine, mean_rr)
        _add_beats(canvas, heart, mine, stretch, rng, breathing)
        spans += [_span(heart, b, s) for b, s in zip(mine, stretch, strict=True)]
    _add_atria(canvas, rhythm, beats, cast["own"], rng)
    _add_spikes(canvas, rhythm, beats, rng)
    visible = [s for s in spans if s.t_off_s > 0.05 and s.qrs_on_s < duration_s]
    visible.sort(key=lambda span: span.qrs_on_s)
    return Scene(canvas.base_mv[:, pad : pad + count], visible)


def _stretches(heart: Heart, patient: Patient, beats: list[Beat], mean_rr: float) -> np.ndarray:
    """QT follows the mean rate more than the last RR, for it follows a new rate late."""
    own = 60 / patient.rate_bpm
    rr = [0.4 * min(b.rr_s, 1.5) + 0.6 * mean_rr for b in beats]
    wanted = np.array([qt_at(heart, from_rr_s=own, to_rr_s=value) for value in rr]) / heart.qt_s
    floor = (heart.qrs_s + 0.11) / heart.qt_s
    return np.maximum(wanted, floor)


def _add_beats(
    canvas: _Canvas,
    heart: Heart,
    beats: list[Beat],
    stretch: np.ndarray,
    rng: np.random.Generator,
    breathing: tuple[float, float, np.ndarray],
) -> None:
    """QRS, ST and T of all beats of a kind, each a little different, moved by breathing.

    `breathing`: hertz (0.18 to 0.32, 11 to 19 a minute), phase, and its share of each lead.
    """
    at, rate = np.array([b.at_s for b in beats]), canvas.rate
    first = np.floor((at - 0.02) * rate).astype(int)
    long = int((0.04 + heart.qt_s * float(stretch.max()) + 0.16) * rate)
    short = int((heart.qrs_s + 0.06) * rate)
    grid = (first[:, None] + np.arange(long)) / rate - at[:, None]
    hertz, phase, depth = breathing
    swing = 1 + np.sin(2 * np.pi * hertz * at + phase)[:, None] * depth
    swing = swing * (1 + rng.normal(0, 0.012, (len(beats), 1)))
    drawn = draw(heart, heart.st + heart.t, grid, stretch=stretch)
    drawn *= (swing * (1 + rng.normal(0, 0.02, (len(beats), 1))))[:, :, None]
    drawn[:, :, :short] += draw(heart, heart.qrs, grid[:, :short]) * swing[:, :, None]
    canvas.paste(drawn, first)


def _span(heart: Heart, beat: Beat, stretch: float) -> Span:
    t_on = (heart.qrs_s + 0.45 * (heart.t_peak_s - heart.qrs_s)) * stretch
    on, off = beat.at_s, beat.at_s + heart.qrs_s
    t_off = beat.at_s + heart.qt_s * float(stretch)
    p_on = None if beat.pr_s is None else on - beat.pr_s
    return Span(
        kind=beat.kind,
        qrs_on_s=on,
        qrs_off_s=off,
        t_on_s=min(max(beat.at_s + float(t_on), off + 0.02), t_off - 0.06),
        t_off_s=t_off,
        p_on_s=p_on,
        p_off_s=None if p_on is None else p_on + heart.p_s,
        run=beat.run,
    )


def _add_atria(
    canvas: _Canvas, rhythm: Rhythm, beats: list[Beat], heart: Heart, rng: np.random.Generator
) -> None:
    base_mv, rate = canvas.base_mv, canvas.rate
    if rhythm.fibrillation:
        add_fibrillation(base_mv, rng, rate=rate)
    if rhythm.flutter_hz:
        add_flutter(base_mv, rng, hertz=rhythm.flutter_hz, rate=rate)
    onsets = [(b.at_s - b.pr_s, b.p_kind) for b in beats if b.pr_s is not None]
    onsets += [item for item in rhythm.lone_p if -1.0 < item[0] < base_mv.shape[1] / rate]
    for kind in dict.fromkeys(kind for _, kind in onsets):
        at = np.array([t for t, k in onsets if k == kind])
        first = np.floor(at * rate).astype(int) - 5
        grid = (first[:, None] + np.arange(int((heart.p_s + 0.06) * rate))) / rate - at[:, None]
        drawn = draw(heart, p_waves_of(heart, kind, rng), grid, stretch=np.ones(len(at)))
        drawn *= (1 + rng.normal(0, 0.05, len(at)))[:, None, None]
        canvas.paste(drawn, first)


def _add_spikes(
    canvas: _Canvas, rhythm: Rhythm, beats: list[Beat], rng: np.random.Generator
) -> None:
    """Pacing spikes: 2 ms, tall when unipolar, small when bipolar; the average torso, with some
    spread, sees them."""
    times = [b.spike_s for b in beats if b.spike_s is not None] + list(rhythm.atrial_spikes_s)
    if not times:
        return
    size = rng.uniform(0.15, 0.4) if rng.random() < 0.5 else rng.uniform(0.6, 2.0)
    vector = rng.normal(0, 0.35, 3) + np.array([-0.5, -1.0, 0.3])
    torso = DOWER * (1 + rng.normal(0, 0.1, DOWER.shape))
    shape = (size * torso @ (vector / np.linalg.norm(vector)))[:, None]
    base_mv, length = canvas.base_mv, max(1, round(0.002 * canvas.rate))
    for time in times:
        start = round(time * canvas.rate) + canvas.pad
        if 0 <= start < base_mv.shape[1] - 2 * length:
            base_mv[:, start : start + length] += shape
            base_mv[:, start + length : start + 2 * length] -= 0.25 * shape
