"""Processes beside the one that trains, which read and draw recordings.

    with mapping(8, __name__) as mapped:
        for made in mapped(make, parts): ...

They are forked from one that has imported what they need and did nothing else: so many start in the
time of one, share its memory, and inherit no thread of the caller (torch's, a progress bar's). They
import the script that asks, which begins under `if __name__ == "__main__"` for that.
"""

import os
import pickle
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
    # Ctrl-C reaches them too, and would end the one that they are forked from while it imports.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            idle.put(ours)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
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
    wanted = pickle.dumps((make, part))
    process = idle.get()
    try:
        process.send_bytes(wanted)
        answer = process.recv_bytes()
    except (EOFError, OSError):
        raise ConfigError(
            "found a process that reads recordings ended before its work was, as a system without "
            "memory left ends them; run the same command again, with fewer --workers"
        ) from None
    finally:
        idle.put(process)
    made, error = pickle.loads(answer)  # noqa: S301 - of a process that this one has started
    if error:
        raise error
    return made


def _serve(asker: Connection) -> None:
    """Answer until nobody asks. Ctrl-C reaches this process too; the one that asks says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            asker.send_bytes(_answer(asker.recv_bytes()))


def _answer(wanted: bytes) -> bytes:
    """What is made of a part, or the error, which is raised again where it was asked for."""
    try:
        make, part = pickle.loads(wanted)  # noqa: S301 - of the process that has started this one
        return pickle.dumps(([make(item) for item in part], None))
    except Exception as raised:  # noqa: BLE001
        said = traceback.format_exc()
        raised.add_note(said)
        try:
            answer = pickle.dumps(([], raised))
            pickle.loads(answer)  # noqa: S301 - an error may not come back from what it was put into
        except Exception:  # noqa: BLE001
            answer = pickle.dumps(([], RuntimeError(said)))
        return answer


def default_workers(recordings: int = FEW) -> int:
    """The cores that this process may use, shared with the others that torchrun started here; for
    fewer than `FEW` recordings this one alone.
    """
    if recordings < FEW:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
