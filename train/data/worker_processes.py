"""Processes beside the one that trains, which read and draw recordings.

    with mapping(8, __name__) as mapped:
        for made in mapped(make, parts): ...

They are forked from one that has imported what they need and did nothing else: so many start in the
time of one, share its memory, and inherit no thread of the caller (torch's, a progress bar's).
"""

import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from queue import SimpleQueue
from typing import Any

from focal_app.errors import ConfigError

FEW = 100
"""Other processes take as long to import what they need as this one to read so many recordings."""

AHEAD = 4
"""So many chunks for every process are read before the first is asked for."""

_Make = Callable[..., Any]


def clean_processes(*modules: str) -> ForkServerContext:
    """How they are started, once these modules are imported."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", *modules])
    return context


@contextmanager
def mapping(
    workers: int, *modules: str, chunk: int = 1
) -> Iterator[Callable[[_Make, Iterable[Any]], Iterable[Any]]]:
    """`map` by so many processes, `chunk` items at a time, in order; by this one if one is enough.

    The processes have imported `modules`. One that is ended is a `ConfigError`: each has a pipe of
    its own, since in one that all share (`Pool`, `ProcessPoolExecutor`) the others and this process
    would wait for ever for the rest of what it was writing.
    """
    if workers < 2:
        yield map
        return
    context = clean_processes(*modules)
    idle: SimpleQueue[Connection] = SimpleQueue()
    processes = []
    for _ in range(workers):
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        processes.append(process)
        idle.put(ours)
    with ThreadPoolExecutor(workers) as asking:
        try:
            yield partial(_in_turn, asking, partial(_asked, idle), workers * AHEAD, chunk)
        finally:
            for process in processes:
                process.terminate()
            asking.shutdown(cancel_futures=True)


def _in_turn(
    asking: ThreadPoolExecutor,
    ask: Callable[[_Make, list[Any]], list[Any]],
    ahead: int,
    chunk: int,
    make: _Make,
    items: Iterable[Any],
) -> Iterator[Any]:
    """What is made of the items, in their order; so many chunks are asked for ahead."""
    left, asked = iter(items), deque[Future[list[Any]]]()
    while True:
        while len(asked) < ahead and (part := list(islice(left, chunk))):
            asked.append(asking.submit(ask, make, part))
        if not asked:
            return
        yield from asked.popleft().result()


def _asked(idle: SimpleQueue[Connection], make: _Make, part: list[Any]) -> list[Any]:
    """What a process that is idle makes of a part."""
    process = idle.get()
    try:
        process.send((make, part))
        made, error = process.recv()
    except (EOFError, OSError):
        raise ConfigError(
            "found a process that reads recordings ended before its work was, as a system without "
            "memory left ends them; run the same command again, with fewer --workers"
        ) from None
    finally:
        idle.put(process)
    if error:
        raise error
    return made


def _serve(asker: Connection) -> None:
    """Answer until nobody asks. Ctrl-C reaches this process too; the one that asks says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            make, part = asker.recv()
            made: list[Any] = []
            error: Exception | None = None
            try:
                made = [make(item) for item in part]
            except Exception as raised:  # noqa: BLE001 - it is raised again where it is asked for
                raised.add_note(traceback.format_exc())
                error = raised
            asker.send((made, error))


def default_workers(recordings: int = FEW) -> int:
    """The cores that this process may use, shared with the others that torchrun started here; for
    fewer than `FEW` recordings this one alone.
    """
    if recordings < FEW:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
