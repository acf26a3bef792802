"""An explorer whose ECG encoder runs on a GPU, such as one that a Space lends for each call.

explorer = GpuExplorer(Focal.load(folder), lend=spaces.GPU(duration=30))
"""

from collections.abc import Callable
from copy import deepcopy

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from focal_app.ecg.preprocess import Prepared
from focal_app.explore.reading.explorer import Explorer
from focal_app.model.focal import Focal

Encode = Callable[[Tensor, Tensor], Tensor]


class GpuExplorer(Explorer):
    """The same answers; the encoder, nearly all of the work, runs where `device` says.

    `lend` wraps the one function that uses the GPU; tags and transport stay on the processor.
    """

    def __init__(
        self, model: Focal, *, lend: Callable[[Encode], Encode] = lambda f: f, device: str = "cuda"
    ) -> None:
        super().__init__(model)
        self._device = device
        self._there = deepcopy(self.model).to(device)
        self._encode = lend(self._encode_there)

    def patches(self, *prepared: Prepared) -> Float[Tensor, "B N d"]:
        """Unit patch embeddings of prepared windows; zero where nothing was seen."""
        signal = torch.from_numpy(np.stack([one.signal for one in prepared]))
        seen = torch.from_numpy(np.stack([one.seen for one in prepared]))
        return self._encode(signal, seen)

    def _encode_there(
        self, signal: Float[Tensor, "B L T"], seen: Bool[Tensor, "B L N_time"]
    ) -> Float[Tensor, "B N d"]:
        with torch.inference_mode():
            patches = self._there.encode_ecg(signal.to(self._device), seen.to(self._device))
            return patches.float().cpu()
