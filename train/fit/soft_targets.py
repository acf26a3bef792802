"""What a report says of every tag that is asked: the semantic similarity S (Eq. 7-8), and silence.

Where S comes from is a choice of the recipe:

`online`          (1 + cosine) / 2 of the embeddings in training, without dropout
`online-dropout`  the same of the very embeddings of the step, dropout included, as published
`frozen`          cosine, below zero as zero, of the tag encoder as it was before training
`lexicon`         1 where the lexicon says that a tag of the report is, or implies, what is asked
`identity`        1 where a tag of the report is what is asked, in the same words

The first three follow from embeddings alone (`train.fit.objective`); this file makes the others.
Tags become numbers once a run, and all that the lexicon says of two statements lies in tables, so
that a step of training looks nothing up.

A tag implies its ancestors and denies what it excludes. Signs (an inverted T wave, say) imply more
general signs, but not a class of diagnoses: whether an inverted T wave in left bundle branch block
is called an "ST-T change" is for the source to say. Where it does not, the class stays open.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from focal_app.lexicon import Lexicon
from train.fit.phrases import Phrases

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
class Speech:
    """Of what a data set speaks: `statements` that it could have named, None where of anything.

    What it names not is then absent; about all else it is silent. `classes_stated`: it names every
    class of diagnoses that holds, so that one which only a sign suggests is absent, not open.
    """

    statements: Collection[str] | None = None
    classes_stated: bool = False


@dataclass(frozen=True)
class Relation:
    """`similarity` (R, C) in [0, 1]; `known` (R, C) is 0 where a row is silent about a column."""

    similarity: Float[Tensor, "R C"]
    known: Float[Tensor, "R C"]


@dataclass(frozen=True)
class Tags:
    """Tags (K,) of rows: their meanings, whose they are, and whether they are only suspected."""

    entries: Int[Tensor, " K"]
    owner: Int[Tensor, " K"]
    hedged: Bool[Tensor, " K"]


@dataclass(frozen=True)
class Vocabulary:
    """Every wording of a run by number, and what each means.

    `entries` (V,) numbers meanings: below S the statements of the lexicon in their order, from S
    on words that it does not know. Without a lexicon every wording is a meaning of its own.
    """

    names: tuple[str, ...]
    entries: Int[np.ndarray, " V"]
    statements: int

    @classmethod
    def of(cls, names: Iterable[str], lexicon: Lexicon | None) -> "Vocabulary":
        """The vocabulary of these wordings, each once, in alphabetical order."""
        unique = tuple(sorted(set(names)))
        numbers = {tag: i for i, tag in enumerate(lexicon.statements)} if lexicon else {}
        statements, entries = len(numbers), []
        for name in unique:
            statement = lexicon.resolve(name) if lexicon else None
            meaning = statement.tag if statement else name.strip().lower()
            entries.append(numbers.setdefault(meaning, len(numbers)))
        return cls(unique, np.asarray(entries, np.int64), statements)

    @property
    def meanings(self) -> tuple[str, ...]:
        """A wording of every meaning outside the lexicon, in the order of their numbers."""
        free = {int(e): n for n, e in zip(self.names, self.entries, strict=True)}
        return tuple(free[e] for e in sorted(free) if e >= self.statements)

    def numbers(self, names: Sequence[str]) -> Int[np.ndarray, " K"]:
        """The numbers of wordings that are part of the vocabulary."""
        return np.searchsorted(np.asarray(self.names, object), np.asarray(names, object))


class Knowledge:
    """What tags say of statements, as tables (S + 1, S + 1); the last row and column are empty.

    `spoken` (sources, S + 1) holds of what each data set speaks.
    """

    def __init__(self, lexicon: Lexicon | None, speeches: Sequence[Speech]) -> None:
        self.phrases: Phrases | None = None
        told = lexicon or Lexicon({})
        tags = tuple(told.statements)
        self.statements = len(tags)
        row = {tag: i for i, tag in enumerate(tags)}

        def table(said) -> Tensor:
            made = torch.zeros(len(tags) + 1, len(tags) + 1)
            for tag in tags:
                made[row[tag], [row[other] for other in said(tag)]] = 1
            return made

        implied = _implied_by(told)
        self.implies = table(lambda tag: implied[tag])
        self.denies = table(told.exclusions)
        self.below = table(told.descendants)
        self.hints = table(lambda tag: told.ancestors(tag) - implied[tag])
        self.free = torch.tensor([lexicon is None or one.statements is None for one in speeches])
        self.classes_stated = torch.tensor([one.classes_stated for one in speeches])
        self.spoken = torch.ones(len(speeches), len(tags) + 1)
        for number, one in enumerate(speeches):
            if lexicon is not None and one.statements is not None:
                above = {other for tag in one.statements for other in implied[tag]}
                self.spoken[number] = 0
                self.spoken[number, [row[tag] for tag in above]] = 1

    def to(self, device: torch.device) -> "Knowledge":
        """The tables on a device; they are moved once."""
        for name, value in vars(self).items():
            if isinstance(value, (Tensor, Phrases)):
                setattr(self, name, value.to(device))
        return self

    def asked(self, vocabulary: Vocabulary) -> Int[np.ndarray, " A"]:
        """The statements about which a data set, or a tag of the vocabulary, says anything."""
        used = vocabulary.entries[vocabulary.entries < self.statements]
        limited = self.spoken[~self.free].amax(0) if (~self.free).any() else self.spoken[0] * 0
        said = limited + self.implies[used].sum(0) + self.denies[used].sum(0)
        return said[:-1].nonzero().flatten().numpy()

    def of(
        self,
        entries: Int[Tensor, " K"],
        owner: Int[Tensor, " K"],
        source: Int[Tensor, " R"],
        columns: Int[Tensor, " C"],
    ) -> Relation:
        """What rows say of columns: each row owns some of the K tags, and comes from a source.

        `entries` and `columns` are meanings, as a `Vocabulary` numbers them. A meaning outside the
        lexicon is present where it is said, and absent elsewhere if the source speaks of anything;
        with `phrases` also present where a row says it in other words, and unknown where it may.
        """
        last = self.statements
        held = torch.zeros(len(source), last + 1, device=entries.device)
        held[owner, entries.clamp(max=last)] = 1
        held = held * (torch.arange(last + 1, device=held.device) < last)
        present, denied = held @ self.implies > 0, held @ self.denies > 0
        left_open = (held @ self.below > 0) & self.free[source][:, None]
        hinted = (held @ self.hints > 0) & ~self.classes_stated[source][:, None]
        known = (self.spoken[source] > 0) & ~left_open | present | denied
        known &= present | ~hinted
        stated, index = columns < last, columns.clamp(max=last)
        equal = (entries[:, None] == columns[None]).float()
        same = torch.zeros(len(source), len(columns), device=held.device)
        same.index_add_(0, owner, equal)
        similarity = torch.where(stated, present[:, index], same > 0)
        speaks = torch.where(stated, known[:, index], self.free[source][:, None] | (same > 0))
        if self.phrases is not None:
            alike, unclear = (
                of_rows(found.float(), owner, len(source)) > 0
                for found in self.phrases.compared(entries, columns)
            )
            similarity = similarity | alike
            speaks = similarity | speaks & ~unclear
        return Relation(similarity.float(), speaks.float())

    def of_hedged(
        self,
        tags: Tags,
        source: Int[Tensor, " R"],
        columns: Int[Tensor, " C"],
        *,
        hedge: float,
    ) -> Relation:
        """As `of`, where what a row only suspects is a target of `hedge`, and denies nothing."""
        every = self.of(tags.entries, tags.owner, source, columns)
        if hedge == 1 or not bool(tags.hedged.any()):
            return every
        sure = ~tags.hedged
        stated = self.of(tags.entries[sure], tags.owner[sure], source, columns)
        suspected = every.similarity * (1 - stated.similarity)
        # What a suspicion alone denies is as known as it was without it.
        known = torch.where(suspected > 0, every.known, stated.known * every.known)
        return Relation(stated.similarity + hedge * suspected, known)


def of_rows(rows: Float[Tensor, "K C"], owner: Int[Tensor, " K"], reports: int) -> Tensor:
    """Of a similarity by tag that of each report (R, C): the most that one of its tags says."""
    made = torch.zeros(reports, rows.shape[1], dtype=rows.dtype, device=rows.device)
    return made.scatter_reduce_(0, owner[:, None].expand_as(rows), rows, "amax")


def _implied_by(lexicon: Lexicon) -> dict[str, set[str]]:
    """Every statement with its ancestors; of a sign those that are no class of diagnoses."""
    signs = SIGNS_OF_ST_T | {s.tag for s in lexicon if s.group == "waveform"}
    above = {tag: set(lexicon.ancestors(tag)) for tag in lexicon.statements}
    return {
        tag: {tag, *(found - CLASSES if tag in signs else found)} for tag, found in above.items()
    }


def present_and_known(
    knowledge: Knowledge, entries: Sequence[Sequence[int]], source: int, columns: Sequence[int]
) -> tuple[Bool[np.ndarray, "R C"], Bool[np.ndarray, "R C"]]:
    """What records of one source say of meanings, for measuring: present, and known at all."""
    said = knowledge.of(
        torch.tensor([e for report in entries for e in report], dtype=torch.long),
        torch.tensor([i for i, r in enumerate(entries) for _ in r], dtype=torch.long),
        torch.full((len(entries),), source),
        torch.tensor(list(columns), dtype=torch.long),
    )
    return said.similarity.numpy() > 0, said.known.numpy() > 0
