"""Processes beside the one that trains, which read and draw recordings.

    with mapping(8, __name__) as mapped:
        for made in mapped(make, parts): ...

They are forked from one that has imported what they need and did nothing else: so many start in the
time of one, share its memory, and inherit no thread of the caller (torch's, a progress bar's).
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from typing import Any

FEW = 100
"""Other processes take as long to import what they need as this one to read so many recordings."""


def clean_processes(*modules: str) -> ForkServerContext:
    """How they are started, once these modules are imported."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", *modules])
    return context


@contextmanager
def mapping(
    workers: int, *modules: str, chunk: int = 1
) -> Iterator[Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]]:
    """`map` by so many processes, `chunk` items at a time, in order; by this one if one is enough.

    The processes have imported `modules`.
    """
    if workers < 2:
        yield map
        return
    with clean_processes(*modules).Pool(workers) as pool:
        yield partial(pool.imap, chunksize=chunk)


def default_workers(recordings: int = FEW) -> int:
    """The cores that this process may use, shared with the others that torchrun started here; for
    fewer than `FEW` recordings this one alone.
    """
    if recordings < FEW:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
