"""ZeroGPU: a Space that lends a GPU for the length of one call.

There the package `spaces` exists, has to be imported before torch, and wants to see which function
uses the GPU. Everywhere else nothing of this happens.
"""

import os
from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

SECONDS = 30
Function = TypeVar("Function", bound=Callable[..., object])


def available() -> bool:
    """Whether the app runs in a Space with ZeroGPU."""
    return os.environ.get("SPACES_ZERO_GPU", "").lower() in {"1", "true"}


def on_gpu(function: Function) -> Function:
    """The function with a GPU for each call, or itself where none is lent."""
    if not available():
        return function
    return import_module("spaces").GPU(duration=SECONDS)(function)
