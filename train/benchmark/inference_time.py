"""What a reading costs beyond the encoder, and beside others: relative times, turn by turn.

python -m train evaluate inference-time --checkpoint assets/checkpoint
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_prompt_sets
from focal_app.model.device import wait_for
from focal_app.model.focal import Focal, similarities
from focal_app.model.text import embed_tags
from focal_app.model.transport import semi_unbalanced_transport
from train.benchmark.merl import Merl, MerlConfig

PLAIN = "encoder alone"
TAGS = 5
"""Tags of a usual report, for the transport as training solves it."""


@dataclass(frozen=True)
class Way:
    """A way to read a batch: its time over that of the encoder alone, and recordings a second."""

    name: str
    relative: float
    ecg_per_second: float


@dataclass(frozen=True)
class InferenceTime:
    """Every way, on noise of `batch` recordings, for `prompts` prompts encoded beforehand.

    The last is another model, our rendering of MERL at its size, whose encoder is its own.
    """

    batch: int
    prompts: int
    threads: int
    ways: tuple[Way, ...]


def inference_time(model: Focal, *, batch: int = 16, rounds: int = 15) -> InferenceTime:
    """Median times over rounds in which the ways take turns, so that all meet the same load."""
    runs, prompts = _runs(model, batch)
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 2):
        for name, run in runs.items():
            start = time.perf_counter()
            with torch.inference_mode():
                run()
                wait_for(model.device)
            if number >= 2:  # the first rounds warm up
                times[name].append(time.perf_counter() - start)
    plain = float(np.median(times[PLAIN]))
    ways = tuple(
        Way(name, float(np.median(found)) / plain, batch / float(np.median(found)))
        for name, found in times.items()
    )
    return InferenceTime(batch, prompts, torch.get_num_threads(), ways)


def _runs(model: Focal, batch: int) -> tuple[dict[str, Callable[[], object]], int]:
    spec, config = model.config.signal, model.config
    noise = torch.Generator().manual_seed(0)
    signal = torch.randn(batch, len(LEADS), spec.samples, generator=noise).to(model.device)
    seen = torch.ones(batch, len(LEADS), spec.windows, dtype=torch.bool, device=model.device)
    z = embed_tags(model.text, list(load_prompt_sets()["everyday"].prompts)).to(model.device)
    kept = seen.flatten(1)
    merl = _untrained_merl(spec, z.shape[1]).to(model.device)
    merl_z = merl.encode_text(z).detach()

    def encode() -> torch.Tensor:
        return model.encode_ecg(signal, seen)

    def pooled() -> torch.Tensor:
        return torch.nn.functional.normalize(encode().mean(1), dim=-1) @ z.T

    def routed() -> torch.Tensor:
        return similarities(encode(), z, kept, epsilon=config.epsilon, tau=config.tau)[0]

    def report() -> torch.Tensor:
        cost = 1 - z[:TAGS] @ encode().mT
        return semi_unbalanced_transport(cost, epsilon=config.epsilon, tau=config.tau).plan

    def whole() -> torch.Tensor:
        return merl.encode_ecg(signal) @ merl_z.T

    runs: dict[str, Callable[[], object]] = {
        PLAIN: encode,
        "two towers: cosine with the mean patch": pooled,
        "routed, each prompt alone": routed,
        f"Semi-UOT, {TAGS} tags together": report,
        "MERL-style ResNet18: cosine with its one vector": whole,
    }
    return runs, len(z)


def _untrained_merl(spec: SignalSpec, text_width: int) -> Merl:
    """At the published size; what its weights are changes no time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Merl(MerlConfig(signal=spec, text="", text_width=text_width)).eval()
