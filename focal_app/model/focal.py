"""FOCAL: an ECG encoder and a tag encoder in one space, and the routing between them.

model = Focal.load("assets/checkpoint")          # a folder, or "org/name@revision"
"""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self, cast

import torch
from huggingface_hub import PyTorchModelHubMixin
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from focal_app.model import store
from focal_app.model.alignment import Attention, even
from focal_app.model.checkpoint_folder import local_folder
from focal_app.model.config import FocalConfig
from focal_app.model.encoder import ECGEncoder
from focal_app.model.seen import Seen
from focal_app.model.text import TagEncoder
from focal_app.model.transport import route_alone


class PatchEncoder(nn.Module):
    """An ECG encoder with its projection to the shared space."""

    def __init__(self, config: FocalConfig) -> None:
        super().__init__()
        self.encoder = ECGEncoder(config.encoder, config.signal)
        self.projection = nn.Linear(
            config.encoder.width, config.embed_dim, bias=config.encoder.head_bias
        )

    def unit_patches(
        self, signal: Float[Tensor, "B L T"], seen: Bool[Tensor, "B L N_time"], first_window: int
    ) -> Float[Tensor, "B N d"]:
        """Unit patch embeddings, of unseen patches too."""
        patches = self.projection(self.encoder(signal, seen, first_window=first_window))
        return F.normalize(patches, dim=-1)


class Focal(PatchEncoder, PyTorchModelHubMixin, library_name="focal", tags=["ecg"]):
    """Patches and tags as unit vectors of one space; a temperature and a bias for their scores."""

    def __init__(self, config: FocalConfig, text: TagEncoder) -> None:
        super().__init__(config)
        self.config, self.text = config, text
        self.seen: Seen | None = None
        """Whom it was trained and calibrated on, where that is known."""
        self.others = nn.ModuleList(PatchEncoder(config) for _ in config.shares[1:])
        """Further encoders of a joined model."""
        self.log_temperature = nn.Parameter(torch.tensor(math.log(config.temperature)))
        self.bias = nn.Parameter(torch.tensor(float(config.bias)))
        if config.alignment == "cross-attention":
            self.attention = Attention(config.embed_dim)

    @property
    def device(self) -> torch.device:
        """Where the weights lie."""
        return self.bias.device

    def encode_ecg(
        self,
        signal: Float[Tensor, "B L T"],
        seen: Bool[Tensor, "B L N_time"],
        *,
        first_window: int = 0,
    ) -> Float[Tensor, "B N d"]:
        """Unit patch embeddings of prepared signals; zero where nothing was seen.

        A signal of fewer windows is a section that begins with `first_window`. Of several encoders
        it is the mean of their unit vectors, by their shares, at unit length again.
        """
        patches = self.unit_patches(signal, seen, first_window)
        if self.others:
            others = cast("Iterable[PatchEncoder]", self.others)
            every = (patches, *(one.unit_patches(signal, seen, first_window) for one in others))
            weighed = zip(self.config.shares, every, strict=True)
            patches = F.normalize(
                torch.stack([share * one for share, one in weighed]).sum(0), dim=-1
            )
        return patches * seen.flatten(1)[..., None]

    def encode_tags(self, tags: Sequence[str]) -> Float[Tensor, "K d"]:
        """Unit tag embeddings."""
        return self.text(tags)

    def route(
        self,
        patches: Float[Tensor, "B N d"],
        tags: Float[Tensor, "U d"],
        kept: Bool[Tensor, "B N"],
        *,
        tau: float | None = None,
    ) -> tuple[Float[Tensor, "B U"], Float[Tensor, "B U N"]]:
        """Cosine of every tag with the ECG routed to it alone (Eq. 7), and the plans.

        As `similarities`, by the alignment and at the tau that the model was trained with;
        another `tau` is for looking at plans, and only optimal transport has one.
        """
        config = self.config
        if config.alignment == "semi-uot":
            tau = config.tau if tau is None else tau
            return similarities(patches, tags, kept, epsilon=config.epsilon, tau=tau)
        cosine = tags @ patches.mT
        if config.alignment == "cross-attention":
            plan = self.attention(tags, patches, kept)
        else:
            plan = even(kept, len(tags))
        return similarity_along(plan, cosine, patches), plan

    def logits(self, similarity: Tensor) -> Tensor:
        """The loss's logit, t cos + b, of similarities wherever they lie."""
        here = similarity.device
        return self.log_temperature.exp().to(here) * similarity + self.bias.to(here)

    def probability(self, similarity: Tensor) -> Tensor:
        """Calibrated probability of a tag given its cosine similarity, in [0, 1]."""
        calibration = self.config.calibration
        return torch.sigmoid(calibration.scale * self.logits(similarity) + calibration.shift)

    def fingerprint(self) -> str:
        """What tells one checkpoint from another: SHA-256 over its config and all weights."""
        digest = hashlib.sha256(json.dumps(self.config.to_dict(), sort_keys=True).encode())
        for name, tensor in sorted(self.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    @classmethod
    def load(cls, source: str | Path) -> Self:
        """The model of a folder or of a Hub repository, on the CPU, ready to read.

        A repository is named `org/name` or, better, `org/name@revision`. Weights are safetensors
        that fit name by name and shape by shape, or a `CheckpointError` says what does not.
        """
        return cls._of(local_folder(source))

    def _save_pretrained(self, save_directory: Path) -> None:
        made_of = store.Checkpoint(self.config, self.text, self.state_dict(), self.seen)
        store.save(made_of, save_directory)

    @classmethod
    def _of(cls, folder: Path) -> Self:
        with store.Unfilled():
            checkpoint = store.load(folder)
            model = cls(checkpoint.config, checkpoint.text)
        weights = store.fitting(checkpoint.weights, model.state_dict())
        model.load_state_dict(weights, strict=True)
        model.seen = checkpoint.seen
        return model.eval()

    @classmethod
    def _from_pretrained(
        cls, *, model_id, revision, cache_dir, force_download, local_files_only, token, **_unused
    ):
        folder = local_folder(
            f"{model_id}@{revision}" if revision else model_id,
            cache_dir=cache_dir,
            force_download=force_download,
            local_files_only=local_files_only,
            token=token,
        )
        return cls._of(folder)


def similarities(
    patches: Float[Tensor, "B N d"],
    tags: Float[Tensor, "U d"],
    kept: Bool[Tensor, "B N"],
    *,
    epsilon: float,
    tau: float,
) -> tuple[Float[Tensor, "B U"], Float[Tensor, "B U N"]]:
    """Cosine of every tag with the ECG routed to it alone (Eq. 7), and the plans that route it.

    Every tag is scored on its own: another tag in the list changes nothing. The plan's rows sum
    to 1; the routed representation is the plan-weighted sum of the patches.
    """
    cosine = tags @ patches.mT
    plan = route_alone(1 - cosine, epsilon=epsilon, tau=tau, patch_mask=kept)
    return similarity_along(plan, cosine, patches), plan


def similarity_along(
    plan: Float[Tensor, "B U N"], cosine: Float[Tensor, "B U N"], patches: Float[Tensor, "B N d"]
) -> Float[Tensor, "B U"]:
    """Cosine of every tag with the sum of the patches that its plan weighs."""
    routed = plan.to(patches.dtype) @ patches
    return (plan * cosine).sum(-1) / routed.norm(dim=-1).clamp_min(1e-6)
