"""A reading: what the model finds in one window of one ECG, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measured import Measured
from focal_app.explore.measured.unnamed import Unnamed, unnamed
from focal_app.explore.reading.checkpoint_card import HeldOut
from focal_app.explore.reading.heatmap import Heatmap

LIKELY, FEW = 0.5, 3
"""From this probability on a finding is told as likely; so few are told where none reaches it."""
MODEL, MODEL_AND_MEASUREMENTS = "model", "model and measurements"
LEFT = "what other findings leave"
RAISED = "percentage of a narrower finding"
IMPROBABLE = 0.1
"""Below this probability a heatmap shows only the least unlikely place."""


def percent(probability: float) -> str:
    """A probability as a whole percentage; none claims certainty, or a bound it does not reach."""
    if probability < 0.01:
        return "<1 %"
    if probability > 0.99:
        return ">99 %"
    whole = round(100 * probability)
    short = whole in (100 * IMPROBABLE, 100 * LIKELY) and probability < whole / 100
    return f"{whole - short} %"


@dataclass(frozen=True)
class Finding:
    """One prompt against one ECG.

    `similarity` is the cosine of the prompt and its routed ECG embedding, in [-1, 1];
    `probability` what is told, in [0, 1]: the model's own, calibrated, or where `model_probability`
    keeps that one, what is made of it and of measurements, or 1 less the probability of the finding
    `left_by`, or that of the narrower finding that it is `raised_by`. `weights`
    (L, N_time) is the transport plan times the number of patches: 1 is the even share, NaN a patch
    without signal.
    `measured` says what was measured that bears on it, `contradicted` whether that refutes it
    (False: supports it); None where there is nothing, or it decides nothing. `held_out` says how
    well the model told this finding on recordings that it was not trained on, where that is known.
    """

    prompt: str
    group: str
    similarity: float
    probability: float
    weights: Float[np.ndarray, "L N_time"]
    measured: str | None = None
    contradicted: bool | None = None
    held_out: HeldOut | None = None
    model_probability: float | None = None
    left_by: str | None = None
    raised_by: str | None = None

    @property
    def own_probability(self) -> float:
        """The model's own by its own prompt, whatever is told."""
        return self.probability if self.model_probability is None else self.model_probability

    @property
    def made_of(self) -> str:
        """What the probability is made of, in words."""
        if self.left_by:
            return LEFT
        if self.raised_by:
            return RAISED
        return MODEL if self.model_probability is None else MODEL_AND_MEASUREMENTS

    @property
    def likely(self) -> bool:
        """Whether it is told as likely."""
        return self.probability >= LIKELY

    @property
    def improbable(self) -> bool:
        """Whether its heatmap must not look like that of something found."""
        return self.probability < IMPROBABLE


@dataclass(frozen=True)
class RecordFacts:
    """What is known of a recording without its signal, None where the file does not say."""

    format: str
    sampling_rate_hz: float
    duration_s: float
    leads: tuple[str, ...]
    age_years: int | None
    sex: str | None
    device: str | None = None
    filters: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()

    @classmethod
    def of(cls, ecg: CompleteECG) -> Self:
        """The facts of an ECG; its leads are those that were recorded."""
        source = ecg.source
        known = (source.format, ecg.sampling_rate_hz, ecg.duration_s, ecg.recorded)
        cart = (source.device, source.filters, source.statements)
        return cls(*known, source.age_years, source.sex, *cart)


@dataclass(frozen=True)
class Reading:
    """All prompts against one window of an ECG, in the order in which they were asked.

    `edges_s` (N_time + 1) bounds the columns of every heatmap, in seconds from the start of the
    recording. The signal stays with whoever asked.
    """

    record: RecordFacts
    start_s: float
    edges_s: Float[np.ndarray, " edges"]
    findings: tuple[Finding, ...]
    warnings: tuple[str, ...]
    measured: Measured
    not_read: str | None = None
    """Why the model did not read a recording that can be drawn; then there are no findings."""

    def heatmap(self, finding: Finding) -> Heatmap:
        """Where one of the findings shows."""
        return Heatmap(finding.weights, self.edges_s)

    @property
    def window_s(self) -> tuple[float, float]:
        """Start and end of what was read, in seconds of the recording."""
        end_s = min(float(self.edges_s[-1]), self.record.duration_s)
        return round(self.start_s, 3), round(end_s, 3)

    @property
    def unnamed(self) -> tuple[Unnamed, ...]:
        """What is measured out of the ordinary, and no standing likely finding accounts for."""
        standing = [one for one in self.findings if one.likely and not one.contradicted]
        return unnamed(self.measured, [one.prompt for one in standing])


def most_probable(findings: Sequence[Finding]) -> list[Finding]:
    """What is likely, or the few likeliest where nothing is; the likeliest first."""
    ordered = sorted(findings, key=lambda finding: -finding.probability)
    return [one for one in ordered if one.likely] or ordered[:FEW]
