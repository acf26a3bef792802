"""Windows of a recording as the model took them in: what was seen, and its patches' embeddings.

Encoding is nearly all of what the model costs, and depends on no prompt.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.preprocess import Prepared


@dataclass(frozen=True)
class Encoded:
    """B windows: `embeddings` of their patches are unit, zero where `seen` says that nothing was.

    `starts_s` count from the start of the recording; `notes` is what preparing them said.
    """

    starts_s: tuple[float, ...]
    seen: Bool[np.ndarray, "B L N_time"]
    embeddings: Float[np.ndarray, "B N d"]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, prepared: Sequence[Prepared], patches: Float[Tensor, "B N d"]) -> "Encoded":
        """Prepared windows, once they are encoded; their signals are left behind."""
        return cls(
            tuple(one.start_s for one in prepared),
            np.stack([one.seen for one in prepared]),
            patches.numpy(),
            tuple(dict.fromkeys(note for one in prepared for note in one.notes)),
        )

    @property
    def patches(self) -> Float[Tensor, "B N d"]:
        """The embeddings, to route prompts over."""
        return torch.from_numpy(self.embeddings)

    @property
    def kept(self) -> Bool[Tensor, "B N"]:
        """Which of the patches hold signal."""
        return torch.from_numpy(self.seen).flatten(1)


def is_kept(ecg: CompleteECG, kind: str, of: Hashable) -> bool:
    """Whether what was encoded last of a kind was `of` this."""
    return vars(ecg).get("_encoded", {}).get(kind, (None,))[0] == of


def kept_with(ecg: CompleteECG, kind: str, of: Hashable, encode: Callable[[], Encoded]) -> Encoded:
    """What was encoded last of a kind, where it was `of` the same, else encoded anew.

    It stays with the recording, whose signal never changes, and ends with it.
    """
    kept = vars(ecg).setdefault("_encoded", {})
    known, encoded = kept.get(kind, (None, None))
    if known != of:
        encoded = encode()
        kept[kind] = of, encoded
    return encoded
