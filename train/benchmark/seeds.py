"""One figure of several trainings that differ in their seed alone, with one interval for both.

    pooled([Interval(0.80, 0.78, 0.82), Interval(0.83, 0.81, 0.85), Interval(0.81, 0.79, 0.83)])

The value is the mean. Its interval holds what another seed would change, Student's t times the
standard error over the seeds (4.3 standard errors with three), and what other recordings would: the
mean half-width of the intervals, as all seeds are judged on the same recordings. The two are
independent, so their squares add up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from focal_app.errors import ConfigError
from train.benchmark.metrics import Interval
from train.benchmark.results import Result

_SEED = re.compile(r"(?P<row>.*), seed (?P<seed>\d+)")
_FOLDER = re.compile(r"seed-(\d+)")
_NUMBERED = re.compile(r".*( \(\d+\))")


def refuse_seeds(seeds: Sequence[int]) -> None:
    """A `ConfigError` for seeds that cannot be, or would be counted twice."""
    if len(set(seeds)) < len(seeds) or min(seeds, default=0) < 0:
        named = " ".join(map(str, seeds))
        raise ConfigError(f"found --seeds {named}; needed different numbers, 0 or more")


def folder_of_seed(out: Path, seed: int) -> Path:
    """Where the runs of a seed lie, of several in `out`."""
    return out / f"seed-{seed}"


def seed_of_folder(folder: Path) -> int | None:
    """The seed whose runs a folder holds."""
    found = _FOLDER.fullmatch(folder.name)
    return int(found[1]) if found else None


def with_seed(row: str, seed: int) -> str:
    """The name of a checkpoint that is one of several seeds of a row."""
    return f"{row}, seed {seed}"


def row_of(name: str) -> str:
    """The row of a table in which a checkpoint of this name stands: its name without the seed."""
    found = _SEED.fullmatch(name)
    return found["row"] if found else name


def seed_of(name: str) -> int | None:
    """The seed in the name of a checkpoint."""
    found = _SEED.fullmatch(name)
    return int(found["seed"]) if found else None


def suffix_of(row: str) -> str:
    """The number by which a row is told from others of its name, as "NAME (2)"."""
    found = _NUMBERED.fullmatch(row)
    return found[1] if found else ""


def by_row(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Results by their row, one a seed."""
    rows: dict[str, list[Result]] = {}
    for one in results:
        rows.setdefault(row_of(one.name), []).append(one)
    return rows


def pooled(
    found: Sequence[Interval | Mapping[str, float | None]], *, least: float = 0.0
) -> Interval:
    """The mean over seeds, with an interval over seeds and recordings; NaN where one is unknown.

    No edge lies beyond `least`, that of a share or an AUC unless another is said, and 1.
    """
    every = [one if isinstance(one, Interval) else read_interval(one) for one in found]
    value, low, high = (np.array(part) for part in zip(*map(astuple, every), strict=True))
    mean = float(value.mean())
    if len(every) == 1:
        return every[0]
    count = len(every)
    of_seeds = student.ppf(0.975, count - 1) * value.std(ddof=1) / np.sqrt(count)
    below, above = np.mean(value - low), np.mean(high - value)
    edges = mean - np.hypot(of_seeds, below), mean + np.hypot(of_seeds, above)
    return Interval(mean, *(float(np.clip(edge, least, 1.0)) for edge in edges))


def pooled_gain(found: Sequence[Interval]) -> Interval:
    """The mean over seeds of differences between two shares, with its interval."""
    return pooled(found, least=-1.0)


def gain_of_seeds(pairs: Sequence[tuple[Interval, Interval]]) -> Interval:
    """What a row gains over its control, a pair a seed, judged on the same recordings."""
    values = [one.value - control.value for one, control in pairs]
    return pooled_gain([Interval(value, value, value) for value in values])


def control_of(row: str) -> str:
    """The row of an ablation or an experiment that another one is held against.

    Coarse training against `base`; fine training and training from scratch against the same on
    plain reports; a row with a number against the one of that number.
    """
    number = suffix_of(row)
    name = row.removesuffix(number)
    if name.endswith(" coarse"):
        kind = "from-scratch-plain" if name.startswith("from-scratch") else "base"
        return f"{kind} coarse{number}"
    return ("global-fine-plain" if name.startswith("global-") else "fine-plain") + number


def paired(
    found: Sequence[Result], control: Sequence[Result]
) -> tuple[list[tuple[Result, Result]], int]:
    """Results of a row, each with the control's of the same seed, that were judged on the same.

    The number says how many pairs of a seed were judged on other data, and are left out.
    """
    theirs = {seed_of(one.name): one for one in control}
    both = [(one, theirs[seed_of(one.name)]) for one in found if seed_of(one.name) in theirs]
    same = [pair for pair in both if pair[0].data == pair[1].data]
    return same, len(both) - len(same)


def left_out_note(pairs: int) -> str:
    """That so many pairs of runs could not be compared; nothing where all could."""
    if not pairs:
        return ""
    which = "1 pair of runs was" if pairs == 1 else f"{pairs} pairs of runs were"
    return f" {which} judged on other data and left out."


def average(found: Sequence[Interval]) -> Interval:
    """The mean of figures that may rest on the same recordings: its interval is the mean of theirs.

    That of recordings that are shared in full; narrower where they are not.
    """
    return Interval(*(float(np.mean(part)) for part in zip(*map(astuple, found), strict=True)))


def seeds_note(rows: Mapping[str, Sequence[Result]]) -> str:
    """What a reader must know of rows with several seeds; nothing where each has one."""
    counts = sorted({len(found) for found in rows.values()})
    if counts in ([], [1]):
        return ""
    return (
        f" Means over {' or '.join(map(str, counts))} trainings that differ in their seed; "
        "intervals hold both other seeds and other recordings."
    )


def read_interval(found: Mapping[str, float | None]) -> Interval:
    """An interval as a result file holds it."""
    parts = (found[name] for name in ("value", "low", "high"))
    return Interval(*(float("nan") if part is None else part for part in parts))


def shown(found: Interval, *, sign: bool = False) -> str:
    """In percent, with its interval; a dash where it is unknown."""
    if np.isnan(found.value):
        return "-"
    value, low, high = (f"{100 * part:{'+' if sign else ''}.1f}" for part in astuple(found))
    return f"{value} ({low} to {high})"
