"""Coarse training on statements: every ECG against every statement of the lexicon.

    python -m train coarse --config embedded --real ../shared/ecg

For sources whose tags are statements, so that what is absent and what is unknown can be told
apart. The tag encoder is tuned first and then frozen: the embeddings of all wordings are made
once, and every step draws one wording a statement. Cross routing: every ECG routes every
statement, each on its own, as prompts are scored later. (`train.fit.objective` trains on reports.)
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from focal_app.lexicon import Lexicon
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.batches import Batch, Pool, augmented, forget_hidden, gather, joined, section, shifted
from train.fit.loop import Loop, freeze_text
from train.fit.losses import place_loss, soft_sigmoid_loss
from train.fit.tag_tuning import tuning_names
from train.recipe import Recipe


@dataclass(frozen=True)
class Wordings:
    """Embeddings (K, d) of all wordings, and the rows of each statement's."""

    z: Tensor
    rows: tuple[np.ndarray, ...]

    def draw(self, rng: np.random.Generator) -> Tensor:
        """One wording of every statement, the preferred one in half of the draws (S, d)."""
        picked = [r[0] if rng.random() < 0.5 else rng.choice(r) for r in self.rows]
        return self.z[torch.tensor(np.array(picked))]


def embed_wordings(model: Focal, lexicon: Lexicon) -> Wordings:
    """Embed every wording that tuning may see, once."""
    names = [tuning_names(statement) for statement in lexicon]
    ends = np.cumsum([len(n) for n in names])
    rows = tuple(np.arange(end - len(n), end) for n, end in zip(names, ends, strict=True))
    return Wordings(embed_tags(model.text, [name for n in names for name in n]), rows)


class StatementObjective(nn.Module):
    """Losses of a batch whose targets are the lexicon's statements."""

    def __init__(self, model: Focal, recipe: Recipe, asked: Tensor) -> None:
        super().__init__()
        self.model, self.recipe, self.asked = model, recipe, asked

    def forward(self, batch: Batch, z: Tensor) -> dict[str, Tensor]:
        """The soft sigmoid loss over the statements asked, and that of the known places."""
        device = batch.signal.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.recipe.coarse.bf16):
            patches = self.model.encode_ecg(
                batch.signal, batch.seen, first_window=batch.first_window
            )
        similarity, plan = self.model.route(patches.float(), z[self.asked], batch.seen.flatten(1))
        known, present = batch.known[:, self.asked], batch.present[:, self.asked]
        columns = torch.searchsorted(self.asked, batch.pairs[:, 1].contiguous())
        pairs = torch.stack([batch.pairs[:, 0], columns], dim=1)
        place = place_loss(plan, pairs, batch.places)
        return {
            "tags": soft_sigmoid_loss(self.model.logits(similarity), present, known),
            "place": self.recipe.objective.place_weight * place,
        }


class Drawn:
    """What each step of a run sees, as a function of the seed and the step."""

    def __init__(
        self, recipe: Recipe, simulated: Pool, real: list[Pool], wordings: Wordings
    ) -> None:
        self.recipe, self.simulated, self.real, self.wordings = recipe, simulated, real, wordings
        sizes = np.array([len(pool.rows) for pool in real], float)
        self.real_sizes = sizes / sizes.sum() if len(real) else sizes

    def from_step(self, step: int) -> Iterator[tuple[Batch, Tensor]]:
        """The batches and wordings of this step and all later ones."""
        while True:
            rng = np.random.default_rng([self.recipe.seed, step])
            yield self._batch(step, rng), self.wordings.draw(rng)
            step += 1

    def _batch(self, step: int, rng: np.random.Generator) -> Batch:
        config, spec = self.recipe.coarse, self.recipe.signal
        real = round(config.batch * self.recipe.data.real_share) if self.real else 0
        parts = [gather(self.simulated, self.simulated.draw(rng, config.batch - real))]
        counts = rng.multinomial(real, self.real_sizes) if real else []
        for pool, count in zip(self.real, counts, strict=bool(real)):
            if count:
                part = gather(pool, pool.draw(rng, count))
                parts.append(shifted(part, spec, rng) if config.augment else part)
        batch = joined(parts)
        if step < config.section_share * config.steps:
            batch = section(batch, spec, config.section, rng)
        return forget_hidden(augmented(batch, spec, rng) if config.augment else batch)


def coarse_loop(
    model: Focal, recipe: Recipe, simulated: Pool, real: list[Pool], lexicon: Lexicon
) -> tuple[Loop, Drawn]:
    """The loop over these pools and its batches: `loop.run(drawn.from_step, checkpoint)`."""
    # Statements about which every source is silent would only cost time.
    known = np.stack([pool.targets.known.max(0) for pool in (simulated, *real)]).max(0)
    asked = torch.from_numpy(known.nonzero()[0])
    drawn = Drawn(recipe, simulated, real, embed_wordings(model, lexicon))
    freeze_text(model, recipe.coarse)
    objective = StatementObjective(model, recipe, asked)
    return Loop(objective, model, recipe.coarse, steps=recipe.coarse.steps, seed=recipe.seed), drawn
