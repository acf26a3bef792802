"""The semantic similarity matrix S: how much one tag speaks for another (soft targets, Eq. 7-8).

    S, known = relation(rows, columns)      # from the lexicon, or from the words alone

`online`     (1 + cosine) / 2 of the embeddings in training, as published
`frozen`     cosine, below zero as zero, of the tag encoder as it was before training
`lexicon`    1 where the column's statement is the row's or is implied by it
`identity`   1 where both are the same words
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from focal_app.lexicon import Lexicon, Statement


@dataclass(frozen=True)
class Relation:
    """`similarity` (R, C) in [0, 1]; `known` (R, C) is 0 where a row is silent about a column."""

    similarity: Float[Tensor, "R C"]
    known: Float[Tensor, "R C"]


class Semantics:
    """S between tags by what they mean: their words, or what the lexicon says of them."""

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self.lexicon = lexicon
        self._entry = lru_cache(maxsize=65536)(self._found)

    def _found(self, tag: str) -> tuple[str, Statement | None]:
        statement = self.lexicon.resolve(tag) if self.lexicon else None
        return (statement.tag if statement else tag.strip().lower()), statement

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> Relation:
        """What every row's tag says of every column's.

        A tag implies its ancestors. It is silent about its descendants: a report of "infarction"
        does not deny an inferior one.
        """
        similarity = torch.zeros(len(rows), len(columns))
        known = torch.ones(len(rows), len(columns))
        where = _places(self._entry(tag)[0] for tag in columns)
        for i, tag in enumerate(rows):
            name, statement = self._entry(tag)
            implied, silent = self._reach(name) if statement else ({name}, set())
            similarity[i, [j for one in implied for j in where.get(one, ())]] = 1
            known[i, [j for one in silent for j in where.get(one, ())]] = 0
        return Relation(similarity, known)

    def _reach(self, tag: str) -> tuple[set[str], frozenset[str]]:
        if self.lexicon is None:
            return {tag}, frozenset()
        return {tag, *self.lexicon.ancestors(tag)}, self.lexicon.descendants(tag)


def _places(names) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        places.setdefault(name, []).append(number)
    return places


def of_reports(relation: Relation, reports: Sequence[Sequence[int]]) -> Relation:
    """What a whole report says of every column: the most that one of its tags says.

    `reports` holds each report's rows in `relation`. A column is known where a tag speaks for it
    or no tag leaves it open.
    """
    similarity = torch.stack([relation.similarity[list(r)].amax(0) for r in reports])
    left_open = torch.stack([relation.known[list(r)].amin(0) for r in reports])
    return Relation(similarity, torch.maximum(left_open, (similarity > 0).float()))
