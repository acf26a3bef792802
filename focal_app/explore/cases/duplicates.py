"""Which cases are copies: of the query, or of a case that stands above them in a list."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

import numpy as np
from jaxtyping import Float

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.explore.cases.gallery import Gallery

SUSPECT = 0.98
"""Cosine of two whole embeddings from which on the signals themselves are compared."""
SAME = 0.98
"""Correlation of two signals that only one recording has: resampled, filtered or rounded."""


def without_copies(
    numbers: Iterable[int],
    gallery: Gallery,
    spec: SignalSpec,
    *,
    query: tuple[Float[np.ndarray, " d"], Callable[[], np.ndarray]] | None = None,
) -> Iterator[int]:
    """The cases in their order, less copies of the query and of one another.

    The query is its whole embedding, and what gives its signal where that is compared.
    """

    @cache
    def signal_of(number: int) -> np.ndarray:
        return prepare(gallery.ecg(number), spec).signal

    kept = [query] if query else []
    for number in numbers:
        vector = gallery.vectors("whole", [number])[0]
        suspects = [signal for other, signal in kept if float(vector @ other) > SUSPECT]
        if any(_correlation(signal_of(number), signal()) > SAME for signal in suspects):
            continue
        kept.append((vector, partial(signal_of, number)))
        yield number


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float((one * other).sum()) / length if length else 0.0
