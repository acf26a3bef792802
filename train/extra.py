"""The packages that training needs and the app does not: the extra `train`."""

import importlib.util
from collections.abc import Iterator

PACKAGES = ("accelerate", "h5py", "matplotlib", "sklearn", "tensorboard", "tqdm")
"""As they are imported."""


def lacking() -> Iterator[str]:
    """What to do about each package that is not installed."""
    yield from (missing(name) for name in PACKAGES if not importlib.util.find_spec(name))


def missing(name: str) -> str:
    """What to do where this one is not."""
    return f"found no package {name}; needed the extra `train`: `pip install -e '.[train]'`"
