"""Embeddings of a vocabulary by a tag encoder that no longer changes: made once, no dropout."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from focal_app.model.text import TagEncoder, embed_tags


class EmbeddedTags:
    """A row a wording, made when first asked for, on the device where the encoder then lies."""

    def __init__(self, text: TagEncoder, names: Sequence[str]) -> None:
        self.text, self.names = text, names
        self._rows: Tensor | None = None

    @torch.no_grad()
    def __call__(self, ids: Int[Tensor, " U"]) -> Float[Tensor, "U d"]:
        """The embeddings of wordings by number."""
        if self._rows is None:
            self.text.to(ids.device)
            self._rows = embed_tags(self.text, self.names).to(ids.device)
        return self._rows[ids]
