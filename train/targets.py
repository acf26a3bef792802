"""What a set of tags says about every statement of the lexicon: present, absent or unknown.

A tag implies its ancestors and denies what it excludes. A statement that the source of the
record could have named and did not is absent; about all others the source is silent. A more
specific statement than one that is present stays open, unless its source speaks of it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.lexicon import Lexicon


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

    def make(self, records: Sequence[Collection[str]], vocabulary: Collection[str]) -> Targets:
        """Targets of records whose source speaks of `vocabulary`."""
        spoken = self._vector(self._closed(vocabulary))
        present = np.stack([self._vector(self._closed(tags)) for tags in records])
        denied = np.stack([self._vector(self._denied(tags)) for tags in records])
        known = np.maximum(np.maximum(present, denied * (1 - present)), spoken[None])
        return Targets(present.astype(np.float32), known.astype(np.float32))

    def _closed(self, tags: Collection[str]) -> set[str]:
        return set(tags).union(*(self.lexicon.ancestors(tag) for tag in tags))

    def _denied(self, tags: Collection[str]) -> set[str]:
        return set().union(*(self.lexicon.exclusions(tag) for tag in tags))

    def _vector(self, tags: Collection[str]) -> np.ndarray:
        vector = np.zeros(len(self.statements), np.float32)
        vector[[self.index[tag] for tag in tags]] = 1
        return vector
