"""Scores that can be ranked: a NaN would pass for the highest of all."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from focal_app.errors import ConfigError

SHOWN = 5
"""Findings that an error names; it counts the others."""


def refuse_no_numbers(
    score: Float[np.ndarray, "R C"], names: Sequence[str], *, of: str = "the model"
) -> None:
    """Refuse scores of a model that are no numbers, by the findings or classes that they are of."""
    counts = (~np.isfinite(score)).sum(axis=0)
    lacking = [f"{name} ({n} of {len(score)})" for name, n in zip(names, counts, strict=True) if n]
    if lacking:
        others = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
        raise ConfigError(
            f"found scores of {of} that are no numbers: {', '.join(lacking[:SHOWN])}{others}; its "
            "training went astray. Train it again at a lower learning rate"
        )
