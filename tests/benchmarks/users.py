"""Fifty users at once, each with an ECG of its own, and what the app holds in memory in the end.

python -m tests.benchmarks users

The app runs on two cores, which the users share with it. A reading lasts from the first byte of
its upload to the last of its answer.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from focal_app.explore.reading.explorer import EMBEDDED
from tests.benchmarks.timing import Row
from tests.running import App, once_loaded, started
from tests.visiting import Recording, Refused, Visit, at_once, make_recordings

USERS, CORES, TURNS = 50, 2, 3
TEXTS = ("LBBB", "atrial fibrillation", "RSR' in V1-V3", "ST elevation without LBBB")
FEW, MANY, MOST_GROWTH = 50, 500, 1.10


@dataclass(frozen=True)
class Told:
    """What a user was told, None where there was an error, and how long it took."""

    answer: Any
    seconds: float


def rows() -> Iterator[Row]:
    """A row a kind of use, and one for the memory."""
    if not EMBEDDED.is_dir():
        yield Row(f"{USERS} users at once", "skipped: no embedded checkpoint in assets/")
        return
    with tempfile.TemporaryDirectory() as folder:
        recordings = make_recordings(Path(folder), USERS)
        with _app() as app:
            for what, use in USES.items():
                yield _row(what, lambda number, use=use: use(app, number, recordings[number]))
        with _app() as app:
            yield _memory(app, recordings)


@contextmanager
def _app() -> Iterator[App]:
    """The app, loaded, on two cores."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:CORES])
    try:
        with tempfile.TemporaryDirectory() as temporary, started(Path(temporary)) as app:
            yield once_loaded(app)
    finally:
        os.sched_setaffinity(0, cores)


def _read(app: App, number: int, recording: Recording) -> Any:  # noqa: ANN401
    with Visit(app.url) as user:
        return user.read(*recording)


def _similar(app: App, number: int, recording: Recording) -> Any:  # noqa: ANN401
    with Visit(app.url) as user:
        return user.ask("similar", user.upload(*recording), 5, "", "", 0, 0, 0)


def _search(app: App, number: int, recording: Recording) -> Any:  # noqa: ANN401
    with Visit(app.url) as user:
        return user.ask("search", TEXTS[number % len(TEXTS)], 5, [], "", 0, 120, "")


def _open(app: App, number: int, recording: Recording) -> Any:  # noqa: ANN401
    with Visit(app.url) as user:
        user.open()
        return user.do("open_upload", None, user.upload(*recording))


USES = {
    "a reading of each one's ECG": _read,
    "cases like each one's ECG": _similar,
    "a search": _search,
    "the page, and each one's ECG opened on it": _open,
}


def _row(what: str, use: Callable[[int], Any]) -> Row:
    """All users alone, then all at once, several times."""
    alone = [_told(use, number) for number in range(USERS)]
    both = [(alone, at_once(USERS, lambda number: _told(use, number))) for _ in range(TURNS)]
    pairs = [pair for turn in both for pair in zip(*turn, strict=True)]
    errors = sum(None in (one.answer, other.answer) for one, other in pairs)
    mixed = sum(one.answer != other.answer for one, other in pairs if other.answer is not None)
    usual, slow = np.percentile([told.seconds for _, told in pairs], [50, 95])
    by_itself = np.median([told.seconds for told in alone])
    return Row(
        f"{USERS} users at once: {what}",
        f"p50 {usual:.2f} s, p95 {slow:.2f} s (alone {by_itself:.2f} s), {errors} errors, "
        f"{mixed} mixed",
        "0 errors, 0 mixed",
        errors == mixed == 0,
    )


def _told(use: Callable[[int], Any], number: int) -> Told:
    begun = time.perf_counter()
    try:
        answer = use(number)
    except (Refused, httpx.HTTPError):
        answer = None
    return Told(answer, time.perf_counter() - begun)


def _memory(app: App, recordings: list[Recording]) -> Row:
    """What the process holds after a few readings and after many."""
    held = {}
    for number in range(MANY):
        _read(app, number, recordings[number % USERS])
        held[number + 1] = app.memory_mb
    growth = held[MANY] / held[FEW]
    return Row(
        f"Memory after {MANY} readings, against {FEW}",
        f"{growth:.3f} times ({held[FEW]:.0f} MB, {held[MANY]:.0f} MB)",
        f"{MOST_GROWTH:.2f} times",
        growth <= MOST_GROWTH,
    )
