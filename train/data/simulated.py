"""Simulated recordings as training records: every finding and its place is known."""

import multiprocessing
import os
from collections.abc import Iterator

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import RecordingError
from train.data.records import Labelled
from train.simulate import SimulatedECG, simulate


def simulated(count: int, spec: SignalSpec, *, seed: int) -> Iterator[Labelled | None]:
    """`count` recordings, their seeds counted up from a multiple of a million."""
    jobs = ((seed * 1_000_000 + i, spec) for i in range(count))
    with multiprocessing.Pool(os.cpu_count()) as pool:
        yield from pool.imap(_one, jobs, chunksize=32)


def _one(job: tuple[int, SignalSpec]) -> Labelled | None:
    number, spec = job
    made = simulate(number, duration_s=spec.duration_s)
    try:
        prepared = prepare(made.ecg, spec)
    except RecordingError:
        return None
    return Labelled(prepared, made.tags, places_as_patches(made, spec), "simulated")


def places_as_patches(made: SimulatedECG, spec: SignalSpec) -> dict[str, list[int]]:
    """For every tag with a place, the numbers of the patches that it touches.

    A patch counts when the place covers a fifth of it or lies inside it by half.
    """
    patch_s = spec.window_samples / spec.sampling_rate_hz
    touched: dict[str, set[int]] = {}
    for place in made.places:
        for window in range(spec.windows):
            start = max(place.start_s, window * patch_s)
            overlap = min(place.end_s, (window + 1) * patch_s) - start
            if overlap >= min(0.2 * patch_s, 0.5 * (place.end_s - place.start_s)):
                rows = touched.setdefault(place.tag, set())
                rows.update(LEADS.index(lead) * spec.windows + window for lead in place.leads)
    return {tag: sorted(patches) for tag, patches in touched.items()}
