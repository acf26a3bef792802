"""What was measured beside a reading, where it was measured at all."""

from focal_app.ecg.measurements import Measurements, Waves
from focal_app.explore.measured.unnamed import Unnamed, unnamed
from focal_app.explore.reading.reading import Reading


def measurements_of(reading: Reading) -> Measurements | None:
    """The measurements that stand beside a reading."""
    return reading.measured.measurements if reading.measured else None


def spikes_seen(reading: Reading) -> bool | None:
    """Whether spikes of a pacemaker were seen, None where none could be."""
    return reading.measured.spikes_seen if reading.measured else None


def unrelated_p_per_min(reading: Reading) -> float | None:
    """The rate of P waves that stand in no relation to QRS, None where there may be one."""
    found = reading.measured.unrelated_p_per_min if reading.measured else None
    return None if found is None else round(found, 1)


def early_beats(reading: Reading) -> dict[str, float | None] | None:
    """The beats that come early, as plain values; None where none could be told to, or not to."""
    found = reading.measured.early if reading.measured else None
    return found and {name: value and round(value, 1) for name, value in vars(found).items()}


def waves_of(reading: Reading) -> Waves | None:
    """The waves that the measurements come from."""
    return reading.measured.waves if reading.measured else None


def unnamed_of(reading: Reading) -> tuple[Unnamed, ...]:
    """What is measured out of the ordinary, and no likely, uncontradicted finding accounts for."""
    standing = [one for one in reading.findings if one.likely and not one.contradicted]
    return unnamed(reading.measured, [one.prompt for one in standing])
