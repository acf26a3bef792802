"""A model in the manner of MERL, our own rendering: one vector an ECG, one a whole report.

It serves to ask whether enriched reports help another model than FOCAL (paper, table of
transferability). The loss is global contrast between ECG and report, and alignment of two dropout
views of the same ECG (Liu et al. 2024).
"""

from collections.abc import Callable, Iterable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class MerlStyle(nn.Module):
    """A small residual network over the samples, mean pooling, and a projection of frozen text."""

    def __init__(self, text_width: int, *, width: int = 64, embed_dim: int = 64) -> None:
        super().__init__()
        self.stem = nn.Conv1d(12, width, 15, stride=5, padding=7)
        self.blocks = nn.ModuleList(Residual(width) for _ in range(4))
        self.dropout = nn.Dropout(0.1)
        self.ecg_projection = nn.Linear(width, embed_dim)
        self.text_projection = nn.Linear(text_width, embed_dim)
        self.log_temperature = nn.Parameter(torch.tensor(np.log(1 / 0.07), dtype=torch.float32))

    def latent(self, signal: Float[Tensor, "B L T"]) -> Float[Tensor, "B width"]:
        """One vector an ECG, before projection."""
        x = self.stem(signal)
        for block in self.blocks:
            x = block(x)
        return x.mean(2)

    def encode_ecg(self, signal: Float[Tensor, "B L T"]) -> Float[Tensor, "B d"]:
        """Unit vector of every ECG."""
        return F.normalize(self.ecg_projection(self.latent(signal)), dim=-1)

    def encode_text(self, z: Float[Tensor, "K text"]) -> Float[Tensor, "K d"]:
        """Unit vector of every text, from its frozen embedding."""
        return F.normalize(self.text_projection(z), dim=-1)

    def loss(self, signal: Float[Tensor, "B L T"], z: Float[Tensor, "B text"]) -> Float[Tensor, ""]:
        """Cross-modal contrast plus uni-modal alignment."""
        latent, scale = self.latent(signal), self.log_temperature.exp()
        ecg = F.normalize(self.ecg_projection(latent), dim=-1)
        views = [F.normalize(self.dropout(latent), dim=-1) for _ in range(2)]
        return contrast(ecg, self.encode_text(z), scale) + contrast(views[0], views[1], scale)


class Residual(nn.Module):
    """Two convolutions with a shortcut; the second half of the samples of the first is dropped."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(width, width, 7, stride=2, padding=3)
        self.second = nn.Conv1d(width, width, 7, padding=3)
        self.norms = nn.ModuleList(nn.GroupNorm(8, width) for _ in range(2))
        self.shortcut = nn.Conv1d(width, width, 1, stride=2)

    def forward(self, x: Float[Tensor, "B width T"]) -> Float[Tensor, "B width half"]:
        """Half as many samples."""
        inner = F.gelu(self.norms[0](self.first(x)))
        return F.gelu(self.norms[1](self.second(inner)) + self.shortcut(x))


def contrast(
    one: Float[Tensor, "B d"], other: Float[Tensor, "B d"], scale: Tensor
) -> Float[Tensor, ""]:
    """Symmetric InfoNCE: every row belongs to the same row of the other."""
    logits = scale * one @ other.T
    target = torch.arange(len(one))
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2


def fit(
    signal: Callable[[np.ndarray], Tensor],
    z: Float[Tensor, "R text"],
    *,
    steps: int,
    batch: int = 64,
    learning_rate: float = 1e-3,
    seed: int = 0,
) -> MerlStyle:
    """Train on `signal(rows)` and the text of the same rows; drawn by the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, rng = MerlStyle(z.shape[1]), np.random.default_rng(seed)
        optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        for _ in range(steps):
            rows = rng.choice(len(z), min(batch, len(z)), replace=False)
            loss = model.loss(signal(rows), z[torch.from_numpy(rows)])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval()


@torch.inference_mode()
def cosines(
    model: MerlStyle, signals: Iterable[Tensor], z: Float[Tensor, "K text"]
) -> Float[np.ndarray, "R K"]:
    """Cosine of every ECG, given in batches, with every text."""
    asked = model.encode_text(z)
    return torch.cat([model.encode_ecg(part) @ asked.T for part in signals]).numpy()
