"""Coarse training: patches and tags aligned on recordings and their reports' tags.

    python -m train coarse --config embedded --real ../shared/ecg

The tag encoder is tuned first and then frozen, so that the embeddings of all wordings are made
once; every step draws one wording a statement. Cross routing: every ECG routes every statement,
each on its own, as prompts are scored later.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from tqdm import tqdm

from focal_app.lexicon import Lexicon
from focal_app.model.focal import Focal, similarities
from focal_app.model.text import embed_tags
from train.batches import Batch, Pool, augmented, forget_hidden, gather, joined, section, shifted
from train.config import Recipe
from train.losses import place_loss, soft_sigmoid_loss
from train.tag_tuning import tuning_names


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


class Coarse:
    """The run: model, optimizer, schedule and step, saved together and resumed exactly."""

    def __init__(
        self, model: Focal, recipe: Recipe, simulated: Pool, real: list[Pool], lexicon: Lexicon
    ) -> None:
        self.model, self.recipe, self.step = model, recipe, 0
        self.simulated, self.real = simulated, real
        # Statements about which every source is silent would only cost time.
        known = np.stack([pool.targets.known.max(0) for pool in (simulated, *real)]).max(0)
        self.asked = torch.from_numpy(known.nonzero()[0])
        self.wordings = embed_wordings(model, lexicon)
        for parameter in model.text.parameters():
            parameter.requires_grad_(False)
        self.average = {
            name: p.detach().clone() for name, p in model.named_parameters() if p.requires_grad
        }
        self.optimizer = torch.optim.AdamW(
            _parameter_groups(model, recipe.coarse.weight_decay),
            lr=recipe.coarse.learning_rate,
            betas=(0.9, 0.98),
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._share_of_rate)
        sizes = np.array([len(pool.rows) for pool in real], float)
        self.real_sizes = sizes / sizes.sum() if len(real) else sizes

    def _share_of_rate(self, step: int) -> float:
        warmup = max(1, round(self.recipe.coarse.warmup * self.recipe.coarse.steps))
        if step < warmup:
            return (step + 1) / warmup
        progress = (step - warmup) / max(1, self.recipe.coarse.steps - warmup)
        return 0.5 * (1 + np.cos(np.pi * min(1.0, progress)))

    def run(self, checkpoint: Path, *, every: int = 250) -> None:
        """Train to the recipe's last step, from `checkpoint` if it is there."""
        if checkpoint.is_file():
            self.resume(checkpoint)
        steps = self.recipe.coarse.steps
        bar = tqdm(range(self.step, steps), initial=self.step, total=steps, desc="coarse")
        self.model.encoder.train()
        mean = None
        for _ in bar:
            losses = self.advance()
            mean = losses if mean is None else 0.98 * mean + 0.02 * losses
            bar.set_postfix(tags=f"{mean[0]:.3f}", place=f"{mean[1]:.3f}", refresh=False)
            if self.step % every == 0 or self.step == steps:
                self.save(checkpoint)
        self.model.load_state_dict(self.average, strict=False)
        self.model.eval()

    def advance(self) -> np.ndarray:
        """One step; returns the two losses."""
        rng = np.random.default_rng([self.recipe.seed, self.step])
        torch.manual_seed(int(rng.integers(2**31)))
        batch, z = self._draw(rng), self.wordings.draw(rng)
        tags, place = self._losses(batch, z)
        self.optimizer.zero_grad(set_to_none=True)
        (tags + self.recipe.coarse.place_weight * place).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        self._average_weights()
        self.step += 1
        return np.array([tags.item(), place.item()])

    @torch.no_grad()
    def _average_weights(self) -> None:
        """Running mean of the weights: what the finished model holds; steadier than the last."""
        decay = min(self.recipe.coarse.average, (1 + self.step) / (10 + self.step))
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad:
                self.average[name].lerp_(parameter, 1 - decay)

    def _losses(self, batch: Batch, z: Tensor) -> tuple[Tensor, Tensor]:
        device = batch.signal.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.recipe.coarse.bf16):
            patches = self.model.encode_ecg(
                batch.signal, batch.seen, first_window=batch.first_window
            )
        kept = batch.seen.flatten(1)
        similarity, plan = similarities(
            patches.float(), z[self.asked], kept, epsilon=self.recipe.epsilon, tau=self.recipe.tau
        )
        logits = self.model.logits(similarity)
        known, present = batch.known[:, self.asked], batch.present[:, self.asked]
        columns = torch.searchsorted(self.asked, batch.pairs[:, 1].contiguous())
        pairs = torch.stack([batch.pairs[:, 0], columns], dim=1)
        tags = soft_sigmoid_loss(logits, present, known)
        return tags, place_loss(plan, pairs, batch.places)

    def _draw(self, rng: np.random.Generator) -> Batch:
        config, spec = self.recipe.coarse, self.recipe.signal
        real = round(config.batch * self.recipe.data.real_share) if self.real else 0
        parts = [gather(self.simulated, self.simulated.draw(rng, config.batch - real))]
        counts = rng.multinomial(real, self.real_sizes) if real else []
        for pool, count in zip(self.real, counts, strict=bool(real)):
            if count:
                part = gather(pool, pool.draw(rng, count))
                parts.append(shifted(part, spec, rng) if config.augment else part)
        batch = joined(parts)
        if self.step < config.section_share * config.steps:
            batch = section(batch, spec, config.section, rng)
        return forget_hidden(augmented(batch, spec, rng) if config.augment else batch)

    def save(self, path: Path) -> None:
        """Write the run atomically: a killed run never leaves half a checkpoint."""
        path.parent.mkdir(parents=True, exist_ok=True)
        tensors = {f"model.{name}": t.contiguous() for name, t in self.model.state_dict().items()}
        tensors |= {f"average.{name}": t.contiguous() for name, t in self.average.items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": t for name, t in state.items()}
        partial = path.with_suffix(".partial")
        save_file(tensors, partial, metadata={"step": str(self.step)})
        partial.replace(path)

    def resume(self, path: Path) -> None:
        """Continue the run of `path`; batches and rate follow from the step, so nothing repeats."""
        tensors = load_file(path)
        with safe_open(path, "pt") as file:
            self.step = int(file.metadata()["step"])
        model = {n.removeprefix("model."): t for n, t in tensors.items() if n.startswith("model.")}
        self.model.load_state_dict(model)
        self.average = {name: tensors[f"average.{name}"] for name in self.average}
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith("optimizer."):
                _, number, key = name.split(".")
                state.setdefault(int(number), {})[key] = tensor
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})
        self.schedule.last_epoch = self.step
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * self._share_of_rate(self.step)


def _parameter_groups(model: Focal, weight_decay: float) -> list[dict]:
    """No decay on norms, biases, embeddings, temperature and bias."""
    trained = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    plain = [p for n, p in trained if p.ndim < 2 or "embedding" in n]
    decayed = [p for n, p in trained if not (p.ndim < 2 or "embedding" in n)]
    return [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
