"""When what happens, as shares of the time; and the faults that a reading may meet."""

from dataclasses import dataclass

KILL = 0.12
"""Of the whole time. What follows is a share of the time that is left after the start."""


@dataclass(frozen=True)
class Stretch:
    """A fault from `first` to `last`; readings may fail in it only where `hurts`."""

    name: str
    first: float
    last: float
    hurts: bool = True


FAULTS = (
    Stretch("a slow language model", 0.32, 0.42, hurts=False),
    Stretch("a dead language model", 0.42, 0.48, hurts=False),
    Stretch("a full disk", 0.50, 0.60),
    Stretch("memory pressure", 0.64, 0.74),
)
GRACE_S = 5.0
"""What began in a fault may still fail so long after it."""
