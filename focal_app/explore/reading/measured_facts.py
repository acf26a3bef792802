"""What was measured beside a reading, as plain values."""

from focal_app.explore.measured.unnamed import Unnamed, unnamed
from focal_app.explore.reading.reading import Reading


def unrelated_p_per_min(reading: Reading) -> float | None:
    """The rate of P waves that stand in no relation to QRS, None where there may be one."""
    found = reading.measured.unrelated_p_per_min
    return None if found is None else round(found, 1)


def early_beats(reading: Reading) -> dict[str, float | None] | None:
    """The beats that come early, as plain values; None where none could be told to, or not to."""
    found = reading.measured.early
    return found and {name: value and round(value, 1) for name, value in vars(found).items()}


def unnamed_of(reading: Reading) -> tuple[Unnamed, ...]:
    """What is measured out of the ordinary, and no likely, uncontradicted finding accounts for."""
    standing = [one for one in reading.findings if one.likely and not one.contradicted]
    return unnamed(reading.measured, [one.prompt for one in standing])
