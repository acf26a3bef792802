"""Few pools of memory for many threads, where the system would give each thread its own."""

import ctypes
import sys

M_ARENA_MAX, POOLS = -8, 2
"""The name of the setting in glibc's malloc.h, and its value."""


def share_memory() -> bool:
    """Whether it could be set: by glibc, before threads are started.

    Each thread that reads would keep what it once needed, so that memory grows with every further
    visitor whose question waits at the same time.
    """
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, POOLS))
    except (OSError, AttributeError):  # another C library, which has no such pools
        return False
