"""What a set of tags says about every statement of the lexicon: present, absent or unknown.

A tag implies its ancestors and denies what it excludes. A statement that the source of the
record could have named and did not is absent; about all others the source is silent. A more
specific statement than one that is present stays open, unless its source speaks of it.

Signs (an inverted T wave, say) imply more general signs, but not a class of diagnoses: whether
an inverted T wave in left bundle branch block is called an "ST-T change" is for the source to
say. Where it does not say, the class stays open.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.lexicon import Lexicon

CLASSES = frozenset(
    {"myocardial infarction", "ST-T change", "conduction disturbance", "hypertrophy"}
)
"""The diagnostic superclasses of PTB-XL, other than normal."""

SIGNS_OF_ST_T = frozenset(
    {
        "ST depression",
        "ST elevation",
        "ST segment abnormality",
        "T wave abnormality",
        "inverted T waves",
        "low amplitude T waves",
        "nonspecific T wave change",
        "peaked T waves",
        "prominent U waves",
    }
)


@dataclass(frozen=True)
class Targets:
    """`present` and `known` (R, S) over records and statements, both 0 or 1."""

    present: Float[np.ndarray, "R S"]
    known: Float[np.ndarray, "R S"]


class TargetMaker:
    """Turns tags into targets over `statements`, the tags of the lexicon in their order."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.statements = tuple(lexicon.statements)
        self.index = {tag: i for i, tag in enumerate(self.statements)}
        self.signs = SIGNS_OF_ST_T | {s.tag for s in lexicon if s.group == "waveform"}

    def make(
        self,
        records: Sequence[Collection[str]],
        vocabulary: Collection[str],
        *,
        classes_stated: bool = True,
    ) -> Targets:
        """Targets of records whose source speaks of `vocabulary`.

        `classes_stated`: the source names every class of diagnoses that holds, so that one which
        only a sign suggests is absent; otherwise it is unknown.
        """
        spoken = self._vector(self._implied(vocabulary))
        present = np.stack([self._vector(self._implied(tags)) for tags in records])
        denied = np.stack([self._vector(self._denied(tags)) for tags in records])
        known = np.maximum(np.maximum(present, denied), spoken[None])
        if not classes_stated:
            hinted = np.stack([self._vector(self._hinted(tags)) for tags in records])
            known = np.where((hinted > 0) & (present == 0), 0, known)
        return Targets(present.astype(np.float32), known.astype(np.float32))

    def _implied(self, tags: Collection[str]) -> set[str]:
        implied = set(tags)
        for tag in tags:
            above = self.lexicon.ancestors(tag)
            implied |= above - CLASSES if tag in self.signs else above
        return implied

    def _hinted(self, tags: Collection[str]) -> frozenset[str]:
        above = (self.lexicon.ancestors(tag) for tag in tags if tag in self.signs)
        return CLASSES & set().union(*above)

    def _denied(self, tags: Collection[str]) -> set[str]:
        denied = (self.lexicon.exclusions(tag) for tag in tags)
        return set().union(*denied) - self._implied(tags)

    def _vector(self, tags: Collection[str]) -> np.ndarray:
        vector = np.zeros(len(self.statements), np.float32)
        vector[[self.index[tag] for tag in tags]] = 1
        return vector
