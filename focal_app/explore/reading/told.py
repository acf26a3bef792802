"""What a reading tells of statements, made of the model's own probabilities and of measurements.

    telling = Telling(combination)
    telling.told(["hypertrophy", *telling.beside("hypertrophy")], own, found)

Where measurements were shown to help they join. A sinus bradycardia is told as the product of
sinus rhythm and bradycardia, and so are others that are two things at once. A statement is told as
at least as probable as every narrower one that measurements may join: who shows left ventricular
hypertrophy shows hypertrophy. A normal ECG is told as what other findings leave, an abnormal one as
the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float
from scipy.special import expit, logit

from focal_app.ecg.measured import Valued
from focal_app.explore.reading.normal import ABNORMAL, KINDS, NORMAL, left
from focal_app.model.combination import Combined, joined_under, parts_of, together

_CERTAIN = (1e-6, 1 - 1e-6)
_ROUNDING = 1e-6
"""A difference that no measurement makes."""


@dataclass(frozen=True)
class Telling:
    """By statement, how its probability is made of the model's and of measurements."""

    combination: Mapping[str, Combined] = field(default_factory=dict)

    def beside(self, statement: str) -> tuple[str, ...]:
        """What has to be scored too before a statement can be told."""
        kinds = KINDS if statement in (NORMAL, ABNORMAL) else ()
        under = [
            one
            for broad in (statement, *kinds)
            for bears in (joined_under, parts_of)
            for one in bears(broad, self.combination)
        ]
        return tuple(dict.fromkeys((*kinds, *under)))

    def told(
        self, statements: Sequence[str], own: Float[np.ndarray, "n K"], found: Sequence[Valued]
    ) -> Float[np.ndarray, "n K"]:
        """The probabilities of statements in n ECGs from the model's `own`.

        As a reading tells them where all that is `beside` a statement is among the statements.
        """
        each = own.copy()
        for column, words in enumerate(statements):
            if words in self.combination:
                both = self._joined(words, own[:, column], found)
                says = np.abs(both - own[:, column]) > _ROUNDING
                each[:, column] = np.where(says, both, own[:, column])
        told = together(statements, each, self.combination)
        if set(KINDS) <= set(statements):
            normal = left(told[:, [statements.index(kind) for kind in KINDS]])[:, None]
            told[:, [words == NORMAL for words in statements]] = normal
            told[:, [words == ABNORMAL for words in statements]] = 1 - normal
        return told

    def _joined(
        self, words: str, own: Float[np.ndarray, " n"], found: Sequence[Valued]
    ) -> Float[np.ndarray, " n"]:
        """NaN where nothing of it was measured."""
        sure = logit(np.clip(own, *_CERTAIN)).tolist()
        both = [self.combination[words].log_odds(*pair) for pair in zip(sure, found, strict=True)]
        return expit(np.array([np.nan if one is None else one for one in both], float))
