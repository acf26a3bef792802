"""Beats into a recording: each kind of beat drawn at its times, atria and pacemaker beside them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from train.simulate import conduction
from train.simulate.atria import add_fibrillation, add_flutter, p_waves_of
from train.simulate.heart import Heart, copy_of, draw
from train.simulate.patient import Patient, qt_at
from train.simulate.places import Span
from train.simulate.projection import DOWER
from train.simulate.rhythm import Beat, Rhythm

_PAD_S = 1.5


@dataclass(frozen=True)
class Cast:
    """The hearts that draw each kind of beat of one patient."""

    hearts: dict[str, Heart]

    @staticmethod
    def of(heart: Heart, rng: np.random.Generator) -> "Cast":
        """Own beats, one form of premature beat, a wide escape or run, paced beats."""
        pvc, wide, paced = copy_of(heart), copy_of(heart), copy_of(heart)
        conduction.ventricular_beat(pvc, rng)
        conduction.ventricular_beat(wide, rng)
        conduction.ventricular_beat(paced, rng, origin="apex")
        return Cast({"own": heart, "pvc": pvc, "wide": wide, "paced": paced})


@dataclass(frozen=True)
class Extent:
    """How long a recording is and how finely it is sampled."""

    duration_s: float
    sampling_rate_hz: int


@dataclass(frozen=True)
class Scene:
    """The eight independent leads without noise, in mV, and the limits of every visible beat."""

    base_mv: Float[np.ndarray, "8 T"]
    spans: list[Span]


def paint(
    rhythm: Rhythm,
    cast: Cast,
    patient: Patient,
    rng: np.random.Generator,
    *,
    extent: Extent,
) -> Scene:
    """Draw every beat and everything atrial; cut to the recording."""
    duration_s, sampling_rate_hz = extent.duration_s, extent.sampling_rate_hz
    pad = int(_PAD_S * sampling_rate_hz)
    count = round(duration_s * sampling_rate_hz)
    canvas = np.zeros((8, count + 2 * pad))
    beats = [b for b in rhythm.beats if -_PAD_S + 0.5 < b.at_s < duration_s + 0.4]
    breathing = (rng.uniform(0.18, 0.32), rng.uniform(0, 2 * np.pi), rng.normal(0, 0.025, 8))
    mean_rr = float(np.median([b.rr_s for b in beats])) if beats else 0.8
    spans = []
    for kind in dict.fromkeys(b.kind for b in beats):
        heart, mine = cast.hearts[kind], [b for b in beats if b.kind == kind]
        stretch = _stretches(heart, patient, mine, mean_rr)
        _add_beats(canvas, heart, mine, stretch, rng, breathing, pad=pad, rate=sampling_rate_hz)
        spans += [_span(heart, b, s) for b, s in zip(mine, stretch, strict=True)]
    _add_atria(canvas, rhythm, beats, cast, rng, pad=pad, rate=sampling_rate_hz)
    _add_spikes(canvas, rhythm, beats, rng, pad=pad, rate=sampling_rate_hz)
    visible = [s for s in spans if s.t_off_s > 0.05 and s.qrs_on_s < duration_s]
    visible.sort(key=lambda span: span.qrs_on_s)
    return Scene(canvas[:, pad : pad + count], visible)


def _stretches(heart: Heart, patient: Patient, beats: list[Beat], mean_rr: float) -> np.ndarray:
    """QT follows the mean rate more than the last RR, for it follows a new rate late."""
    own = 60 / patient.rate_bpm
    rr = [0.4 * min(b.rr_s, 1.5) + 0.6 * mean_rr for b in beats]
    wanted = np.array([qt_at(heart, from_rr_s=own, to_rr_s=value) for value in rr]) / heart.qt_s
    floor = (heart.qrs_s + 0.11) / heart.qt_s
    return np.maximum(wanted, floor)


def _add_beats(
    canvas: np.ndarray,
    heart: Heart,
    beats: list[Beat],
    stretch: np.ndarray,
    rng: np.random.Generator,
    breathing: tuple[float, float, np.ndarray],
    *,
    pad: int,
    rate: int,
) -> None:
    """QRS, ST and T of all beats of a kind, each a little different, moved by breathing.

    `breathing`: hertz (0.18 to 0.32, 11 to 19 a minute), phase, and its share of each lead.
    """
    at = np.array([b.at_s for b in beats])
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
    for index, start in enumerate(first + pad):
        _paste(canvas, drawn[index], int(start))


def _paste(canvas: np.ndarray, piece: np.ndarray, start: int) -> None:
    low, high = max(start, 0), min(start + piece.shape[1], canvas.shape[1])
    if high > low:
        canvas[:, low:high] += piece[:, low - start : high - start]


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
    canvas: np.ndarray,
    rhythm: Rhythm,
    beats: list[Beat],
    cast: Cast,
    rng: np.random.Generator,
    *,
    pad: int,
    rate: int,
) -> None:
    heart = cast.hearts["own"]
    if rhythm.fibrillation:
        add_fibrillation(canvas, rng, rate=rate)
    if rhythm.flutter_hz:
        add_flutter(canvas, rng, hertz=rhythm.flutter_hz, rate=rate)
    onsets = [(b.at_s - b.pr_s, b.p_kind) for b in beats if b.pr_s is not None]
    onsets += [item for item in rhythm.lone_p if -1.0 < item[0] < canvas.shape[1] / rate]
    for kind in dict.fromkeys(kind for _, kind in onsets):
        at = np.array([t for t, k in onsets if k == kind])
        first = np.floor(at * rate).astype(int) - 5
        grid = (first[:, None] + np.arange(int((heart.p_s + 0.06) * rate))) / rate - at[:, None]
        drawn = draw(heart, p_waves_of(heart, kind, rng), grid, stretch=np.ones(len(at)))
        drawn *= (1 + rng.normal(0, 0.05, len(at)))[:, None, None]
        for index, start in enumerate(first + pad):
            _paste(canvas, drawn[index], int(start))


def _add_spikes(
    canvas: np.ndarray,
    rhythm: Rhythm,
    beats: list[Beat],
    rng: np.random.Generator,
    *,
    pad: int,
    rate: int,
) -> None:
    """Pacing spikes: 2 ms, tall when unipolar, small when bipolar."""
    times = [b.spike_s for b in beats if b.spike_s is not None] + list(rhythm.atrial_spikes_s)
    if not times:
        return
    size = rng.uniform(0.15, 0.4) if rng.random() < 0.5 else rng.uniform(0.6, 2.0)
    vector = rng.normal(0, 0.35, 3) + np.array([-0.5, -1.0, 0.3])
    shape = size * _spike_matrix(rng) @ (vector / np.linalg.norm(vector))
    length = max(1, round(0.002 * rate))
    for time in times:
        start = round(time * rate) + pad
        if 0 <= start < canvas.shape[1] - 2 * length:
            canvas[:, start : start + length] += shape[:, None]
            canvas[:, start + length : start + 2 * length] -= 0.25 * shape[:, None]


def _spike_matrix(rng: np.random.Generator) -> np.ndarray:
    """How the leads see the spike: the average torso, with some spread."""
    return DOWER * (1 + rng.normal(0, 0.1, DOWER.shape))
