"""What is measured on cardiographs' own files, against what the cardiographs measured.

    python -m tests.benchmarks.carts --formats DIR

A recording that stands in several files counts once. Bazett's and Fridericia's QTc are named by
the files.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.errors import FocalError
from focal_app.model.measuring import measured


def differences(folder: Path) -> Iterator[tuple[str, dict[str, float | None]]]:
    """Of every file with values of its own: measured less the cardiograph's; None for a blank."""
    seen = set()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            ecg = completed(read_recording([path]))
        except FocalError:
            continue
        found = vars(measured(ecg, duration_s=10).measurements)
        own = {name: one for name, one in found.items() if one.device is not None}
        same = tuple(round(one.value or 0) for one in found.values())
        if own and same not in seen:
            seen.add(same)
            yield (
                path.name,
                {
                    name: None if one.value is None else one.value - one.device
                    for name, one in own.items()
                },
            )


def main() -> None:
    """A line a quantity."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formats", type=Path, required=True)
    folder = parser.parse_args().formats
    found = dict(differences(folder))
    if not found:
        parser.error(f"found no file with a cardiograph's own values in {folder.name!r}")
    print("| | recordings | measured | median difference | p90 | largest | bias |")
    for name in dict.fromkeys(name for one in found.values() for name in one):
        every = [one[name] for one in found.values() if name in one]
        known = np.array([value for value in every if value is not None])
        sizes = np.abs(known)
        print(
            f"| {name} | {len(every)} | {len(known)} | {np.median(sizes):.1f} "
            f"| {np.percentile(sizes, 90):.1f} | {sizes.max():.1f} | {known.mean():+.1f} |"
        )


if __name__ == "__main__":
    main()
