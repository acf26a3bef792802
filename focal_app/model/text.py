"""The tag encoder: any Hugging Face text model, pooled and projected to the shared space."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from focal_app.model.config import TextConfig, TextHead

TOGETHER = 64
"""Tags that are encoded in one go."""


class TagEncoder(nn.Module):
    """Tags in, unit vectors out (Eq. 3-4). Equal tags are encoded once."""

    def __init__(
        self,
        config: TextConfig,
        backbone: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        embed_dim: int,
    ) -> None:
        super().__init__()
        self.config, self.tokenizer, self.backbone = config, tokenizer, backbone
        self.projection = _head(config.head, backbone.config.hidden_size, embed_dim)

    @property
    def device(self) -> torch.device:
        """Where the weights lie."""
        return next(self.projection.parameters()).device

    def forward(self, tags: Sequence[str]) -> Float[Tensor, "K d"]:
        """Unit embeddings of the tags, in their order; lower case, padded only as needed."""
        unique = list(dict.fromkeys(tag.strip().lower() for tag in tags))
        place = {tag: index for index, tag in enumerate(unique)}
        index = [place[tag.strip().lower()] for tag in tags]
        # Tags of like length go together, so that little is padded.
        order = sorted(range(len(unique)), key=lambda i: len(unique[i]))
        parts = [order[i : i + TOGETHER] for i in range(0, len(order), TOGETHER)]
        encoded = torch.cat([self._encode([unique[i] for i in part]) for part in parts])
        back = torch.empty(len(order), dtype=torch.long)
        back[order] = torch.arange(len(order))
        return encoded[back[index]]

    def _encode(self, tags: list[str]) -> Tensor:
        batch = self.tokenizer(
            tags,
            padding=True,
            truncation=True,
            max_length=self.config.max_tokens,
            return_tensors="pt",
        ).to(self.device)
        output = self.backbone(**batch)
        pooled = self._pool(output, batch["attention_mask"])
        return F.normalize(self.projection(pooled), dim=-1)

    def _pool(self, output, mask: Tensor) -> Tensor:
        if self.config.pooling == "pooler":
            return output.pooler_output
        if self.config.pooling == "cls":
            return output.last_hidden_state[:, 0]
        weight = mask[..., None].to(output.last_hidden_state.dtype)
        return (output.last_hidden_state * weight).sum(1) / weight.sum(1).clamp_min(1)


def _head(kind: TextHead, hidden_size: int, embed_dim: int) -> nn.Module:
    first = nn.Linear(hidden_size, embed_dim)
    if kind == "linear":
        return first
    return nn.Sequential(first, nn.GELU(), nn.Linear(embed_dim, embed_dim))


def parameters_of(module: nn.Module) -> int:
    """Number of parameters of a module."""
    return sum(parameter.numel() for parameter in module.parameters())


@torch.no_grad()
def embed_tags(encoder: TagEncoder, tags: Sequence[str], *, batch: int = 256) -> Tensor:
    """Embeddings of many tags, in the CPU's memory, without gradient and without dropout."""
    was_training = encoder.training
    encoder.eval()
    parts = [encoder(tags[i : i + batch]).cpu() for i in range(0, len(tags), batch)]
    encoder.train(was_training)
    return torch.cat(parts)
