"""Training of the delineator: random cuts of known leads, made harder, in minutes on two cores.

Resumable: weights, optimizer and step are saved together, and a step draws the same cuts whenever
it is reached.
"""

import dataclasses
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.ndimage import uniform_filter1d
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from focal_app.errors import ConfigError
from focal_app.model.delineator import Delineator, DelineatorConfig
from focal_app.model.device import best_device
from train.delineate.leads import KnownLeads
from train.read_back import read_back

CLASS_WEIGHTS = (1.0, 2.0, 1.5, 1.0)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long and how much at a time; `simulated_share` of every batch is drawn by us."""

    steps: int = 600
    batch: int = 32
    samples: int = 2048
    learning_rate: float = 3e-3
    simulated_share: float = 0.25
    seed: int = 0
    save_every: int = 50


def train_delineator(
    real: Sequence[KnownLeads],
    simulated: Sequence[KnownLeads],
    plan: Plan,
    saved: Path,
    *,
    name: str,
) -> Delineator:
    """A delineator that learnt from these leads; goes on where `saved` stopped.

    `ConfigError` where `saved` is of another plan, or of other numbers of leads.
    """
    torch.manual_seed(plan.seed)
    model = Delineator(DelineatorConfig()).to(best_device()).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, plan.learning_rate, total_steps=plan.steps + 1
    )
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule}
    asked = {**dataclasses.asdict(plan), "real": len(real), "simulated": len(simulated)}
    first = _resumed(saved, asked, parts)
    weights = torch.tensor(CLASS_WEIGHTS, device=best_device())
    for step in (bar := tqdm(range(first, plan.steps), initial=first, total=plan.steps, desc=name)):
        signal, classes = _batch(real, simulated, plan, step)
        logits = model(signal.to(best_device()))
        loss = F.cross_entropy(logits, classes.to(best_device()), weights, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 10 == 0:
            bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
        if (step + 1) % plan.save_every == 0 or step + 1 == plan.steps:
            _save(saved, asked, parts, step + 1)
    return _evenly(model).eval().requires_grad_(False)


def _evenly(model: Delineator) -> Delineator:
    """Logits as if every class had counted alike: heavier ones would come out too wide."""
    with torch.no_grad():
        bias = model.head.bias
        assert bias is not None
        bias -= torch.tensor(CLASS_WEIGHTS, device=bias.device).log()
    return model


def _save(saved: Path, asked: dict, parts: dict, step: int) -> None:
    """Whole or not at all: a run that is killed while it writes keeps what was there."""
    saved.parent.mkdir(parents=True, exist_ok=True)
    new = saved.with_suffix(".new")
    whole = io.BytesIO()  # a file of its own would hide that the disk is full
    states = {name: one.state_dict() for name, one in parts.items()}
    torch.save({"step": step, "asked": asked, **states}, whole)
    new.write_bytes(whole.getbuffer())
    new.replace(saved)


def _resumed(saved: Path, asked: dict, parts: dict) -> int:
    if not saved.is_file():
        return 0
    with read_back(saved, "put it back, or delete it to train this network again"):
        # Where the optimizer counts its steps: on a GPU each step would wait for that number.
        state = torch.load(saved, map_location="cpu", weights_only=True)
        before = state["asked"]
        if other := [name for name in before | asked if asked.get(name) != before.get(name)]:
            found, needed = (
                ", ".join(f"{name} {of.get(name)}" for name in other) for of in (before, asked)
            )
            raise ConfigError(
                f"found in {saved.name} a training with {found}, not {needed}; give another "
                "folder, or ask as before to go on with it"
            )
        for name, one in parts.items():
            one.load_state_dict(state[name])
        return state["step"]


def _batch(
    real: Sequence[KnownLeads], simulated: Sequence[KnownLeads], plan: Plan, step: int
) -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng([plan.seed, step])
    drawn = round(plan.batch * plan.simulated_share) if simulated else 0
    pairs = [
        _cut(known[int(rng.integers(len(known)))], plan.samples, rng)
        for known, count in ((real, plan.batch - drawn), (simulated, drawn))
        for _ in range(count)
    ]
    signals, classes = zip(*pairs, strict=True)
    return (
        torch.from_numpy(np.stack(signals).astype(np.float32)),
        torch.from_numpy(np.stack(classes).astype(np.int64)),
    )


def _cut(
    known: KnownLeads, samples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    lead = int(rng.integers(len(known.signal)))
    spare = known.signal.shape[1] - samples
    first = int(rng.integers(spare + 1)) if spare > 0 else 0
    signal, classes = (rows[lead, first : first + samples] for rows in vars(known).values())
    short = samples - len(signal)
    classes = np.pad(classes, (0, short), constant_values=-1)
    return _harder(np.pad(signal, (0, short)), rng), classes


def _harder(signal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Other gains, turned over, softened, with drift, hum and noise: what a recording may meet."""
    time = np.arange(len(signal)) / 250
    made = signal * np.exp(rng.normal(0, 0.3)) * (-1 if rng.random() < 0.15 else 1)
    if rng.random() < 0.25:
        made = uniform_filter1d(made, int(rng.integers(2, 5)))
    made = made + rng.uniform(0, 0.15) * np.sin(
        2 * np.pi * rng.uniform(0.1, 0.7) * time + rng.uniform(0, 2 * np.pi)
    )
    if rng.random() < 0.1:
        made = made + rng.uniform(0, 0.08) * np.sin(2 * np.pi * rng.choice([50, 60]) * time)
    return made + rng.normal(0, rng.uniform(0.002, 0.04), len(signal))
