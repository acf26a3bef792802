"""Five steps of training, alone or as one of several processes of torchrun.

torchrun --nproc_per_node 2 five_steps.py CHECKPOINT OUT ROUTING TARGETS
"""

import json
import sys
from pathlib import Path

import torch
from accelerate import Accelerator
from safetensors.torch import save_file

from focal_app.model.focal import Focal
from train.fit.distributed import World
from train.fit.loop import Loop, freeze_text
from train.fit.objective import Objective, TagBatch
from train.recipe import ObjectiveConfig, StageConfig

TAGS = (
    ("atrial fibrillation", "left bundle branch block"),
    ("sinus rhythm",),
    ("sinus rhythm", "inferior myocardial infarction", "atrial fibrillation"),
    ("anterior infarct, old",),
)
STEPS = 5


def batches(first: int, size: int, rank: int):
    """This process's part of every step's four recordings."""
    mine = slice(rank * 4 // size, (rank + 1) * 4 // size)
    while True:
        generator = torch.Generator().manual_seed(first)
        signal = torch.randn(4, 12, 5000, generator=generator)
        seen = torch.ones(4, 12, 10, dtype=torch.bool)
        seen[first % 4, first % 12] = False
        signal = signal * seen.repeat_interleave(500, 2)
        tags = TAGS[first % 4 :] + TAGS[: first % 4]
        yield (TagBatch(signal[mine], seen[mine], tags[mine]),)
        first += 1


def main(checkpoint: str, out: str, routing: str, targets: str) -> None:
    """Train, and write this process's losses and, by the first, the weights."""
    torch.set_num_threads(1)
    accelerator = Accelerator(cpu=True)
    model = Focal.load(checkpoint)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    stage = StageConfig(steps=STEPS, batch=4, learning_rate=1e-3, bf16=False, average=0.0)
    freeze_text(model, stage)
    world = World()
    objective = Objective(
        model, ObjectiveConfig(routing=routing, targets=targets, chunk=3), world=world
    )
    loop = Loop(objective, model, stage, steps=STEPS, seed=0, accelerator=accelerator)
    source = batches(0, world.size, world.rank)
    losses = [loop.advance(source)["tags"] for _ in range(STEPS)]
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"losses-{world.rank}.json").write_text(json.dumps([world.size, losses]))
    if world.rank == 0:
        weights = {name: t.contiguous().clone() for name, t in model.state_dict().items()}
        save_file(weights, folder / "weights.safetensors")
    accelerator.end_training()


if __name__ == "__main__":
    main(*sys.argv[1:])
