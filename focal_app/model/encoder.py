"""The spatial-temporal ViT: an ECG in, one embedding for each of its lead x window patches out."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.config import EncoderConfig
from focal_app.model.record_path import RecordPath


class ECGEncoder(nn.Module):
    """Patches of every lead, with lead and time embeddings, through a transformer (Eq. 1-2)."""

    def __init__(self, config: EncoderConfig, signal: SignalSpec) -> None:
        super().__init__()
        self.samples = signal.window_samples
        width = config.width
        conv = config.stem == "conv"
        self.stem = (ConvStem if conv else nn.Linear)(self.samples, width)
        rate_hz = signal.sampling_rate_hz
        self.record = RecordPath(rate_hz, width) if config.record_path else None
        self.lead_embedding = nn.Parameter(torch.randn(len(LEADS), 1, width) * 0.02)
        self.time_embedding = nn.Parameter(torch.randn(1, signal.windows, width) * 0.02)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.depth))
        self.norm = nn.LayerNorm(width)

    def forward(
        self,
        signal: Float[Tensor, "B L T"],
        seen: Bool[Tensor, "B L N_time"],
        *,
        first_window: int = 0,
    ) -> Float[Tensor, "B N width"]:
        """Patch embeddings, patch p = lead * N_time + window.

        Patches that are not `seen` take no part: nothing attends to them and they are zero. A
        signal of fewer windows is a section that begins with `first_window`, and all that the
        record path sees.
        """
        batch, leads, windows = seen.shape
        patches = signal.reshape(batch * leads * windows, self.samples)
        tokens = self.stem(patches).view(batch, leads, windows, -1)
        when = self.time_embedding[:, first_window : first_window + windows]
        tokens = (tokens + self.lead_embedding + when).flatten(1, 2)
        if self.record is not None:
            shown = signal * seen.repeat_interleave(self.samples, dim=2)
            tokens = tokens + self.record(shown)[:, None]
        kept = seen.flatten(1)
        mask = _attention_mask(kept)
        for block in self.blocks:
            tokens = block(tokens, mask)
        return self.norm(tokens) * kept[..., None]


def _attention_mask(kept: Bool[Tensor, "B N"]) -> Bool[Tensor, "B 1 1 N"] | None:
    """The patches that may be attended to; None for all of them, where a CPU gains by it.

    To ask an accelerator whether all are kept would wait for it, and would break a compiled graph.
    """
    eager = kept.device.type == "cpu" and not torch.compiler.is_compiling()
    return None if eager and bool(kept.all()) else kept[:, None, None, :]


class Block(nn.Module):
    """A pre-norm transformer block whose attention passes over masked patches."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width = config.width
        self.heads, self.dropout = config.heads, config.dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(
        self, tokens: Float[Tensor, "B N width"], mask: Bool[Tensor, "B 1 1 N"] | None
    ) -> Float[Tensor, "B N width"]:
        """Attention over the patches of the mask, then the feed-forward part, each added."""
        tokens = tokens + self._drop(self._attend(self.norm1(tokens), mask))
        hidden = F.gelu(self.up(self.norm2(tokens)))
        return tokens + self._drop(self.down(hidden))

    def _attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        batch, n, width = x.shape
        q, k, v = self.qkv(x).view(batch, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(mixed.transpose(1, 2).reshape(batch, n, width))

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


class ConvStem(nn.Module):
    """Two strided convolutions inside one patch, then one linear map that keeps the phase.

    Filters of 48 ms every 20 ms, then 120 ms every 100 ms. Written as matrix products over
    frames, which a CPU trains 1.7 times as fast as convolutions. Nothing crosses the border of a
    patch.
    """

    FRAME, HOP, CHANNELS = 24, 10, 64
    STRIDE, FEATURES = 5, 64
    GROUP = STRIDE + 1

    def __init__(self, samples: int, width: int) -> None:
        super().__init__()
        steps = samples // (self.HOP * self.STRIDE)
        if steps * self.HOP * self.STRIDE != samples:
            raise ConfigError(
                f"found {samples} samples a patch; the conv stem needs a multiple of "
                f"{self.HOP * self.STRIDE}"
            )
        self.frames = nn.Linear(self.FRAME, self.CHANNELS)
        self.groups = nn.Linear(self.GROUP * self.CHANNELS, self.FEATURES)
        self.out = nn.Linear(steps * self.FEATURES, width)

    def forward(self, patches: Float[Tensor, "K samples"]) -> Float[Tensor, "K width"]:
        """Tokens of patches."""
        edge = self.FRAME - self.HOP
        x = F.pad(patches, (edge // 2, edge - edge // 2)).unfold(1, self.FRAME, self.HOP)
        x = F.gelu(self.frames(x))
        # A group is STRIDE frames and the next one's first: added, where both by one product would
        # need a copy of all and, backwards, as long as the products themselves.
        weight = self.groups.weight.unflatten(1, (self.CHANNELS, self.GROUP)).transpose(1, 2)
        own, next_first = (part.flatten(1) for part in weight.split([self.STRIDE, 1], dim=1))
        whole = x.unflatten(1, (-1, self.STRIDE)).flatten(2)
        grouped = F.linear(whole, own, self.groups.bias)
        after = F.linear(x[:, self.STRIDE :: self.STRIDE], next_first)
        return self.out(F.gelu(grouped + F.pad(after, (0, 0, 0, 1))).flatten(1))
