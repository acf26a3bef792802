"""How many processes read recordings beside one that trains."""

import os


def default_workers() -> int:
    """The cores that this process may use, shared with the others that torchrun started here."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
