"""Fifty users at once, each with an ECG of its own, and what the app holds in memory in the end.

python -m tests.benchmarks users

The app runs on two cores, which the users share with it. A reading lasts from the first byte of
its upload to the last of its answer. Beside the times stand the CPU seconds of the app and the load
of the machine, for on a busy one the times say little.
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
from tests.visiting import Busy, Recording, Refused, Visit, at_once, make_recordings

USERS, CROWD, CORES, TURNS = 50, 300, 2, 3
MOST_P95_S = 3.0
TEXTS = ("LBBB", "atrial fibrillation", "RSR' in V1-V3", "ST elevation without LBBB")
BUSY = "busy"
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
                yield _row(app, what, lambda number, use=use: use(app, number, recordings[number]))
            yield _crowd(app, recordings)
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


def _row(app: App, what: str, use: Callable[[int], Any]) -> Row:
    """All users alone, then all at once, several times."""
    spent_s = app.cpu_s
    alone = [_told(use, number) for number in range(USERS)]
    both = [(alone, at_once(USERS, lambda number: _told(use, number))) for _ in range(TURNS)]
    pairs = [pair for turn in both for pair in zip(*turn, strict=True)]
    errors = sum(None in (one.answer, other.answer) for one, other in pairs)
    mixed = sum(one.answer != other.answer for one, other in pairs if other.answer is not None)
    usual, slow = np.percentile([told.seconds for _, told in pairs], [50, 95])
    by_itself = np.median([told.seconds for told in alone])
    each_ms = 1000 * (app.cpu_s - spent_s) / (USERS * (1 + TURNS))
    return Row(
        f"{USERS} users at once: {what}",
        f"p50 {usual:.2f} s, p95 {slow:.2f} s (alone {by_itself:.2f} s, CPU {each_ms:.0f} ms, load "
        f"{os.getloadavg()[0]:.0f}), {errors} errors, {mixed} mixed",
        f"p95 {MOST_P95_S:g} s, 0 errors, 0 mixed",
        bool(errors == mixed == 0 and slow <= MOST_P95_S),
    )


def _crowd(app: App, recordings: list[Recording]) -> Row:
    """More at once than one may expect: each gets its reading, or is told when to come again."""
    spent_s = app.cpu_s
    told = at_once(CROWD, lambda number: _told_or_busy(app, number, recordings[number % USERS]))
    each_ms = 1000 * (app.cpu_s - spent_s) / CROWD
    busy = sum(one.answer == BUSY for one in told)
    errors = sum(one.answer is None for one in told)
    usual, slow = np.percentile([one.seconds for one in told], [50, 95])
    return Row(
        f"{CROWD} users at once: a reading of each one's ECG",
        f"{CROWD - busy - errors} answered, {busy} told when to come again, {errors} errors; p50 "
        f"{usual:.1f} s, p95 {slow:.1f} s (CPU {each_ms:.0f} ms, load {os.getloadavg()[0]:.0f})",
        "0 errors",
        errors == 0,
    )


def _told_or_busy(app: App, number: int, recording: Recording) -> Told:
    def use(number: int) -> Any:  # noqa: ANN401
        try:
            return _read(app, number, recording)
        except Busy:
            return BUSY

    return _told(use, number)


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
