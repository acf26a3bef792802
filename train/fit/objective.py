"""What a step of training minimises: tags aligned with patches, reports with tags.

    objective = Objective(model, ObjectiveConfig(routing="cross"), asked)
    losses = objective(batch)

`own` routing (paper): every tag of a report is routed to its own ECG, together with the report's
other tags, and compared with all tags of the batch. `cross`: every ECG routes every tag that is
asked, each alone, so that absent tags are routed in training as they are when asked for later.

Asked are the tags of the batch, or every statement of the lexicon of which a source speaks, each
in one of its wordings. Over several processes the loss is that of one process with all their ECGs:
see `train.fit.distributed`.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from focal_app.model.alignment import plan_together
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder, embed_tags
from train.data.batch import Batch
from train.fit.asked import Asked, Question
from train.fit.distributed import Processes
from train.fit.losses import place_loss, plan_entropy, soft_sigmoid_loss
from train.fit.precision import mixed
from train.fit.soft_targets import Relation, of_rows
from train.recipe import ObjectiveConfig


class _EmbeddedTags:
    """Wordings by a tag encoder that no longer changes: made once, without dropout.

    A row each, made when first asked for, on the device where the encoder then lies.
    """

    def __init__(self, text: TagEncoder, names: Sequence[str]) -> None:
        self.text, self.names = text, names
        self._rows: Tensor | None = None

    @torch.no_grad()
    def __call__(self, ids: Int[Tensor, " U"]) -> Float[Tensor, "U d"]:
        """The embeddings of wordings by number."""
        if self._rows is None:
            self.text.to(ids.device)
            self._rows = embed_tags(self.text, self.names).to(ids.device)
        return self._rows[ids]


@dataclass(frozen=True)
class _Places:
    """Places that count in the loss: ECG, column and patches of each, and how many all have."""

    ecg: Int[Tensor, " P"]
    column: Int[Tensor, " P"]
    patches: Float[Tensor, "P N"]
    total: Tensor


class Watched(nn.Module):
    """What a loop minimises: it makes losses by name of a batch, whose sum falls.

    While `watching` is set it may find what costs more to know; `figures` are drawn as curves.
    """

    watching = False

    def figures(self) -> dict[str, float]:
        """Numbers beside the losses, by the name of their curve."""
        return {}


class Objective(Watched):
    """The soft sigmoid loss over a batch of tagged ECGs, of all processes together."""

    def __init__(
        self,
        model: Focal,
        config: ObjectiveConfig,
        asked: Asked,
        *,
        text_fixed: bool = False,
        bf16: bool = False,
        processes: Processes | None = None,
    ) -> None:
        super().__init__()
        self.model, self.config, self.bf16 = model, config, bf16
        self.processes = processes or Processes()
        self.asked = asked
        names = asked.vocabulary.names
        self._fixed = _EmbeddedTags(model.text, names) if text_fixed else None
        frozen = config.targets == "frozen"
        self._first = _EmbeddedTags(copy.deepcopy(model.text), names) if frozen else None
        self.plan_entropy: Tensor | None = None

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """The loss by name; its mean over the processes is the loss of all their ECGs."""
        question = self.asked.of(batch, self.processes)
        with mixed(batch.signal.device, bf16=self.bf16):
            patches = self.model.encode_ecg(
                batch.signal, batch.seen, first_window=batch.first_window
            )
            z = self._embedded(question)
        patches, z = patches.float(), z.float()
        if self.config.routing == "own":
            return {"tags": self._own(batch, patches, z, question)}
        return self._cross(batch, patches, z, question)

    def figures(self) -> dict[str, float]:
        """Temperature, bias and the entropy of the plans."""
        model, entropy = self.model, self.plan_entropy
        return {
            "temperature": model.log_temperature.exp().item(),
            "bias": model.bias.item(),
            **({} if entropy is None else {"plan_entropy": entropy.item()}),
        }

    def _embedded(self, question: Question) -> Tensor:
        """Embeddings (U, d) of all that is asked; each process makes its share."""
        if self._fixed is not None:
            return self._fixed(question.ids)
        names = self.asked.names(question.ids)
        mine = self.model.encode_tags(self.processes.share(names))
        return self.processes.gathered(mine, len(names))

    def _own(self, batch: Batch, patches: Tensor, z: Tensor, question: Question) -> Tensor:
        """Eq. 8 over the tags of all reports: each routed to its own ECG, against every tag."""
        rows = question.column_of(batch.tags)
        routed = self._routed_together(patches, z, rows, batch)
        weight = question.counts.to(z.dtype)
        said = self._said_by_tags(batch, z, rows, question)

        def part(e: Tensor, z_part: Tensor, columns: Tensor) -> Tensor:
            known = said.known[:, columns] * weight[columns]
            logits = self.model.logits(e @ z_part.T)
            return soft_sigmoid_loss(logits, said.similarity[:, columns], known) * len(e)

        total = self._in_parts(part, routed, z)
        return total / weight.sum().square() * self.processes.size

    def _cross(
        self, batch: Batch, patches: Tensor, z: Tensor, question: Question
    ) -> dict[str, Tensor]:
        """The loss of every ECG against all that is asked, each routed alone; mean over ECGs."""
        kept = batch.seen.flatten(1)
        said, places = self._said_by_reports(batch, z, question)
        weight = self.config.place_weight

        def part(patches: Tensor, z_part: Tensor, columns: Tensor) -> Tensor:
            similarity, plan = self.model.route(patches, z_part, kept)
            logits = self.model.logits(similarity)
            tags = soft_sigmoid_loss(logits, said.similarity[:, columns], said.known[:, columns])
            place = self._place(plan, places, columns) if weight else tags * 0
            entropy = plan_entropy(plan, kept).sum() if self.watching else tags * 0
            return torch.stack([tags, place, entropy.detach()])

        tags, place, entropy = self._in_parts(part, patches, z)
        self.plan_entropy = entropy.detach() / (len(kept) * len(z))
        if not weight:
            return {"tags": tags}
        return {"tags": tags, "place": weight * place}

    def _place(self, plan: Tensor, places: _Places, columns: Tensor) -> Tensor:
        """The part of the place loss that falls on some columns."""
        here = places.column - columns[0]
        inside = (here >= 0) & (here < len(columns))
        rows = plan[places.ecg, here.clamp(0, len(columns) - 1)]
        total = places.total.clamp_min(1) / self.processes.size
        return place_loss(rows, places.patches, inside) / total

    def _in_parts(self, part, rows: Tensor, z: Tensor) -> Tensor:
        """The sum of a loss over all columns; of many columns only one part is held at a time."""
        columns = torch.arange(len(z), device=z.device).split(self.config.chunk)
        if len(columns) == 1:
            return part(rows, z, columns[0])
        return torch.stack(
            [checkpoint(part, rows, z[c], c, use_reentrant=False) for c in columns]
        ).sum(0)

    def _routed_together(
        self, patches: Tensor, z: Tensor, rows: Tensor, batch: Batch
    ) -> Float[Tensor, "K d"]:
        """Unit ECG representation of every tag of every report (Eq. 6-7)."""
        config, shape = self.model.config, (len(patches), batch.most)
        index = torch.zeros(shape, dtype=torch.long, device=z.device)
        mask = torch.zeros(shape, dtype=torch.bool, device=z.device)
        index[batch.owner, batch.slot], mask[batch.owner, batch.slot] = rows, True
        kept, tags = batch.seen.flatten(1), z[index]
        if config.alignment == "cross-attention":
            plan = self.model.attention(tags, patches, kept)
        else:
            plan = plan_together(
                config.alignment,
                tags @ patches.mT,
                mask,
                kept,
                epsilon=config.epsilon,
                tau=config.tau,
            )
        if self.watching:
            self.plan_entropy = plan_entropy(plan, kept)[batch.owner, batch.slot].mean()
        return F.normalize((plan @ patches)[batch.owner, batch.slot], dim=-1)

    @torch.no_grad()
    def _said_by_tags(self, batch: Batch, z: Tensor, rows: Tensor, question: Question) -> Relation:
        """What every tag of the batch says of every column, each on its own."""
        similarity = self._by_embedding(question, z)
        if similarity is not None:
            said = similarity[rows] * self._belief(batch)
            return Relation(said, torch.ones_like(said))
        alone = torch.arange(len(batch.tags), device=z.device)
        source = batch.source[batch.owner]
        return self.asked.said(batch.tags, alone, source, question, **self._hedges(batch))

    @torch.no_grad()
    def _said_by_reports(
        self, batch: Batch, z: Tensor, question: Question
    ) -> tuple[Relation, _Places]:
        """What every report says of every column, and the places that are seen.

        A finding none of whose patches is seen becomes unknown: nothing there could show it.
        """
        similarity = self._by_embedding(question, z)
        if similarity is None:
            said = self.asked.said(
                batch.tags, batch.owner, batch.source, question, **self._hedges(batch)
            )
        else:
            rows = similarity[question.column_of(batch.tags)] * self._belief(batch)
            rows = of_rows(rows, batch.owner, len(batch.signal))
            said = Relation(rows, torch.ones_like(rows))
        column = question.column_of(batch.shown)
        patches = batch.places * batch.seen.flatten(1)[batch.shown_in]
        shows = (patches.sum(1) > 0) & (column >= 0)
        hidden = torch.zeros_like(said.known)
        hidden.index_put_(
            (batch.shown_in, column.clamp_min(0)),
            ((patches.sum(1) == 0) & (column >= 0)).float(),
            accumulate=True,
        )
        known = said.known * (hidden == 0)
        total = self.processes.sum(shows.sum()) if self.config.place_weight else shows.sum()
        column = torch.where(shows, column, -1)
        return Relation(said.similarity, known), _Places(batch.shown_in, column, patches, total)

    def _hedges(self, batch: Batch) -> dict[str, Any]:
        return {"hedged": batch.hedged, "hedge": self.config.hedged}

    def _belief(self, batch: Batch) -> Float[Tensor, "K 1"]:
        """How far each tag is stated: what its report only suspects, less."""
        return 1 - (1 - self.config.hedged) * batch.hedged.float()[:, None]

    def _by_embedding(self, question: Question, z: Tensor) -> Tensor | None:
        """S (U, U) from embeddings, where that is what the recipe asks for."""
        if self._first is not None:
            first = self._first(question.ids)
            return (first @ first.T).clamp(0, 1)
        if self.config.targets not in ("online", "online-dropout"):
            return None
        if self.config.targets == "online":
            z = self._without_dropout(question, z)
        return (0.5 * (1 + z @ z.T)).clamp(0, 1)

    def _without_dropout(self, question: Question, z: Tensor) -> Tensor:
        """Equal tags are alike whatever dropout draws."""
        text = self.model.text
        if not text.training or self._fixed is not None:
            return z
        text.eval()
        with mixed(z.device, bf16=self.bf16):
            z = self._embedded(question).float()
        text.train()
        return z
