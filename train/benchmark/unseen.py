"""Recordings that a checkpoint may be judged on: none of a patient whom its training has seen."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from focal_app.errors import ConfigError
from focal_app.model.seen import Seen


class _OfPatient(Protocol):
    @property
    def patient(self) -> str: ...


R = TypeVar("R", bound=_OfPatient)


class Trained(Protocol):
    @property
    def seen(self) -> Seen | None:
        """Whom a model was trained on, where that is known."""
        ...


def new_to(model: Trained, recordings: Sequence[R]) -> list[R]:
    """Those of patients new to the model; all where the checkpoint does not say whom it saw."""
    if model.seen is None:
        return list(recordings)
    known = model.seen.trained_on(one.patient for one in recordings)
    return [one for one, seen in zip(recordings, known, strict=True) if not seen]


def unseen(model: Trained, recordings: Sequence[R]) -> list[R]:
    """The same, with a `ConfigError` where nothing is left of some recordings."""
    new = new_to(model, recordings)
    if recordings and not new:
        raise ConfigError(
            f"found {len(recordings)} recordings, all of patients on whom this checkpoint was "
            "trained; figures on them would say nothing. Choose folds, or a set, that it has not "
            "seen"
        )
    return new
