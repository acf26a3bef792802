"""Drawn ECGs beside real ones, finding by finding: rate, intervals, axis, amplitudes, noise.

    python -m tests.benchmarks.simulated --real DIR --drawn 1500

Every finding that real recordings (`ptb-xl` but for folds 7 and 8, `challenge`) and drawn ones of
random patients have: the median, and from the 20th to the 80th percentile, of each value that the
app measures on five or more of both, with how many these are, and which medians of drawn ones lie
outside of the real. Real ones are tagged with what their readers coded, drawn ones with all that
holds. LUDB is left out: its chambers are not labelled by voltage, and its leads are smaller. The
first rows are of all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from focal_app.ecg.complete import completed
from focal_app.ecg.measurements import Measurements
from focal_app.ecg.recording import ECG
from focal_app.errors import FocalError
from focal_app.model.measuring import measured
from tests.benchmarks.options import real_and_drawn, run
from train.data.ptbxl import PtbXl
from train.runs.embedded import real_sources
from train.simulate import simulate

FIRST_SEED, FEWEST = 60_000, 5
JUDGED = (7, 8)
EVERY, LEFT_OUT = "all", "ludb"
MEASURED = tuple(field.name for field in fields(Measurements))
NAMES = (*MEASURED, "p_share_percent", "noise_uv")

Values = dict[str, list[dict[str, float]]]


def values(ecg: ECG) -> dict[str, float]:
    """What is measured on a recording; NaN where nothing is."""
    found = measured(completed(ecg))
    given = {name: getattr(found.measurements, name).value for name in MEASURED}
    beats = found.waves.p_s
    share = 100 * float(np.isfinite(beats[:, 0]).mean()) if len(beats) else None
    made = {**given, "p_share_percent": share, "noise_uv": noise_uv(ecg)}
    return {name: np.nan if one is None else float(one) for name, one in made.items()}


def noise_uv(ecg: ECG) -> float:
    """White noise of the median lead, by its second differences, which waves hardly have.

    In steps of 1 µV, those of PTB-XL, for all alike; below one step nothing is seen.
    """
    bent = np.diff(np.round(ecg.signal_mv, 3), 2, axis=1)
    sizes = 1.4826e3 * np.nanmedian(np.abs(bent), axis=1) / np.sqrt(6)
    return float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else np.nan


def recorded(real: Path) -> Values:
    """Of every finding, and of all, the values of real recordings."""
    found: Values = defaultdict(list)
    for source in real_sources(real):
        if source.name == LEFT_OUT:
            continue
        if isinstance(source, PtbXl):
            source = replace(source, test_folds=JUDGED, validation_folds=())
        for study in source.studies(Counter()):
            if isinstance(source, PtbXl) and study.split == "test":
                continue
            try:
                stored = study.read(Counter())
                if stored is None:
                    continue
                own = values(stored.ecg)
            except FocalError:
                continue
            for name in {EVERY, *stored.tags}:
                found[name].append(own)
    return found


def drawn(count: int) -> Values:
    """The same of so many random patients, as training draws them."""
    found: Values = defaultdict(list)
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        made = simulate(seed)
        own = values(made.ecg)
        for name in {EVERY, *made.tags}:
            found[name].append(own)
    return found


class Spread(NamedTuple):
    """Of how many a value is measured, its 20th percentile, median and 80th."""

    measured: int
    low: float
    median: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3g} ({self.low:.3g} to {self.high:.3g}; {self.measured})"


def spread(rows: Iterable[Mapping[str, float]], name: str) -> Spread | None:
    """Of what is measured; nothing of fewer than five."""
    there = [one[name] for one in rows if np.isfinite(one[name])]
    if len(there) < FEWEST:
        return None
    return Spread(len(there), *np.percentile(there, [20, 50, 80]).tolist())


def main() -> None:
    """Print a row for every finding and value, then what differs."""
    asked = real_and_drawn("simulated", __doc__, drawn=1500)
    real = recorded(asked.real)
    made = drawn(asked.drawn)
    both = sorted(set(real) & set(made), key=lambda name: (name != EVERY, name))
    print("| finding | value | real | drawn | |\n|---|---|---|---|---|")
    of_all: list[bool] = []
    by_finding: list[bool] = []
    for finding in both:
        for name in NAMES:
            theirs, own = (spread(rows[finding], name) for rows in (real, made))
            if theirs is None or own is None:
                continue
            fits = theirs.low <= own.median <= theirs.high
            (of_all if finding == EVERY else by_finding).append(fits)
            row = f"| {finding} | {name} | {theirs} | {own} |"
            print(f"{row} {'' if fits else 'outside'} |", flush=True)
    for title, part in (("of all together", of_all), ("by finding", by_finding)):
        print(f"\n{title}: {sum(part)} of {len(part)} medians of drawn ones lie inside of the real")


if __name__ == "__main__":
    run(main)
