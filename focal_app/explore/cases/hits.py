"""What a search or a comparison gives back: cases, nearest first, and why each is there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from focal_app.explore.cases.gallery.case import Case
from focal_app.explore.cases.reasons import Reasons
from focal_app.explore.reading.reading import IMPROBABLE, percent


@dataclass(frozen=True)
class TermScore:
    """One term of a text search against one case.

    `weights` (L, N_time) is its heatmap: 1 is the even share, NaN a patch that took no part. Words
    that are no known term have no calibrated `probability`.
    """

    text: str
    wanted: bool
    probability: float | None
    weights: Float[np.ndarray, "L N_time"]


@dataclass(frozen=True)
class Hit:
    """A case that was found; the list is ordered by `score`, the highest first.

    `why` names findings as tags of the lexicon: wanted ones that are likely in the case, or, of a
    comparison, the one that was asked and then those that both ECGs share. `case_weights` and
    `query_weights` (L, N_time) tint what matched: 1 is the even share, NaN a patch that took no
    part; a text query has no weights. `probability` is set where a prompt is involved: of that
    prompt in the case, or, for several terms, that all wanted ones hold and no unwanted one.
    `measured` says what was asked of the measurements of the case, `labelled` whether its labels
    say what was searched for, None where they cannot. Of a comparison, `reasons` say what both
    share and what tells them apart, and `closer_than` the share of random pairs of cases that are
    less alike, where no prompt is involved.
    """

    case: Case
    score: float
    why: tuple[str, ...]
    case_weights: Float[np.ndarray, "L N_time"]
    query_weights: Float[np.ndarray, "L N_time"] | None = None
    probability: float | None = None
    terms: tuple[TermScore, ...] = ()
    measured: tuple[str, ...] = ()
    labelled: bool | None = None
    closer_than: float | None = None
    reasons: Reasons | None = None

    @property
    def figure(self) -> str:
        """How near it is: its probability, or how many of 100 random pairs are less alike.

        As "83 %" and "98 of 100"; empty for a search by words that are no known term.
        """
        if self.probability is not None:
            return percent(self.probability)
        return "" if self.closer_than is None else f"{int(100 * self.closer_than)} of 100"

    @property
    def improbable(self) -> bool:
        """Whether what tints the case is improbable in it: the first wanted term, or the finding.

        A likeness is no probability, and never improbable.
        """
        tinting = next((term for term in self.terms if term.wanted), None)
        probability = tinting.probability if tinting else self.probability
        return probability is not None and probability < IMPROBABLE


def hits_document(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """Hits as plain values for JSON, in their order, without heatmaps."""
    return [_document(hit, rank) for rank, hit in enumerate(hits, 1)]


def _document(hit: Hit, rank: int) -> dict[str, Any]:
    case = hit.case
    known = ("key", "labels", "report", "sex", "age_years", "source", "licence", "trained")
    written = {
        "rank": rank,
        **{name: getattr(case.facts, name) for name in known},
        "labels": list(case.facts.labels),
        "score": round(hit.score, 6),
        "why": list(hit.why),
    }
    if hit.probability is not None:
        written["probability"] = round(hit.probability, 6)
    if hit.labelled is not None:
        written["labelled"] = hit.labelled
    if hit.closer_than is not None:
        written["closer_than"] = round(hit.closer_than, 4)
    if hit.reasons:
        found = hit.reasons
        written["alike"] = list(found.alike)
        written["differs"] = {
            "yours_alone": list(found.yours),
            "theirs_alone": list(found.theirs),
            "measured": list(found.apart),
        }
    if hit.measured:
        written["measured"] = list(hit.measured)
    if hit.terms:
        written["terms"] = [
            {
                "text": one.text,
                "wanted": one.wanted,
                "probability": None if one.probability is None else round(one.probability, 6),
            }
            for one in hit.terms
        ]
    return written
