"""An ECG with the limb leads that follow from two others, and what is asked of its leads once."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from jaxtyping import Bool, Float

from focal_app.ecg.beatless import beatless_rows
from focal_app.ecg.gaps import clipped_rows, fill_gaps, flat_rows
from focal_app.ecg.leads import listed, ordered_by_name
from focal_app.ecg.recording import ECG, LEADS

LIMB_COEFFICIENTS = {
    "I": (1.0, 0.0),
    "II": (0.0, 1.0),
    "III": (-1.0, 1.0),
    "aVR": (-0.5, -0.5),
    "aVL": (1.0, -0.5),
    "aVF": (-0.5, 1.0),
}
"""Each limb lead as a sum of I and II: Einthoven's law (III = II - I) and Goldberger's leads."""

_KEPT_PARTS = 2
"""A window, and the same with what lies beside it, which filters need."""

_PREFERRED_SOURCES = ("I", "II", "III", "aVF", "aVL", "aVR")


@dataclass(frozen=True)
class CompleteECG(ECG):
    """An ECG as everything after the reader takes it; `completed` makes one, once a recording.

    The standard leads in the order of `LEADS`, and every limb lead that two recorded ones
    determine; those are `derived`, and no file held them.
    """

    derived: tuple[str, ...] = ()

    @cached_property
    def flat(self) -> Bool[np.ndarray, " L"]:
        """Which leads hold no ECG."""
        return flat_rows(self.signal_mv)

    @cached_property
    def bridged_mv(self) -> Float[np.ndarray, "L T"]:
        """The signal with every gap interpolated, however long it is."""
        return fill_gaps(self.signal_mv, self.sampling_rate_hz, maximum_gap_s=0.0).signal_mv

    @cached_property
    def clipped(self) -> Bool[np.ndarray, " L"]:
        """Which leads are cut off at an extreme value."""
        return clipped_rows(self.bridged_mv, self.sampling_rate_hz)

    @cached_property
    def beatless(self) -> Bool[np.ndarray, " L"]:
        """Which leads hold noise in place of the beats of the others, or derive from such."""
        own = np.isin(self.leads, self.recorded)
        found = np.zeros(len(self.leads), dtype=bool)
        found[own] = beatless_rows(self.signal_mv[own], self.sampling_rate_hz, flat=self.flat[own])
        return self.with_derived(found)

    def with_derived(self, found: Bool[np.ndarray, " L"]) -> Bool[np.ndarray, " L"]:
        """These leads, and where a limb lead is among them, those that derive from limb leads."""
        derived, limb = (
            np.isin(self.leads, names) for names in (self.derived, [*LIMB_COEFFICIENTS])
        )
        return found | (derived & (found & limb & ~derived).any())

    def part(self, from_s: float, to_s: float) -> Self:
        """What lies between two times; its own time begins there.

        All that is asked of a window asks the same part, so that its leads are judged once. Few are
        kept: a recording of half an hour has hundreds.
        """
        first, last = (round(at_s * self.sampling_rate_hz) for at_s in (from_s, to_s))
        if first == 0 and last >= self.signal_mv.shape[1]:
            return self
        kept = vars(self).setdefault("_parts", {})
        found = kept.get((first, last))
        if found is None:
            found = kept[first, last] = replace(self, signal_mv=self.signal_mv[:, first:last])
            for old in list(kept)[:-_KEPT_PARTS]:
                kept.pop(old, None)
        return found

    @property
    def recorded(self) -> tuple[str, ...]:
        """The leads that were recorded."""
        return tuple(lead for lead in self.leads if lead not in self.derived)


def completed(ecg: ECG) -> CompleteECG:
    """An ECG with every missing limb lead that two recorded ones determine exactly.

    The six limb leads span a plane (`LIMB_COEFFICIENTS`), so that any two of them give the
    other four: Einthoven for I, II and III, Goldberger for aVR, aVL and aVF. A flat lead is no
    source, and recorded leads are never changed. Chest leads follow from nothing.
    """
    if isinstance(ecg, CompleteECG):
        return ecg
    ecg = ordered_by_name(ecg)
    recorded = CompleteECG(**vars(ecg))
    missing = tuple(lead for lead in LIMB_COEFFICIENTS if lead not in ecg.leads)
    flat = dict(zip(ecg.leads, recorded.flat, strict=True)) if missing else {}
    sources = [lead for lead in _PREFERRED_SOURCES if not flat.get(lead, True)][:2]
    if len(sources) < 2:
        return recorded
    basis = np.array([LIMB_COEFFICIENTS[lead] for lead in sources])
    wanted = np.array([LIMB_COEFFICIENTS[lead] for lead in missing])
    rows = ecg.signal_mv[[ecg.leads.index(lead) for lead in sources]]
    derived = (wanted @ np.linalg.inv(basis)) @ rows.astype(np.float64)
    leads = (*ecg.leads, *missing)
    order = sorted(range(len(leads)), key=lambda row: LEADS.index(leads[row]))
    note = f"Derived {listed(missing)} from {listed(sources)} (Einthoven, Goldberger)."
    return replace(
        recorded,
        signal_mv=np.concatenate([ecg.signal_mv, derived.astype(np.float32)])[order],
        leads=tuple(leads[row] for row in order),
        notes=(*ecg.notes, note),
        derived=missing,
    )
