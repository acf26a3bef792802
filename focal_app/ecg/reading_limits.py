"""What reading one recording of a stranger may cost."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """CPU seconds, seconds, and megabytes beyond what an idle process holds.

    The largest files that are allowed take 0.1 to 1.8 s, and less than this memory.
    """

    cpu_s: int = 4
    wall_s: float = 12.0
    memory_mb: int = 300
