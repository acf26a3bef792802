"""Measurements beside a checkpoint, on recordings that neither it nor the curves have seen.

A curve is fitted on the ruler's scores of the records on which the checkpoint was trained, and
joins the checkpoint's own scores of the others.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Bool

from focal_app.ecg.measured import Measured
from focal_app.model.combination import Combined
from focal_app.model.focal import Focal
from train.benchmark.combined import Judged, Rows, compared, curve_of, joined, rows_of, told
from train.benchmark.out_of_fold import Scores, pooled, scored
from train.benchmark.ruler import Column, Figures, figures, gains
from train.data.shards import Shards
from train.fit.combination import candidates, terms_of


@dataclass(frozen=True)
class Part:
    """Records of one group of a ruler: its scores, what was measured, what the checkpoint says.

    `new` are those of whose patients the checkpoint has seen none.
    """

    ruler: Scores
    measured: tuple[Measured, ...]
    own: Scores
    new: Bool[np.ndarray, " R"]

    @classmethod
    def of(
        cls, model: Focal, shards: Shards, ruler: Scores, measured: tuple[Measured, ...]
    ) -> Self:
        """Those of the test split of some shards, by a checkpoint that keeps whom it has seen."""
        assert model.seen is not None
        known = model.seen.trained_on(one.patient for one in ruler.records)
        own = scored(model, [shards], split="test", group=0)
        return cls(ruler, measured, own, ~np.array(known, bool))

    def taught(self, name: str) -> Rows:
        """What teaches the curve of a statement."""
        return rows_of(self.ruler, self.measured, name, terms_of(name)).of(~self.new)

    def asked(self, name: str) -> Rows:
        """What is judged by it."""
        return rows_of(self.own, self.measured, name, terms_of(name)).of(self.new)


def judged_unseen(parts: Sequence[Part], statements: Collection[str]) -> Iterator[Judged]:
    """Each statement that enough of the unseen records have, and lack."""
    for name in statements:
        taught, asked = [one.taught(name) for one in parts], [one.asked(name) for one in parts]
        if found := compared(name, taught, asked, candidates()[name]):
            yield found


def gained_unseen(
    parts: Sequence[Part],
    curves: Mapping[str, Combined],
    columns: Callable[[Scores], Sequence[Column]],
) -> tuple[Figures, Figures]:
    """AUC of every finding of PTB-XL's sets as it is told, and by how much that is more."""
    own = pooled([one.own.of(one.new.tolist()) for one in parts])
    both = own.log_odds.copy()
    for name in curves:
        curve = curve_of(name, joined([one.taught(name) for one in parts]))
        rows = joined([one.asked(name) for one in parts])
        both[:, own.names.index(name)] = rows.both(curve)
    after = told(Scores(own.names, own.records, both), curves)
    asked = columns(own)
    return figures(after, asked), gains(own, after, asked)
