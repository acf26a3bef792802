"""Where P, QRS and T of every lead begin and end: a small U-Net over one lead at a time.

delineator = Delineator.load()                       # assets/delineator
waves = delineator.probabilities(signal_mv, 500.0)   # (L, 4, S) at delineator.rate_hz

Ronneberger et al. (MICCAI 2015) in one dimension; trained by `python -m train delineator`.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from focal_app.ecg.delineation_signal import DelineationSignal
from focal_app.ecg.pacing import spike_times_s, without_spikes
from focal_app.errors import CheckpointError, ConfigError
from focal_app.untrusted import read_json

EMBEDDED = Path(__file__).parents[2] / "assets" / "delineator"
CONFIG, WEIGHTS = "config.json", "model.safetensors"
CLASSES = ("none", "P", "QRS", "T")
_LARGEST_CONFIG = 100_000
_WIDEST, _DEEPEST = 512, 8


@dataclass(frozen=True)
class DelineatorConfig:
    """Sizes of the network, and how its signals are prepared."""

    widths: tuple[int, ...] = (12, 24, 36, 48, 64)
    kernel: int = 9
    signal: DelineationSignal = field(default_factory=DelineationSignal)

    def __post_init__(self) -> None:
        """Refuse sizes that a file may claim and nothing can be made of."""
        fits = 2 <= len(self.widths) <= _DEEPEST and all(
            type(width) is int and 1 <= width <= _WIDEST for width in self.widths
        )
        if not (fits and type(self.kernel) is int and 1 <= self.kernel <= 31 and self.kernel % 2):
            raise ConfigError(
                "found sizes of a delineator that cannot be made; use the config.json that was "
                "saved with the weights"
            )

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The config from plain values; an unknown or missing key is a `ConfigError`."""
        try:
            signal = DelineationSignal(**values["signal"])
            return cls(tuple(values["widths"]), values["kernel"], signal)
        except (KeyError, TypeError) as error:
            raise ConfigError("config.json does not describe a delineator") from error


class Delineator(nn.Module):
    """Logits of `CLASSES` for every sample of a lead."""

    def __init__(self, config: DelineatorConfig) -> None:
        super().__init__()
        self.config = config
        widths, kernel = config.widths, config.kernel
        ins = (1, *widths[:-1])
        self.down = nn.ModuleList(_level(a, b, kernel) for a, b in zip(ins, widths, strict=True))
        pairs = list(zip(widths[1:], widths[:-1], strict=True))[::-1]
        self.up = nn.ModuleList(_level(low + high, high, kernel) for low, high in pairs)
        self.head = nn.Conv1d(widths[0], len(CLASSES), 1)

    def forward(self, signal: Float[Tensor, "B S"]) -> Float[Tensor, "B 4 S"]:
        """Any length: the end is padded to what the levels divide, and cut again."""
        length, step = signal.shape[-1], 2 ** (len(self.down) - 1)
        x, kept = F.pad(signal[:, None], (0, -length % step)), []
        for level in self.down:
            x = level(F.max_pool1d(x, 2) if kept else x)
            kept.append(x)
        for level, beside in zip(self.up, kept[-2::-1], strict=True):
            x = level(torch.cat([F.interpolate(x, scale_factor=2.0), beside], dim=1))
        return self.head(x)[..., :length]

    @property
    def rate_hz(self) -> int:
        """Samples a second of what it takes and gives."""
        return self.config.signal.sampling_rate_hz

    def probabilities(
        self,
        signal_mv: Float[np.ndarray, "L T"],
        rate_hz: float,
        *,
        spikes_s: Float[np.ndarray, " _"] | None = None,
    ) -> Float[np.ndarray, "L 4 S"]:
        """Probabilities of `CLASSES` for every sample of every lead, at `rate_hz` of its own.

        Spikes of a pacemaker are taken out first, which would pass for the onset of a QRS: those
        that the caller knows, or else looked for.
        """
        known = spike_times_s(signal_mv, rate_hz) if spikes_s is None else spikes_s
        bare = without_spikes(signal_mv, rate_hz, known)
        rows = torch.from_numpy(self.config.signal.prepared(bare, rate_hz))
        with torch.inference_mode():
            logits = self(rows.to(next(self.parameters()).device))
            return logits.softmax(dim=1).cpu().numpy()

    def save(self, folder: Path) -> None:
        """Write what `load` needs."""
        folder.mkdir(parents=True, exist_ok=True)
        written = json.dumps(dataclasses.asdict(self.config), indent=2)
        (folder / CONFIG).write_text(written + "\n", encoding="utf-8")
        weights = {name: one.detach().cpu().contiguous() for name, one in self.state_dict().items()}
        save_file(weights, folder / WEIGHTS)

    @classmethod
    def load(cls, folder: Path = EMBEDDED) -> Self:
        """The delineator of a folder, ready to be asked."""
        try:
            config = DelineatorConfig.from_dict(
                read_json(folder / CONFIG, most_bytes=_LARGEST_CONFIG)
            )
            model = cls(config)
            model.load_state_dict(load_file(folder / WEIGHTS))
        except (OSError, ValueError, RuntimeError, SafetensorError, ConfigError) as error:
            raise CheckpointError(
                "the delineator's config.json and model.safetensors are missing or do not belong "
                "together; fetch them again, or train one with `python -m train delineator`"
            ) from error
        return model.eval().requires_grad_(False)


def _level(inside: int, outside: int, kernel: int) -> nn.Sequential:
    """Two convolutions, each with batch norm."""
    made: list[nn.Module] = []
    for width in (inside, outside):
        made += [
            nn.Conv1d(width, outside, kernel, padding=kernel // 2, bias=False),
            nn.BatchNorm1d(outside),
            nn.ReLU(inplace=True),
        ]
    return nn.Sequential(*made)
