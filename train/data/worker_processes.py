"""Processes beside the one that trains, which read and draw recordings.

    with clean_processes(__name__).Pool(8) as pool: ...

They are forked from one that has imported what they need and did nothing else: so many start in the
time of one, share its memory, and inherit no thread of the caller (torch's, a progress bar's).
"""

import os
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext


def clean_processes(*modules: str) -> ForkServerContext:
    """How they are started, once these modules are imported."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", *modules])
    return context


def default_workers() -> int:
    """The cores that this process may use, shared with the others that torchrun started here."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
