"""Where in an ECG a finding or a match shows: what the tint is painted from."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from focal_app.ecg.recording import LEADS


@dataclass(frozen=True)
class Heatmap:
    """`weights` (L, N_time): 1 is the even share, NaN a patch without signal; rows as in `LEADS`.

    `edges_s` (N_time + 1) bounds the columns, in seconds from the start of the recording.
    """

    weights: Float[np.ndarray, "L N_time"]
    edges_s: Float[np.ndarray, " edges"]

    @classmethod
    def over(
        cls, weights: Float[np.ndarray, "L N_time"], *, start_s: float = 0.0, window_s: float
    ) -> "Heatmap | None":
        """The heatmap of a match over a window, in which whole leads may have taken no part.

        Those stay plain, for the model could see them. None where nothing took part.
        """
        apart = ~np.isfinite(weights).any(axis=1, keepdims=True)
        if apart.all():
            return None
        edges = start_s + np.linspace(0.0, window_s, weights.shape[1] + 1)
        return cls(np.where(apart, 0.0, weights), edges)

    @classmethod
    def averaged(cls, shifted: Sequence["Heatmap"], *, step_s: float) -> "Heatmap":
        """The mean of heatmaps whose windows are shifted, in columns of `step_s`.

        It covers the window of the first; a column takes each map's patch at its middle. NaN
        where none of them saw signal.
        """
        first = shifted[0]
        columns = round((first.edges_s[-1] - first.start_s) / step_s)
        middles = first.start_s + step_s * (np.arange(columns) + 0.5)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Mean of empty slice", RuntimeWarning)
            weights = np.nanmean([one.at(middles) for one in shifted], axis=0)
        return cls(weights, first.start_s + step_s * np.arange(columns + 1))

    def at(self, seconds: Float[np.ndarray, " S"]) -> Float[np.ndarray, "L S"]:
        """The weights at seconds of the recording, NaN outside the window."""
        column = np.searchsorted(self.edges_s, seconds, side="right") - 1
        inside = (column >= 0) & (column < self.weights.shape[1])
        found = self.weights[:, np.clip(column, 0, self.weights.shape[1] - 1)]
        return np.where(inside, found, np.nan)

    @property
    def leads(self) -> tuple[str, ...]:
        """The names of the rows."""
        return LEADS

    @property
    def start_s(self) -> float:
        """Where its window begins."""
        return float(self.edges_s[0])

    @property
    def seen(self) -> Bool[np.ndarray, "L N_time"]:
        """Where the model saw signal."""
        return np.isfinite(self.weights)
