"""One training step of the recipe `paper` against a plain rendering of the published one.

Same model, same batch, same loss: BERT-base of random weights with nine frozen layers, 100 ECGs,
tags drawn like MIMIC's (`tests.benchmarks.enrichment`). The plain step solves transport record by
record in 30 unrolled rounds, encodes every tag of every report, padded to 64 tokens, and computes
in float32, since the paper names no other precision; it is also timed in bfloat16, as ours is. On a
CPU it is timed on a fifth of the batch, times five. Each step runs in a process of its own, whose
peak memory is its own.
"""

import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
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
from train.data.batch import Batch
from train.fit.asked import Asked
from train.fit.loop import freeze_text
from train.fit.losses import soft_sigmoid_loss
from train.fit.objective import Objective
from train.fit.soft_targets import Speech
from train.recipe import ObjectiveConfig, StageConfig

BATCH, FROZEN, THREADS = 100, 9, 2
PAPER = SignalSpec(normalisation="record-minmax")
TOKENIZER = Path(__file__).parents[2] / "assets" / "checkpoint" / "text"


@dataclass(frozen=True)
class Step:
    """Seconds for the whole batch, and the peak memory of what was run, in GB."""

    seconds: float
    peak_gb: float


def rows() -> list[Row]:
    """Time, speed and memory of the steps on this machine."""
    kind = "cuda" if torch.cuda.is_available() else "cpu"
    aim, tags = (10 if kind == "cuda" else 8), reports_drawn(BATCH)
    ours, plain, half = (_alone(step) for step in ("ours", "plain", "plain bf16"))
    ratio, every = plain.seconds / ours.seconds, [tag for report in tags for tag in report]
    return [
        Row(
            f"Training step on the {kind}, batch {BATCH}, {len(set(every))} of {len(every)} tags "
            "differ, against the plain step",
            f"{ratio:.1f} x ({ours.seconds:.1f} s, {plain.seconds:.1f} s)",
            f"{aim} x",
            ratio >= aim,
        ),
        Row("The same, the plain step in bfloat16", f"{half.seconds / ours.seconds:.1f} x"),
        Row("Training speed of the recipe `paper`", f"{BATCH / ours.seconds:.0f} ECG/s"),
        Row(
            f"Peak memory of the step, and of the plain one on {BATCH // _parts()} ECGs",
            f"{ours.peak_gb:.1f} GB, {plain.peak_gb:.1f} GB",
        ),
    ]


def _parts() -> int:
    return 1 if torch.cuda.is_available() else 5


def _alone(step: str) -> Step:
    spawned, threads = get_context("spawn"), torch.set_num_threads
    with ProcessPoolExecutor(1, spawned, initializer=threads, initargs=(THREADS,)) as alone:
        return alone.submit(_measured, step).result()


def _measured(step: str) -> Step:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = new_model().to(device).train()
    if step == "ours":
        tags, parts = reports_drawn(BATCH), 1
        asked = Asked.by_tags({tag for report in tags for tag in report}, [Speech()], None)
        batch = recordings(tags, asked).to(device)
        paper = ObjectiveConfig(routing="own", targets="online")
        objective = Objective(model, paper, asked, bf16=True)
        run = lambda: objective(batch)["tags"]  # noqa: E731
    else:
        tags, parts = reports_drawn(BATCH // _parts()), _parts()
        asked = Asked.by_tags({tag for report in tags for tag in report}, [Speech()], None)
        batch = recordings(tags, asked).to(device)
        run = lambda: published(model, batch, tags)  # noqa: E731
    seconds = _shortest(model, run, device, bf16=step != "plain")
    return Step(parts * seconds, peak_gb(device))


def peak_gb(device: torch.device) -> float:
    """The most memory of a GPU, or of this process, that was in use."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated() / 2**30
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def new_model(config: FocalConfig | None = None) -> Focal:
    """The publication's sizes, or another config's encoder and dials, with random weights."""
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(TOKENIZER)
    backbone = BertModel(BertConfig(vocab_size=len(tokenizer)))
    text = TextConfig("random", pooling="pooler", max_tokens=64)
    config = replace(config or FocalConfig(signal=PAPER, encoder=EncoderConfig()), text=text)
    model = Focal(config, TagEncoder(text, backbone, tokenizer, config.embed_dim))
    freeze_text(model, StageConfig(steps=1, frozen_layers=FROZEN))
    return model


def reports_drawn(size: int) -> tuple[tuple[str, ...], ...]:
    """As many tags, and as often the same, as enrichment's MIMIC-like reports."""
    names = [name for statement in load_lexicon() for name in statement.names]
    drawn = islice(reports(CENTRAL, repeated=0.0), size)
    return tuple(tuple({_named(tag, names): None for tag in report}) for report in drawn)


def recordings(tags: tuple[tuple[str, ...], ...], asked: Asked) -> Batch:
    """ECGs of noise with these tags."""
    seen = torch.ones(len(tags), 12, 10, dtype=torch.bool)
    numbered = [asked.vocabulary.numbers(report).tolist() for report in tags]
    return Batch.of(torch.randn(len(tags), 12, 5000), seen, numbered)


def _named(tag: str, names: list[str]) -> str:
    """A wording of the lexicon in place of "finding 12": as long as real ones, and as different."""
    kind, number = tag.split()
    return names[(97 * int(number) + 41 * (kind == "rhythm")) % len(names)]


def published(model: Focal, batch: Batch, reports: tuple[tuple[str, ...], ...]) -> Tensor:
    """The published step: nothing shared between records, S from the trained embeddings."""
    patches = model.encode_ecg(batch.signal, batch.seen)
    every = [tag for tags in reports for tag in tags]
    padded = model.text.tokenizer(
        every, padding="max_length", truncation=True, max_length=64, return_tensors="pt"
    ).to(patches.device)
    z = F.normalize(model.text.projection(model.text.backbone(**padded).pooler_output), dim=-1)
    routed, start = [], 0
    for record, tags in zip(patches, reports, strict=True):
        own = z[start : start + len(tags)]
        plan = plain_transport(1 - (own @ record.T)[None], model.config.epsilon)[0]
        routed.append(F.normalize(len(tags) * plan @ record, dim=-1))
        start += len(tags)
    targets = (0.5 * (1 + z @ z.T)).detach().clamp(0, 1)
    return soft_sigmoid_loss(model.logits(torch.cat(routed) @ z.T), targets) / len(every)


def _shortest(
    model: Focal, loss: Callable[[], Tensor], device: torch.device, *, bf16: bool
) -> float:
    """Seconds of the shortest of a few forward and backward passes."""
    best = float("inf")
    for _ in range(3):
        model.zero_grad()
        start = time.perf_counter()
        with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
            found = loss()
        found.backward()
        if device.type == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best
