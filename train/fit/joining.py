"""Several checkpoints of one space read an ECG together: their patch embeddings are averaged.

    model = joined([Focal.load("runs/one/coarse/model"), Focal.load("runs/other/coarse/model")],
                   shares=(0.7, 0.3))

Encoders that were trained against one frozen tag encoder place their patches in its space, so that
the mean of their unit vectors lies there too: tags, routing, heatmaps and galleries stay what they
are, and what only one of them sees by chance counts less.
"""

import dataclasses
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import torch

from focal_app.errors import ConfigError
from focal_app.model.config import Calibration, FocalConfig
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen

OWN = ("calibration", "temperature", "bias", "storage", "shares")
"""What may differ: the joined model has the first one's, and wants a calibration of its own."""
PARTS = ("encoder.", "projection.")
"""What a further encoder brings."""


def joined(models: Sequence[Focal], shares: Sequence[float]) -> Focal:
    """One model of all; not calibrated, and seen by it is who was seen by any.

    Errors: `ConfigError` where they do not share tag encoder, signal and sizes, where one is joined
    already, or where there is not one share above 0 a model, 1 in sum.
    """
    first = models[0]
    if len(models) < 2 or len(shares) != len(models) or min(shares) <= 0:
        said = ", ".join(f"{one:g}" for one in shares)
        raise ConfigError(
            f"found {len(models)} checkpoints and shares {said}; needed two or more, and a share "
            "above 0 for each"
        )
    for other in models[1:]:
        refuse_another_shape(first.config, other.config)
        _refuse_another_space(first, other)
    if any(model.others for model in models):
        raise ConfigError("found a checkpoint that is joined already; join those it was made of")
    config = dataclasses.replace(
        first.config, shares=tuple(map(float, shares)), calibration=Calibration()
    )
    made = Focal(config, first.text)
    weights = dict(first.state_dict())
    for number, other in enumerate(models[1:]):
        kept = {n: t for n, t in other.state_dict().items() if n.startswith(PARTS)}
        weights |= {f"others.{number}.{name}": tensor for name, tensor in kept.items()}
    made.load_state_dict(weights, strict=True)
    made.seen = _seen_by_any(models)
    return made.eval()


def refuse_another_shape(first: FocalConfig, other: FocalConfig) -> None:
    """Refuse what could not be joined, once it is trained."""
    own, its = _shape(first), _shape(other)
    if differ := sorted(name for name in own if own[name] != its[name]):
        raise ConfigError(
            f"found checkpoints of another {', '.join(differ)}; needed the same to join them"
        )


def _refuse_another_space(first: Focal, other: Focal) -> None:
    text, its_text = first.text.state_dict(), other.text.state_dict()
    same = text.keys() == its_text.keys() and all(
        torch.equal(tensor, its_text[name]) for name, tensor in text.items()
    )
    if not same:
        raise ConfigError(
            "found checkpoints with tag encoders of other weights, whose patches lie in other "
            "spaces; train both with --text, or freeze_text, on one tag encoder"
        )


def _shape(config: FocalConfig) -> dict[str, Any]:
    """What has to be the same: all but `OWN`, and dropout, which acts in training alone."""
    values = dataclasses.asdict(config)
    values["encoder"].pop("dropout")
    return {name: value for name, value in values.items() if name not in OWN}


def _seen_by_any(models: Sequence[Focal]) -> Seen | None:
    """Nobody knows whom the model saw where one of them does not say."""
    known = [model.seen for model in models if model.seen]
    return reduce(or_, known) if len(known) == len(models) else None
