"""What was measured beside a reading, where it was measured at all."""

from dataclasses import dataclass

from focal_app.ecg.measurements import Measurements, Waves
from focal_app.explore.reading.reading import Finding, Reading


@dataclass(frozen=True)
class Remark:
    """What the measurements say of a finding; `contradicted` is None where they decide nothing."""

    sentence: str
    contradicted: bool | None = None


def measurements_of(reading: Reading) -> Measurements | None:
    """The measurements that stand beside a reading."""
    measured = getattr(reading, "measured", None)
    return None if measured is None else measured.measurements


def waves_of(reading: Reading) -> Waves | None:
    """The waves that the measurements come from."""
    measured = getattr(reading, "measured", None)
    return None if measured is None else measured.waves


def remark_of(finding: Finding) -> Remark | None:
    """What was measured about a finding."""
    sentence = getattr(finding, "measured", None)
    return Remark(sentence, getattr(finding, "contradicted", None)) if sentence else None
