"""From the seconds of a finding to the patches that show it, after the record was changed."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float32, Int

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_lexicon
from train.data.augment import Augmented
from train.data.shard_index import PLACE

COVERED, INSIDE = 0.2, 0.5
"""A patch shows a place that covers a fifth of the patch, or of which it holds one half."""

_BITS = 1 << np.arange(len(LEADS))


def on_patches(
    places: np.ndarray | None, record: Augmented, spec: SignalSpec
) -> Iterator[tuple[int, Float32[np.ndarray, " N"]]]:
    """Every tag with a place, and 1 on its patches: all leads by the windows that `record` holds.

    `places` are rows of `shard_index.PLACE`, in seconds of the stored recording. Places that a
    later start or a section has moved out of the record are left out.
    """
    if places is None or not len(places):
        return
    windows = record.seen.shape[1]
    patch_s = spec.window_samples / spec.sampling_rate_hz
    late_s = record.late_samples / spec.sampling_rate_hz + record.first_window * patch_s
    starts = places["start_s"] * record.tempo - late_s
    ends = places["end_s"] * record.tempo - late_s
    edges = np.arange(windows) * patch_s
    overlap = np.minimum(ends[:, None], edges + patch_s) - np.maximum(starts[:, None], edges)
    enough = np.minimum(COVERED * patch_s, INSIDE * (ends - starts))[:, None]
    touched = overlap >= np.maximum(enough, 1e-9)
    leads = (places["leads"][:, None] & _BITS) > 0
    by_tag = np.argsort(places["tag"], kind="stable")
    tags, firsts = np.unique(places["tag"][by_tag], return_index=True)
    cells = leads[by_tag, :, None] & touched[by_tag, None, :]
    patches = np.logical_or.reduceat(cells, firsts).reshape(len(tags), -1)
    shown = patches.any(axis=1)
    yield from zip(tags[shown].tolist(), patches[shown].astype(np.float32), strict=True)


class LeadPlaces:
    """Where findings of a vocabulary show by the lexicon: in its leads, at any time.

    Stands in for the places of recordings of which nobody drew any.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        lexicon = load_lexicon()
        known = [lexicon.resolve(tag) for tag in vocabulary]
        leads = [statement.leads if statement else () for statement in known]
        self._bits = np.array([sum(1 << LEADS.index(lead) for lead in some) for some in leads], int)

    def __bool__(self) -> bool:
        """Whether the lexicon names leads of any finding."""
        return bool(self._bits.any())

    def rows(self, tags: Int[np.ndarray, " K"]) -> np.ndarray:
        """Rows of `shard_index.PLACE`; tags for which the lexicon names no leads have none."""
        placed = np.asarray(tags)[self._bits[tags] > 0]
        made = np.zeros(len(placed), PLACE)
        made["tag"], made["leads"], made["end_s"] = placed, self._bits[placed], np.inf
        return made
