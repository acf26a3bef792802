"""One training step of the recipe `focal`: as it is written, compiled, and in float32.

    python -m tests.benchmarks training_focal

The recipe's sizes with random weights, ECGs of noise, tags drawn like MIMIC's, their embeddings
made once, as `freeze_text` has it. The compiled encoder has to be one graph. The loss in bfloat16
is held beside that in float32, and beside what another draw of the ECGs changes. On a CPU a
twentieth of the batch is timed, and nothing is compiled. Each step runs in a process of its own.
"""

import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import torch
from torch import Tensor, nn

from tests.benchmarks.timing import Row
from tests.benchmarks.training import new_model, peak_gb, recordings, reports_drawn
from train.data.batch import Batch
from train.fit.asked import Asked
from train.fit.loop import freeze_text
from train.fit.objective import Objective
from train.fit.soft_targets import Speech
from train.recipe import load_recipe
from train.runs.training import config_of

STEPS, DRAWS = 20, 8


@dataclass(frozen=True)
class Measured:
    """Recordings a second, peak memory in GB, graphs of the encoder, losses of a few batches."""

    ecgs_per_second: float
    peak_gb: float
    graphs: int
    losses: list[float]


def rows() -> list[Row]:
    """Speed and memory of the ways to compute a step, and what they change in the loss."""
    kind = "cuda" if torch.cuda.is_available() else "cpu"
    ways = ("float32", "bfloat16", "compiled")[: 3 if kind == "cuda" else 2]
    found = {way: _alone(way) for way in ways}
    full, half = found["float32"], found["bfloat16"]
    apart = float(np.abs(np.subtract(full.losses, half.losses)).max())
    noise = float(np.std(full.losses, ddof=1))
    return [
        *(
            Row(
                f"Training step of `focal` on the {kind}, batch {size()}, {way}",
                f"{one.ecgs_per_second:.0f} ECG/s, {one.peak_gb:.1f} GB",
            )
            for way, one in found.items()
        ),
        *(
            Row("Graphs of the compiled encoder", str(one.graphs), "1", one.graphs == 1)
            for way, one in found.items()
            if way == "compiled"
        ),
        Row(
            f"Loss in bfloat16 against float32, at most, of {DRAWS} batches; and their spread",
            f"{apart:.4f}, {noise:.4f} (mean {np.mean(full.losses):.3f})",
            "below the spread",
            apart < noise,
        ),
    ]


def size() -> int:
    """Recordings in a step: the recipe's on a GPU."""
    whole = load_recipe("focal").coarse.batch
    return whole if torch.cuda.is_available() else whole // 20


def _alone(way: str) -> Measured:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(_measured, way).result()


def _measured(way: str) -> Measured:
    recipe = load_recipe("focal")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = new_model(config_of(recipe)).to(device).train()
    freeze_text(model, recipe.coarse)
    model.text.eval()
    tags = reports_drawn(size())
    asked = Asked.by_tags({tag for report in tags for tag in report}, [Speech()], None)
    bf16 = way != "float32"
    objective = Objective(model, recipe.objective, asked, text_fixed=True, bf16=bf16)
    torch.manual_seed(0)  # the same noise in every precision
    batches = [recordings(tags, asked).to(device) for _ in range(DRAWS)]
    with torch.no_grad():
        losses = [_loss(objective, batch).item() for batch in batches]
    graphs = _compile(model.encoder) if way == "compiled" else []
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), fused=True)

    def run(steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            objective(batches[0])["tags"].backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    run(3)  # compiles and warms up
    speed = STEPS * size() / run(STEPS)
    return Measured(speed, peak_gb(device), len(graphs), losses)


def _loss(objective: Objective, batch: Batch) -> Tensor:
    """Without dropout, which would not be drawn alike."""
    objective.model.encoder.eval()
    loss = objective(batch)["tags"]
    objective.model.encoder.train()
    return loss


def _compile(encoder: nn.Module) -> list[int]:
    """Compile it as the trainer does, and count the graphs that it is made into."""
    from torch._inductor.compile_fx import compile_fx

    made: list[int] = []

    def counted(graph, inputs):
        made.append(1)
        return compile_fx(graph, inputs)

    encoder.compile(backend=counted)
    return made
