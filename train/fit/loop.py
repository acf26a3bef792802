"""The loop of training: optimizer, schedule, averaged weights, and the step they stand at.

All of it is saved together and resumed exactly. Batches and random numbers follow from the seed
and the step, so a run that was killed draws what it would have drawn and ends on the same weights.
"""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from accelerate import Accelerator
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from tqdm import tqdm

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.data.batch import Batch
from train.fit.best import BestWeights, shapes
from train.fit.curves import WATCHED, Curves
from train.fit.objective import Watched
from train.read_back import read_back
from train.recipe import StageConfig

M = TypeVar("M", bound=nn.Module)
Batches = Callable[[int], Iterator[Batch]]
"""From a micro-batch's number on, without end."""
Named = Mapping[str, Tensor]
RESUMED = "put it back, or delete it to train this stage from its first step"


class Loop(Generic[M]):
    """A stage of training: what of `model` is trained, so that the losses of `objective` fall."""

    def __init__(
        self,
        objective: Watched,
        model: M,
        config: StageConfig,
        *,
        steps: int,
        seed: int,
        accelerator: Accelerator | None = None,
    ) -> None:
        self.model, self.config, self.steps, self.seed, self.step = model, config, steps, seed, 0
        self.accelerator = accelerator or Accelerator(cpu=True)
        model.to(self.accelerator.device)
        trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self.average = {name: p.detach().clone() for name, p in trained.items()}
        self.optimizer = torch.optim.AdamW(
            parameter_groups(trained, config),
            lr=config.learning_rate,
            betas=(0.9, config.beta2),
            fused=True,
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._share_of_rate)
        if config.compile:
            model.get_submodule("encoder").compile()
        self.objective, self._watched = self.accelerator.prepare(objective), objective

    def _share_of_rate(self, step: int) -> float:
        """Linear warm-up, then a cosine to zero."""
        warmup = max(1, round(self.config.warmup * self.steps))
        if step < warmup:
            return (step + 1) / warmup
        progress = (step - warmup) / max(1, self.steps - warmup)
        return 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))

    def run(
        self,
        batches: Batches,
        checkpoint: Path,
        *,
        every: int = 250,
        log: Path | None = None,
        name: str = "coarse",
        judge: Callable[[M], float] | None = None,
    ) -> None:
        """Train to the last step, from `checkpoint` if it is there; the model ends averaged.

        `judge` scores it as often as the stage says, and the best weights lie beside `checkpoint`.
        """
        best = BestWeights(checkpoint.with_name("best.safetensors"))
        if checkpoint.is_file():
            self.resume(checkpoint)
        elif self.accelerator.is_main_process:
            best.forget()
        first, main = self.step, self.accelerator.is_main_process
        source = batches(first * self.config.accumulate)
        bar = tqdm(
            range(first, self.steps), initial=first, total=self.steps, desc=name, disable=not main
        )
        means: dict[str, float] = {}
        judged_at = self._judged_at if judge else set()
        with closing(Curves(log if main else None)) as curves:
            for _ in bar:
                losses = self.advance(source, curves)
                means = {k: 0.98 * means.get(k, v) + 0.02 * v for k, v in losses.items()}
                bar.set_postfix(self._shown(means, bar), refresh=False)
                if judge and self.step in judged_at:
                    self._judge(judge, best, curves)
                if self.step % every == 0 or self.step == self.steps:
                    self.save(checkpoint)
        if self.config.keep == "best":
            self.model.load_state_dict(best.weights(self.average), strict=False)
        elif self.config.average:
            self.model.load_state_dict(self.average, strict=False)
        self.model.eval()

    @property
    def _judged_at(self) -> set[int]:
        """The steps after which the stage is judged, the last among them."""
        times = self.config.judged
        return {round(self.steps * (i + 1) / times) for i in range(times)}

    @property
    def last_kept(self) -> int:
        """The last step of which a line of figures is kept."""
        return max((self.steps - 1) // WATCHED * WATCHED + 1, *self._judged_at, 0)

    def _judge(self, judge: Callable[[M], float], best: BestWeights, curves: Curves) -> None:
        """Score the weights that the stage would end on, by one process."""
        if self.accelerator.is_main_process:
            with self._as_finished():
                score = judge(self.model)
                trained = {n: p for n, p in self.model.named_parameters() if n in self.average}
                curves.add(self.step, {"validation/auc": score}, kept=True)
                if self.config.keep == "best":
                    best.offer(trained, score)
        self.accelerator.wait_for_everyone()

    @contextmanager
    def _as_finished(self) -> Iterator[None]:
        """The model with its averaged weights and without dropout, for a while."""
        self.model.eval()
        held = {n: t.clone() for n, t in self.model.state_dict().items() if n in self.average}
        if self.config.average:
            self.model.load_state_dict(self.average, strict=False)
        yield
        self.model.load_state_dict(held, strict=False)

    def _shown(self, means: dict[str, float], bar: tqdm) -> dict[str, str]:
        rate = bar.format_dict["rate"] or 0.0
        ecgs = rate * self.config.batch * self.accelerator.num_processes
        return {**{k: f"{v:.3f}" for k, v in means.items()}, "ECG/s": f"{ecgs:.0f}"}

    def advance(self, source: Iterator[Batch], curves: Curves | None = None) -> dict[str, float]:
        """One step over `accumulate` micro-batches; returns the losses of all its recordings."""
        curves = curves or Curves(None)
        self._watched.watching = looked = curves.shown and self.step % WATCHED == 0
        draw = np.random.default_rng([self.seed, self.step, self.accelerator.process_index])
        torch.manual_seed(int(draw.integers(2**31)))
        self.model.train()
        if self.config.freeze_text:
            self.model.get_submodule("text").eval()
        total: dict[str, float] = {}
        parts = self.config.accumulate
        for part in range(parts):
            batch = next(source).to(self.accelerator.device)
            # Processes exchange gradients once a step, after its last part.
            last = part == parts - 1
            with nullcontext() if last else self.accelerator.no_sync(self.objective):
                losses = self.objective(batch)
                self.accelerator.backward(sum(losses.values()) / parts)
            total = {k: total.get(k, 0) + v.item() / parts for k, v in losses.items()}
        total = self._of_all_processes(total)
        if not math.isfinite(sum(total.values())):
            raise ConfigError(
                f"the loss is no longer a number at step {self.step}; train again with a lower "
                f"learning rate{' or with bf16 off' if self.config.bf16 else ''}, and another --out"
            )
        named = {f"loss/{name}": value for name, value in total.items()}
        if looked or self.config.clip:
            most = self.config.clip or math.inf
            norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), most))
            if looked:
                figures = {**named, "gradient_norm": norm, **self._watched.figures()}
                curves.add(self.step + 1, figures, kept=True)
        rate = float(self.schedule.get_last_lr()[0])
        curves.add(self.step + 1, {**named, "learning_rate": rate})
        self.optimizer.step()
        self.schedule.step()
        self.optimizer.zero_grad(set_to_none=True)
        self._average_weights()
        self.step += 1
        return total

    def _of_all_processes(self, losses: dict[str, float]) -> dict[str, float]:
        """The mean over the processes, which is the loss of all their recordings."""
        if self.accelerator.num_processes == 1:
            return losses
        own = torch.tensor(list(losses.values()), device=self.accelerator.device)
        dist.all_reduce(own)
        return {k: v / dist.get_world_size() for k, v in zip(losses, own.tolist(), strict=True)}

    @torch.no_grad()
    def _average_weights(self) -> None:
        """Running mean of the weights: what the finished model holds; steadier than the last."""
        if not self.config.average:
            return
        decay = min(self.config.average, (1 + self.step) / (10 + self.step))
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad:
                self.average[name].lerp_(parameter, 1 - decay)

    def save(self, path: Path) -> None:
        """Write the run atomically, by one process: a killed run never leaves half of one."""
        if self.accelerator.is_main_process:
            path.parent.mkdir(parents=True, exist_ok=True)
            tensors = {f"model.{n}": t.contiguous() for n, t in self.model.state_dict().items()}
            tensors |= {f"average.{name}": t.contiguous() for name, t in self.average.items()}
            for number, state in self.optimizer.state_dict()["state"].items():
                tensors |= {f"optimizer.{number}.{name}": t for name, t in state.items()}
            partial = path.with_suffix(".partial")
            save_file(tensors, partial, metadata={"step": str(self.step)})
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            partial.replace(path)
        self.accelerator.wait_for_everyone()

    def resume(self, path: Path) -> None:
        """Continue the run of `path`; a file that holds no state of this training is refused."""
        with read_back(path, RESUMED):
            tensors = load_file(path)
            with safe_open(path, "pt") as file:
                step = int(file.metadata()["step"])
            model, average = _below(tensors, "model"), _below(tensors, "average")
            state = self._fitting(model, average, _below(tensors, "optimizer"))
        self.model.load_state_dict(model)
        device = self.accelerator.device
        self.average = {name: tensor.to(device) for name, tensor in average.items()}
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})
        self.step = self.schedule.last_epoch = step
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * self._share_of_rate(self.step)

    def _fitting(
        self, model: Named, average: Named, moments: Named
    ) -> dict[int, dict[str, Tensor]]:
        """The optimizer's state by parameter; a `ValueError` where a name or a shape is another."""
        for found, wanted in ((model, self.model.state_dict()), (average, self.average)):
            if shapes(found) != shapes(wanted):
                raise ValueError("weights of another model")
        trained = [p for group in self.optimizer.param_groups for p in group["params"]]
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in moments.items():
            number, key = name.split(".")
            if tensor.ndim and tensor.shape != trained[int(number)].shape:
                raise ValueError("moments of another model")
            state.setdefault(int(number), {})[key] = tensor
        return state


def _below(tensors: Named, part: str) -> dict[str, Tensor]:
    """The tensors of a part of the state, by their names in it."""
    return {n.removeprefix(f"{part}."): t for n, t in tensors.items() if n.startswith(f"{part}.")}


def parameter_groups(trained: dict[str, nn.Parameter], config: StageConfig) -> list[dict[str, Any]]:
    """What decays, and what does not: norms, biases, embeddings, temperature and bias."""
    plain = {name for name, p in trained.items() if p.ndim < 2 or "embedding" in name}
    if config.decayed == "everything":
        plain = set()
    return [
        {
            "params": [p for n, p in trained.items() if n not in plain],
            "weight_decay": config.weight_decay,
        },
        {"params": [p for n, p in trained.items() if n in plain], "weight_decay": 0.0},
    ]


def freeze_text(model: Focal, config: StageConfig) -> None:
    """Keep the tag encoder as it came, or its first layers only, with or without its embeddings.

    A pooler that the model does not read takes no part either.
    """
    backbone = model.text.backbone
    if model.text.config.pooling != "pooler" and getattr(backbone, "pooler", None) is not None:
        backbone.pooler.requires_grad_(False)
    if config.freeze_text:
        model.text.requires_grad_(False)
    elif config.frozen_layers:
        layers = list(backbone.get_submodule("encoder.layer").children())
        if config.frozen_layers > len(layers):
            raise ConfigError(
                f"found frozen_layers {config.frozen_layers}; this tag encoder has {len(layers)}"
            )
        for layer in layers[: config.frozen_layers]:
            layer.requires_grad_(False)
        if config.frozen_embeddings:
            backbone.get_submodule("embeddings").requires_grad_(False)
