"""Memory is held for what needs it: few pools for many threads, and what is free is given back."""

import ctypes
import sys
from functools import cache

M_ARENA_MAX, POOLS = -8, 2
"""The name of the setting in glibc's malloc.h, and its value."""


def share_memory() -> bool:
    """Whether threads now share their pools; to be called before threads are started.

    Each thread that reads would keep what it once needed, so that memory grows with every further
    visitor whose question waits at the same time.
    """
    library = _glibc()
    return library is not None and bool(library.mallopt(M_ARENA_MAX, POOLS))


def give_back_memory() -> None:
    """Gives the system what is free: else up to 64 MB of a busy moment stay, or not, by chance."""
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    """The C library of most Linux systems; others have neither such pools nor such a call."""
    if sys.platform != "linux":
        return None
    try:
        library = ctypes.CDLL("libc.so.6")
    except OSError:
        return None
    return library if hasattr(library, "malloc_trim") else None
