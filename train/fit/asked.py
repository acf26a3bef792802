"""What a step asks of its ECGs: the tags of the batch, or statements of the lexicon.

`batch`     every tag that a report of the step bears, whichever process reads it
`lexicon`   every statement of which a source speaks, each in one wording, drawn anew every step:
            the preferred one in half of the draws
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from focal_app.lexicon import Lexicon
from focal_app.model.text import TagEncoder, embed_tags
from train.data.batch import Batch
from train.fit.distributed import Processes
from train.fit.phrases import Bounds, Phrases, measured_bounds
from train.fit.soft_targets import Knowledge, Relation, Speech, Tags, Vocabulary
from train.fit.wordings import tuning_names
from train.recipe import AskOver


@dataclass(frozen=True)
class Question:
    """The columns of a step: wordings by number, their meanings, and how often each is said.

    `_column` (V,) is the column of every wording of the vocabulary, -1 where it is not asked.
    """

    ids: Int[Tensor, " U"]
    meanings: Int[Tensor, " U"]
    counts: Int[Tensor, " U"]
    _column: Int[Tensor, " V"]

    def column_of(self, tags: Int[Tensor, " K"]) -> Int[Tensor, " K"]:
        """The column that asks for each tag."""
        return self._column[tags]


class Asked:
    """What a run asks, with all that its tags mean and say of each other."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        knowledge: Knowledge,
        *,
        wordings: Mapping[int, Int[np.ndarray, " W"]] | None = None,
        seed: int = 0,
    ) -> None:
        """`wordings` by number, of every statement asked; None: the tags of the batch are asked."""
        self.vocabulary, self.knowledge, self.seed = vocabulary, knowledge, seed
        self._entries = torch.from_numpy(vocabulary.entries)
        self._statements = torch.tensor(list(wordings or ()), dtype=torch.long)
        self._wordings = list((wordings or {}).values())

    @classmethod
    def by_tags(
        cls, tags: Iterable[str], speeches: Sequence[Speech], lexicon: Lexicon | None
    ) -> "Asked":
        """The tags of each batch; without a lexicon a tag says nothing but itself."""
        return cls(Vocabulary.of(tags, lexicon), Knowledge(lexicon, speeches))

    @classmethod
    def by_statements(
        cls, tags: Iterable[str], speeches: Sequence[Speech], lexicon: Lexicon, *, seed: int = 0
    ) -> "Asked":
        """Every statement of which a source speaks; tags outside the lexicon take no part."""
        said = Vocabulary.of(tags, lexicon)
        knowledge = Knowledge(lexicon, speeches)
        statements = list(lexicon)
        wordings = {int(row): tuning_names(statements[row]) for row in knowledge.asked(said)}
        every = {name for names in wordings.values() for name in names}
        vocabulary = Vocabulary.of({*said.names, *every}, lexicon)
        numbered = {row: vocabulary.numbers(names) for row, names in wordings.items()}
        return cls(vocabulary, knowledge, wordings=numbered, seed=seed)

    @property
    def over(self) -> AskOver:
        """What is asked."""
        return "lexicon" if self._wordings else "batch"

    def names(self, ids: Int[Tensor, " U"]) -> list[str]:
        """Wordings by number."""
        return [self.vocabulary.names[i] for i in ids.tolist()]

    def of(self, batch: Batch, processes: Processes) -> Question:
        """The columns of a step, the same for every process."""
        device = batch.tags.device
        self._to(device)
        if self._wordings:
            ids = self._drawn(batch.number).to(device)
            meanings = self._statements
            asked_at = torch.full((self.knowledge.statements + 1,), -1, device=device)
            asked_at[meanings] = torch.arange(len(ids), device=device)
            column = asked_at[self._entries.clamp(max=self.knowledge.statements)]
            return Question(ids, meanings, torch.zeros_like(ids), column)
        every = torch.bincount(batch.tags, minlength=len(self._entries))
        counts = processes.sum(every)
        ids = counts.nonzero().flatten()
        column = torch.full_like(self._entries, -1)
        column[ids] = torch.arange(len(ids), device=device)
        return Question(ids, self._entries[ids], counts[ids], column)

    def said(
        self,
        tags: Int[Tensor, " K"],
        owner: Int[Tensor, " K"],
        source: Int[Tensor, " R"],
        question: Question,
        *,
        hedged: Bool[Tensor, " K"] | None = None,
        hedge: float = 1.0,
    ) -> Relation:
        """What rows that own these tags say of what is asked, by the lexicon or by equal words."""
        hedged = torch.zeros_like(tags, dtype=torch.bool) if hedged is None else hedged
        meant = Tags(self._entries[tags], owner, hedged)
        return self.knowledge.of_hedged(meant, source, question.meanings, hedge=hedge)

    def compare_phrases(self, encoder: TagEncoder, lexicon: Lexicon) -> Bounds:
        """From now on, free phrases are compared by this encoder; returns what was measured.

        A phrase that is like a statement of the lexicon means it, with all that it implies.
        """
        names = [*lexicon.statements, *self.vocabulary.meanings]
        phrases = Phrases(
            embed_tags(encoder, names), self.knowledge.statements, measured_bounds(encoder, lexicon)
        )
        self.knowledge.phrases = phrases
        self._entries = phrases.meant()[self._entries]
        return phrases.bounds

    def _to(self, device: torch.device) -> None:
        if self._entries.device != device:
            self._entries = self._entries.to(device)
            self._statements = self._statements.to(device)
            self.knowledge.to(device)

    def _drawn(self, number: int) -> Tensor:
        """One wording of every statement; every process draws the same."""
        rng = np.random.default_rng([self.seed, 2, number])
        picked = [w[0] if rng.random() < 0.5 else rng.choice(w) for w in self._wordings]
        return torch.from_numpy(np.array(picked))
