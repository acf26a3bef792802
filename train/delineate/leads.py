"""Leads with known waves: what the delineator is trained on."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True)
class KnownLeads:
    """Prepared leads of one recording: `classes` per sample, 0 where no wave is, -1 where nothing
    is known."""

    signal: Float[np.ndarray, "L S"]
    classes: Int[np.ndarray, "L S"]


def mark(
    row: Int[np.ndarray, " S"], first_s: float, last_s: float, kind: int, rate_hz: float
) -> None:
    """Write one wave into the classes of a lead; both ends belong to it."""
    first, last = np.ceil(first_s * rate_hz - 1e-6), np.floor(last_s * rate_hz + 1e-6)
    row[max(0, int(first)) : max(0, int(last) + 1)] = kind


def blur(
    row: Int[np.ndarray, " S"], at_s: float, reach_s: tuple[float, float], rate_hz: float
) -> None:
    """Forget the classes around a boundary that is not known to the sample."""
    first, last = (round((at_s + edge) * rate_hz) for edge in (-reach_s[0], reach_s[1]))
    row[max(0, first) : max(0, last + 1)] = -1
