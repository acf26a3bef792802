"""What a step of training minimises: tags aligned with patches, reports with tags.

loss = Objective(model, ObjectiveConfig(routing="cross"))(batch)

`own` routing (paper): every tag of a report is routed to its own ECG, together with the report's
other tags, and compared with all tags of the batch. `cross`: every ECG routes every tag of the
batch, each alone, so that absent tags are routed in training as they are when asked for later.

Over several processes the loss is that of one process with all their ECGs: see
`train.fit.distributed`.
"""

import copy
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from focal_app.lexicon import load_lexicon
from focal_app.model.alignment import plan_together
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder, embed_tags
from train.fit.distributed import World
from train.fit.losses import soft_sigmoid_loss
from train.fit.soft_targets import Relation, Semantics, of_reports
from train.recipe import ObjectiveConfig


@dataclass(frozen=True)
class TagBatch:
    """Prepared signals, seen patches and the tags of every report, at least one each."""

    signal: Float[Tensor, "B L T"]
    seen: Bool[Tensor, "B L N_time"]
    tags: tuple[tuple[str, ...], ...]

    def to(self, device: torch.device) -> "TagBatch":
        """The batch on a device."""
        return TagBatch(self.signal.to(device), self.seen.to(device), self.tags)


class Objective(nn.Module):
    """The soft sigmoid loss over a batch of tagged ECGs, of all processes together."""

    def __init__(
        self,
        model: Focal,
        config: ObjectiveConfig,
        *,
        text_fixed: bool = False,
        bf16: bool = False,
        world: World | None = None,
    ) -> None:
        super().__init__()
        self.model, self.config, self.bf16 = model, config, bf16
        self.world = world or World()
        lexicon = load_lexicon() if config.targets == "lexicon" else None
        self.semantics = Semantics(lexicon)
        self._fixed = _Remembered(model.text) if text_fixed else None
        first = config.targets == "frozen"
        self._first = _Remembered(copy.deepcopy(model.text)) if first else None

    def forward(self, batch: TagBatch) -> dict[str, Tensor]:
        """The loss by name; its mean over the processes is the loss of all their ECGs."""
        counts = self.world.union(tag for tags in batch.tags for tag in tags)
        names = list(counts)
        with torch.autocast(batch.signal.device.type, torch.bfloat16, enabled=self.bf16):
            patches = self.model.encode_ecg(batch.signal, batch.seen)
            z = self._embedded(names)
        patches, z = patches.float(), z.float()
        column = {name: i for i, name in enumerate(names)}
        reports = [[column[tag] for tag in tags] for tags in batch.tags]
        own = self.config.routing == "own"
        loss = (
            self._own(batch, patches, z, reports, counts)
            if own
            else self._cross(batch, patches, z, reports, names)
        )
        return {"tags": loss}

    def _embedded(self, names: list[str]) -> Tensor:
        """All tags' embeddings (U, d); each process makes its share."""
        if self._fixed is not None:
            return self._fixed(names)
        return self.world.gathered(self.model.encode_tags(self.world.share(names)), len(names))

    def _own(
        self,
        batch: TagBatch,
        patches: Tensor,
        z: Tensor,
        reports: list[list[int]],
        counts: dict[str, int],
    ) -> Tensor:
        """Eq. 8 over the tags of all reports: each routed to its own ECG, against every tag."""
        index, mask = _padded(reports, z.device)
        routed = self._routed_together(patches, z[index], mask, batch.seen.flatten(1))
        rows = index[mask]
        weight = torch.tensor(list(counts.values()), dtype=z.dtype, device=z.device)
        relation = self._relation(list(counts), z)

        def part(e: Tensor, z_part: Tensor, columns: Tensor) -> Tensor:
            target = relation.similarity[rows][:, columns]
            known = relation.known[rows][:, columns] * weight[columns]
            return soft_sigmoid_loss(self.model.logits(e @ z_part.T), target, known) * len(e)

        total = self._in_parts(part, routed, z)
        return total / weight.sum().square() * self.world.size

    def _cross(
        self,
        batch: TagBatch,
        patches: Tensor,
        z: Tensor,
        reports: list[list[int]],
        names: list[str],
    ) -> Tensor:
        """The loss of every ECG against every tag, each routed alone; mean over ECGs."""
        kept = batch.seen.flatten(1)
        said = of_reports(self._relation(names, z), reports)

        def part(patches: Tensor, z_part: Tensor, columns: Tensor) -> Tensor:
            similarity, _ = self.model.route(patches, z_part, kept)
            logits = self.model.logits(similarity)
            return soft_sigmoid_loss(
                logits, said.similarity[:, columns], said.known[:, columns]
            ) * len(patches)

        total = self._in_parts(part, patches, z)
        ecgs = sum(self.world.union({"ecg": len(patches)}).values())
        return total / ecgs * self.world.size

    def _in_parts(self, part, rows: Tensor, z: Tensor) -> Tensor:
        """The sum of a loss over all columns; of many columns only one part is held at a time."""
        columns = torch.arange(len(z), device=z.device).split(self.config.chunk)
        if len(columns) == 1:
            return part(rows, z, columns[0])
        return torch.stack(
            [checkpoint(part, rows, z[c], c, use_reentrant=False) for c in columns]
        ).sum()

    def _routed_together(
        self, patches: Tensor, tags: Tensor, mask: Tensor, kept: Tensor
    ) -> Float[Tensor, "K d"]:
        """Unit ECG representation of every tag of every report (Eq. 6-7)."""
        config = self.model.config
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
        return F.normalize((plan @ patches)[mask], dim=-1)

    @torch.no_grad()
    def _relation(self, names: list[str], z: Tensor) -> Relation:
        if self.config.targets in ("lexicon", "identity"):
            found = self.semantics.between(names, names)
            return Relation(found.similarity.to(z.device), found.known.to(z.device))
        if self._first is not None:
            z = self._first(names)
            similarity = (z @ z.T).clamp(0, 1)
        else:
            z = self._without_dropout(names, z)
            similarity = (0.5 * (1 + z @ z.T)).clamp(0, 1)
        return Relation(similarity, torch.ones_like(similarity))

    def _without_dropout(self, names: list[str], z: Tensor) -> Tensor:
        """Equal tags are alike whatever dropout draws."""
        text = self.model.text
        if not text.training or self._fixed is not None:
            return z
        text.eval()
        z = self._embedded(names).float()
        text.train()
        return z


class _Remembered:
    """Embeddings of an encoder that no longer changes, each made once, without dropout."""

    def __init__(self, text: TagEncoder) -> None:
        self.text = text
        self.known: dict[str, Tensor] = {}

    @torch.no_grad()
    def __call__(self, names: list[str]) -> Tensor:
        new = [name for name in names if name not in self.known]
        if new:
            self.known |= dict(zip(new, embed_tags(self.text, new), strict=True))
        device = next(self.text.parameters()).device
        return torch.stack([self.known[name] for name in names]).to(device)


def _padded(reports: list[list[int]], device) -> tuple[Int[Tensor, "B M"], Bool[Tensor, "B M"]]:
    """Columns of every report's tags, padded, and which of them are tags."""
    most = max(map(len, reports))
    index = torch.tensor([[*r, *[0] * (most - len(r))] for r in reports], device=device)
    lengths = torch.tensor([len(r) for r in reports], device=device)
    return index, torch.arange(most, device=device) < lengths[:, None]
