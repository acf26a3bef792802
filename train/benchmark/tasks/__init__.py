"""The tasks of the benchmark, an entry each; a new one is one function in one of these files."""

# Each import enters its tasks: their order here is that of `python -m train evaluate --help`.
from train.benchmark.tasks import classes, places, features, omission, compared, every  # noqa: I001
from train.benchmark.task import TASKS, Asked, Task

__all__ = [
    "TASKS",
    "Asked",
    "Task",
    "classes",
    "compared",
    "every",
    "features",
    "omission",
    "places",
]
