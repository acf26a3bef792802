"""One training step of the recipe `paper` against a plain rendering of the published one.

Same model, same batch, same loss, both in bf16: BERT-base of random weights with nine frozen
layers, 100 ECGs, tags drawn like MIMIC's (`tests.benchmarks.enrichment`). The plain step solves
transport record by record in 30 unrolled rounds, and encodes every tag of every report, padded to
64 tokens. On a CPU the plain step is timed on a fifth of the batch, times five, which flatters it:
its loss over all pairs of tags grows with their square. Both encode the ECGs alike, which bounds
the ratio.
"""

import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import AutoTokenizer, BertConfig, BertModel

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_lexicon
from focal_app.model.config import EncoderConfig, FocalConfig, TextConfig
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder
from tests.benchmarks.enrichment import CENTRAL, reports
from tests.benchmarks.timing import Row
from tests.benchmarks.transport import loop as plain_transport
from train.config import ObjectiveConfig, StageConfig
from train.loop import freeze_text
from train.losses import soft_sigmoid_loss
from train.objective import Objective, TagBatch

BATCH, FROZEN = 100, 9
TOKENIZER = Path(__file__).parents[2] / "assets" / "checkpoint" / "text"


def rows() -> list[Row]:
    """Time, speed and memory of both steps on this machine."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    on_gpu = device.type == "cuda"
    model, part = new_model().to(device).train(), 1 if on_gpu else 5
    batch, small = (drawn(size).to(device) for size in (BATCH, BATCH // part))
    objective = Objective(model, ObjectiveConfig(routing="own", targets="online"))
    ours = _seconds(model, lambda: objective(batch)["tags"], device, rounds=4 if on_gpu else 2)
    plain = _seconds(model, lambda: published(model, small), device, rounds=4 if on_gpu else 1)
    ratio, aim = part * plain[0] / ours[0], 10 if on_gpu else 8
    unique = len({tag for tags in batch.tags for tag in tags})
    every = sum(map(len, batch.tags))
    return [
        Row(
            f"training step on the {device.type}, batch {BATCH}, {unique} of {every} tags differ",
            f"{ratio:.1f} x the plain step ({ours[0]:.2f} s against {part * plain[0]:.2f} s)",
            f"{aim} x",
            ratio >= aim,
        ),
        Row("training speed of the recipe `paper`", f"{BATCH / ours[0]:.0f} ECG/s"),
        *([Row("peak memory", f"{ours[1]:.1f} GB against {plain[1]:.1f} GB")] if on_gpu else []),
    ]


def new_model() -> Focal:
    """The publication's sizes, with random weights."""
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(TOKENIZER)
    backbone = BertModel(BertConfig(vocab_size=len(tokenizer)))
    text = TextConfig("random", pooling="pooler", max_tokens=64)
    spec = SignalSpec(normalisation="record-minmax")
    model = Focal(
        FocalConfig(signal=spec, encoder=EncoderConfig(), text=text),
        TagEncoder(text, backbone, tokenizer, 256),
    )
    freeze_text(model, StageConfig(frozen_layers=FROZEN))
    return model


def drawn(size: int) -> TagBatch:
    """ECGs of noise; as many tags, and as often the same, as enrichment's MIMIC-like reports."""
    names = [name for statement in load_lexicon() for name in statement.names]
    drawn = islice(reports(CENTRAL, repeated=0.0), size)
    tags = tuple(tuple({_named(tag, names): None for tag in report}) for report in drawn)
    seen = torch.ones(size, 12, 10, dtype=torch.bool)
    return TagBatch(torch.randn(size, 12, 5000), seen, tags)


def _named(tag: str, names: list[str]) -> str:
    """A wording of the lexicon in place of "finding 12": as long as real ones, and as different."""
    kind, number = tag.split()
    return names[(97 * int(number) + 41 * (kind == "rhythm")) % len(names)]


def published(model: Focal, batch: TagBatch) -> Tensor:
    """The published step: nothing shared between records, S from the trained embeddings."""
    patches = model.encode_ecg(batch.signal, batch.seen)
    every = [tag for tags in batch.tags for tag in tags]
    padded = model.text.tokenizer(
        every, padding="max_length", truncation=True, max_length=64, return_tensors="pt"
    ).to(patches.device)
    z = F.normalize(model.text.projection(model.text.backbone(**padded).pooler_output), dim=-1)
    routed, start = [], 0
    for record, tags in zip(patches, batch.tags, strict=True):
        own = z[start : start + len(tags)]
        plan = plain_transport(1 - (own @ record.T)[None], model.config.epsilon)[0]
        routed.append(F.normalize(len(tags) * plan @ record, dim=-1))
        start += len(tags)
    targets = (0.5 * (1 + z @ z.T)).detach().clamp(0, 1)
    return soft_sigmoid_loss(model.logits(torch.cat(routed) @ z.T), targets) / len(every)


def _seconds(
    model: Focal, loss: Callable[[], Tensor], device: torch.device, *, rounds: int
) -> tuple[float, float]:
    """The shortest forward and backward, and the peak of the GPU's memory in GB."""
    best, on_gpu = float("inf"), device.type == "cuda"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    for _ in range(rounds):
        model.zero_grad()
        start = time.perf_counter()
        with torch.autocast(device.type, torch.bfloat16):
            found = loss()
        found.backward()
        if on_gpu:
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best, torch.cuda.max_memory_allocated() / 1e9 if on_gpu else 0.0
