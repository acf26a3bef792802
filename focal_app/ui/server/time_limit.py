"""A time limit on every handler: the visitor is told, and the place in line is free again.

Python cannot end a thread. What runs too long goes on behind the scenes and its answer is dropped;
so that such threads never pile up, nothing new begins while `MOST_LATE` of them still run. The
limit is the last resort, for work is bounded by what it is given:

- reading a file: by the kernel, in a process of its own (`focal_app.ecg.reading_limits`);
- the model: one window of fixed length, and at most as many prompts and characters as
  `focal_app.explore.reading.prompts` allows (2 s on one core);
- quality, traces and figures: by the window; what is kept of a file, by `MAX_SAMPLES`;
- reports and queries: by their length, in time that grows with it and not faster;
- search: by the gallery, which the host chooses;
- a language model's server: by its own time limits.

Waiting for the model or the gallery to load does not count (`not_counted`).
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import wraps
from queue import SimpleQueue
from threading import Lock, Thread
from typing import ParamSpec, TypeVar

import gradio as gr

from focal_app.ui import wording

LIMIT_S = 30.0
MOST_LATE = 8
RETRY_S = 10

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Job = Callable[[], None]


class _Clock:
    """Seconds that are left, without those that were spent on waiting for others."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._since: float | None = None

    @property
    def left_s(self) -> float:
        """Seconds until the limit; while others are waited for it does not come nearer."""
        return self._until - (self._since or time.monotonic())

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stands still meanwhile."""
        if self._since is not None:  # one part waits for another
            yield
            return
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._until, self._since = time.monotonic() + self.left_s, None


_clock: ContextVar[_Clock | None] = ContextVar("clock", default=None)


@contextmanager
def not_counted() -> Iterator[None]:
    """Time that a handler spends here does not count against its limit."""
    clock = _clock.get()
    if clock is None:
        yield
        return
    with clock.stopped():
        yield


class _Threads:
    """Threads that do one job after another and do not keep the app from stopping."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Job]] = []
        self._late = 0
        self._lock = Lock()

    def start(self, job: Job) -> None:
        """Has a thread do the job."""
        with self._lock:
            jobs = self._idle.pop() if self._idle else None
        if jobs is None:
            jobs = SimpleQueue()
            Thread(target=self._work, args=[jobs], daemon=True).start()
        jobs.put(job)

    def _work(self, jobs: "SimpleQueue[Job]") -> None:
        while True:
            jobs.get()()
            with self._lock:
                self._idle.append(jobs)

    @property
    def late(self) -> int:
        """How many run beyond their limit."""
        return self._late

    def count(self, late: int) -> None:
        """One more that is late, or one less."""
        with self._lock:
            self._late += late


_threads = _Threads()


def limited(
    handler: Callable[Arguments, Result], *, seconds: float = LIMIT_S
) -> Callable[Arguments, Result]:
    """The handler of an event, which is told to have failed when it takes longer."""

    @wraps(handler)
    def limiting(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        threads = _threads
        if threads.late >= MOST_LATE:
            raise gr.Error(wording.busy_working(RETRY_S), print_exception=False)
        clock, context, answer = _Clock(seconds), copy_context(), Future[Result]()
        context.run(_clock.set, clock)

        def run() -> None:
            try:
                answer.set_result(context.run(handler, *arguments, **named))
            except BaseException as error:  # noqa: BLE001  raised again where it is waited for
                answer.set_exception(error)

        threads.start(run)
        while (left_s := clock.left_s) > 0:
            if wait([answer], timeout=left_s).done:
                return answer.result()
        threads.count(+1)
        answer.add_done_callback(lambda _: threads.count(-1))
        raise gr.Error(wording.late(seconds), print_exception=False)

    return limiting
