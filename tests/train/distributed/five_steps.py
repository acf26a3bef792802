"""Five steps of training, alone or as one of several processes of torchrun.

torchrun --nproc_per_node 2 five_steps.py cpu|cuda CHECKPOINT OUT ROUTING-TARGETS-ASK_OVER ...

A way that ends in `-fixed` keeps the tag encoder as it came, and weighs no places.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
from accelerate import Accelerator
from safetensors.torch import save_file

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from train.data.batch import Batch
from train.fit.asked import Asked
from train.fit.distributed import Processes, leave
from train.fit.loop import Loop, freeze_text
from train.fit.objective import Objective
from train.fit.soft_targets import Speech
from train.recipe import ObjectiveConfig, StageConfig

TAGS = (
    ("atrial fibrillation", "left bundle branch block"),
    ("sinus rhythm",),
    ("sinus rhythm", "inferior myocardial infarction", "atrial fibrillation"),
    ("anterior infarct, old",),
)
STEPS = 5
exchanges: list[str] = []
"""What the processes exchange, but for gradients of weights, which DDP averages by itself."""


def counted(exchange: Callable) -> Callable:
    """The same exchange, noted."""

    def noted(*arguments, **named):
        exchanges.append(exchange.__name__)
        return exchange(*arguments, **named)

    return noted


def asked_over(what: str, targets: str) -> Asked:
    """The tags of these reports, or the lexicon's statements."""
    tags, lexicon = {tag for report in TAGS for tag in report}, load_lexicon()
    if what == "lexicon":
        return Asked.by_statements(tags, [Speech(["sinus rhythm"])], lexicon)
    return Asked.by_tags(tags, [Speech()], lexicon if targets == "lexicon" else None)


def batches(asked: Asked, first: int, size: int, rank: int):
    """This process's part of every step's four recordings; each second one shows its first tag."""
    mine = slice(rank * 4 // size, (rank + 1) * 4 // size)
    while True:
        generator = torch.Generator().manual_seed(first)
        signal = torch.randn(4, 12, 5000, generator=generator)
        seen = torch.ones(4, 12, 10, dtype=torch.bool)
        seen[first % 4, first % 12] = False
        signal = signal * seen.repeat_interleave(500, 2)
        names = TAGS[first % 4 :] + TAGS[: first % 4]
        tags = [asked.vocabulary.numbers(report).tolist() for report in names][mine]
        place = torch.zeros(120)
        place[first : first + 9] = 1
        shown = [(i, tags[i][0], place) for i in range(len(tags)) if (i + mine.start) % 3 == 0]
        yield Batch.of(signal[mine], seen[mine], tags, shown=shown, number=first)
        first += 1


def accelerator_on(where: str) -> Accelerator:
    """On the CPU, or a GPU each; where one is all there is they share it, which NCCL refuses."""
    if where == "cuda" and int(os.environ.get("WORLD_SIZE", 1)) > torch.cuda.device_count():
        dist.init_process_group("gloo")
        os.environ["LOCAL_RANK"] = "0"
    return Accelerator(cpu=where == "cpu")


def main(where: str, checkpoint: str, out: str, *ways: str) -> None:
    """Train in each way, for the processes start more slowly than they train."""
    torch.set_num_threads(1)
    accelerator = accelerator_on(where)
    assert accelerator.device.type == where
    dist.all_reduce, dist.all_gather = counted(dist.all_reduce), counted(dist.all_gather)
    for way in ways:
        train(accelerator, checkpoint, Path(out) / way, *way.split("-"))


def train(
    accelerator: Accelerator,
    checkpoint: str,
    folder: Path,
    routing: str,
    targets: str,
    over: str,
    *fixed: str,
) -> None:
    """Train, and write this process's losses and, by the first, the weights."""
    model = Focal.load(checkpoint)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    stage = StageConfig(
        steps=STEPS,
        batch=4,
        learning_rate=1e-3,
        bf16=False,
        average=0.0,
        freeze_text=bool(fixed),
    )
    freeze_text(model, stage)
    processes, asked = Processes(), asked_over(over, targets)
    weight = 0.0 if routing == "own" or fixed else 1.0
    config = ObjectiveConfig(
        ask_over=over, routing=routing, targets=targets, place_weight=weight, chunk=3
    )
    objective = Objective(model, config, asked, text_fixed=stage.freeze_text, processes=processes)
    loop = Loop(objective, model, stage, steps=STEPS, seed=0, accelerator=accelerator)
    source = batches(asked, 0, processes.size, processes.rank)
    exchanges.clear()
    losses = [sum(loop.advance(source).values()) for _ in range(STEPS)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"exchanges-{processes.rank}.json").write_text(json.dumps(exchanges))
    (folder / f"losses-{processes.rank}.json").write_text(json.dumps([processes.size, losses]))
    if processes.rank == 0:
        weights = {name: t.contiguous().clone() for name, t in model.state_dict().items()}
        save_file(weights, folder / "weights.safetensors")


if __name__ == "__main__":
    main(*sys.argv[1:])
    leave()
