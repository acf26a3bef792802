r"""Other ways to read with a ruler's models that were joined to second ones, as rulers themselves.

python -m train ruler --config ruler --second second-reader-small --seeds 7 8 9 \
    --simulated 3000 --real DIR --text assets/checkpoint --out runs/joined
python -m tests.benchmarks.ruler_readings --ruler runs/joined --out runs/readings
python -m train gain --ruler runs/readings/half --over runs/joined --real DIR

`half` has half of each reader, `second-alone` the second one, and `shifts` reads as the joined
model does, the mean of five windows that begin 0.2 s apart. Nothing is trained; what is finished
is kept.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from focal_app.ecg.recording import ECG
from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from tests.benchmarks.options import bench_parser, run
from train.benchmark.out_of_fold import Scores, scored
from train.data.shards import Shards
from train.fit.joining import joined

STARTS_S = (-0.4, -0.2, 0.0, 0.2, 0.4)
Reading = Callable[[Path, list[Shards]], Scores]
"""What a group's folder and its held-out recordings become."""


@dataclass(frozen=True)
class Moved(Shards):
    """Recordings that begin so many seconds later; what they lack there was not recorded."""

    later_s: float = 0.0

    def ecg(self, i: int) -> ECG:
        """A recording, moved."""
        found = super().ecg(i)
        steps = round(self.later_s * found.sampling_rate_hz)
        moved = np.full_like(found.signal_mv, np.nan)
        if steps >= 0:
            moved[:, : moved.shape[1] - steps] = found.signal_mv[:, steps:]
        else:
            moved[:, -steps:] = found.signal_mv[:, :steps]
        return replace(found, signal_mv=moved)


def half(group: Path, held_out: list[Shards]) -> Scores:
    """By half of each reader."""
    both = [Focal.load(one / "coarse" / "model") for one in (group, group / "second")]
    return _scored(joined(both, (0.5, 0.5)), group, held_out)


def second_alone(group: Path, held_out: list[Shards]) -> Scores:
    """By the second reader."""
    return _scored(Focal.load(group / "second" / "coarse" / "model"), group, held_out)


def shifts(group: Path, held_out: list[Shards]) -> Scores:
    """By the joined model, the mean over windows."""
    model, found = Focal.load(group / "joined"), []
    for later_s in STARTS_S:
        moved = [Moved(one.folder, one.manifest, one.index, later_s) for one in held_out]
        found.append(_scored(model, group, moved))
    return replace(found[0], log_odds=np.mean([one.log_odds for one in found], axis=0))


READINGS: dict[str, Reading] = {"half": half, "second-alone": second_alone, "shifts": shifts}


def groups_of(ruler: Path) -> Iterator[Path]:
    """The finished groups of a ruler, of every seed."""
    every = sorted(ruler.glob("group-*")) or sorted(ruler.glob("seed-*/group-*"))
    yield from (one for one in every if Scores.lies_in(one) and (one / "second").is_dir())


def main() -> None:
    """Score every group anew, each reading in a folder of its own."""
    parser = bench_parser("ruler_readings", __doc__)
    parser.add_argument("--ruler", type=Path, required=True, metavar="DIR", help="made by `ruler`")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    options = parser.parse_args()
    if not (groups := list(groups_of(options.ruler))):
        raise ConfigError(
            f"found no finished group with a second reader in {options.ruler.name!r}; needed the "
            "--out of `python -m train ruler --second`"
        )
    for name, reading in READINGS.items():
        for group in groups:
            out = options.out / name / group.relative_to(options.ruler)
            if not Scores.lies_in(out):
                print(f"{name}: {group.relative_to(options.ruler)}", flush=True)
                reading(group, _held_out(group)).save(out)


def _held_out(group: Path) -> list[Shards]:
    """In the order in which the ruler scored them."""
    names = dict.fromkeys(one.source for one in Scores.load(group).records)
    return [Shards.open(group / "data" / name) for name in names]


def _scored(model: Focal, group: Path, held_out: Sequence[Shards]) -> Scores:
    return scored(model, held_out, split="test", group=int(group.name.removeprefix("group-")))


if __name__ == "__main__":
    run(main)
