"""What reading one recording of a stranger may cost."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """CPU seconds, seconds, and megabytes beyond what an idle process holds.

    The largest file that is allowed takes 0.5 s and 200 MB.
    """

    cpu_s: int = 4
    wall_s: float = 12.0
    memory_mb: int = 300
