"""The best weights of a stage so far, on disk beside the run: what `keep: best` ends on."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from train.read_back import read_back

AGAIN = "put it back, or delete it and run.safetensors beside it to train this stage again"


def shapes(tensors: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    """The shape of every tensor by its name."""
    return {name: tensor.shape for name, tensor in tensors.items()}


class BestWeights:
    """Trained weights by name, with the score that they reached; a higher one replaces them.

    A run that goes on from an earlier step judges the same weights again, and changes nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def score(self) -> float:
        """The best score so far."""
        if not self.path.is_file():
            return float("-inf")
        with read_back(self.path, AGAIN), safe_open(self.path, "pt") as file:
            return float(file.metadata()["score"])

    def offer(self, weights: Mapping[str, Tensor], score: float) -> None:
        """Keep these weights if none were better."""
        if score <= self.score:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        tensors = {name: tensor.detach().contiguous() for name, tensor in weights.items()}
        save_file(tensors, partial, metadata={"score": repr(score)})
        partial.replace(self.path)

    def weights(self, wanted: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The best weights, with names and shapes as those of `wanted`."""
        with read_back(self.path, AGAIN):
            found = load_file(self.path)
            if shapes(found) != shapes(wanted):
                raise ValueError("weights of another model")
            return found

    def forget(self) -> None:
        """Begin anew: what lies there is of another run."""
        self.path.unlink(missing_ok=True)
