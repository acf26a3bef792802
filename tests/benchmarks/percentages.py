"""How far the percentages of PTB-XL's classes lie from the shares that they promise.

    python -m tests.benchmarks.percentages --ptb-xl DIR
    python -m tests.benchmarks.percentages --ptb-xl DIR --dataset ptbxl-sub ptbxl-form ptbxl-rhythm
    python -m tests.benchmarks.percentages --ptb-xl DIR --ruler runs/ruler

Expected calibration error (ten bins) and Brier score of each, as the app tells them - with
measurements, and a normal ECG as what others leave - beside those of the model alone, on recordings
of whose patients the checkpoint has seen none. Of few recordings such an error is never 0: "by
chance" is what percentages that are right show on so many, the mean over drawn truths. Intervals
draw patients again; they hold that error by chance too, once more. With `--ruler` the superclasses
of all its recordings, each by a model and by curves of measurements that have not seen its patient;
`python -m train combine` has to have joined measurements to it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit

from focal_app.errors import ConfigError
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.normal import KINDS, NORMAL, left
from focal_app.lexicon import load_prompt_sets
from tests.benchmarks.options import bench_parser, run
from tests.benchmarks.own_and_told import own_and_told
from tests.benchmarks.patients import rows_drawn_again
from train.benchmark.metrics import DRAWS, interval_of
from train.benchmark.out_of_fold import Scores, pooled
from train.benchmark.ruler import columns
from train.benchmark.sets.sets import load_set
from train.benchmark.unseen import unseen
from train.fit.calibration import expected_error
from train.runs.combination import MEASURED

FOLDS = (1, 2, 3, 4, 5, 6, 7, 8)
TOGETHER = "all together"
SETS = ("ptbxl-super", "ptbxl-sub", "ptbxl-form", "ptbxl-rhythm")
SUPER = SETS[:1]


def by_chance(told: Float[np.ndarray, " R"], *, draws: int = DRAWS) -> float:
    """The mean error of probabilities that are right: each truth is drawn by its own."""
    rng = np.random.default_rng(0)
    drawn = rng.random((draws, len(told))) < told
    return float(np.mean([expected_error(told, truth.astype(float)) for truth in drawn]))


def table(
    labels: Sequence[str],
    truth: Bool[np.ndarray, "R C"],
    patients: Sequence[str],
    own: Float[np.ndarray, "R C"],
    told: Float[np.ndarray, "R C"],
    *,
    draws: int = DRAWS,
) -> str:
    """Errors of every class, their mean, and that of all percentages together, as Markdown.

    Intervals draw patients again.
    """
    rows = rows_drawn_again(patients, draws)
    lines = [
        "| class | with it | ECE, model alone | ECE, as told | by chance | Brier, model alone"
        " | as told | base rate |",
        "|---|---|---|---|---|---|---|---|",
    ]
    errors = [np.array([_errors(truth[row], one[row]) for row in rows]) for one in (own, told)]
    chance = [by_chance(one, draws=draws) for one in (*told.T, told.ravel())]
    brier = [np.square(one - truth).mean(0) for one in (own, told)]
    share = truth.mean(0)
    for at, name in enumerate((*labels, "mean", TOGETHER)):
        classes = slice(at, at + 1) if at < len(labels) else slice(len(labels))
        which = slice(len(labels), None) if name == TOGETHER else classes
        said = [_said(one[:, which].mean(1)) for one in errors]
        of_classes = (*brier, share * (1 - share))
        said += [
            f"{np.mean(chance[which]):.3f}",
            *(f"{one[classes].mean():.3f}" for one in of_classes),
        ]
        count = int(truth[:, at].sum()) if at < len(labels) else ""
        lines.append(f"| {name} | {count} | {' | '.join(said)} |")
    return "\n".join(lines)


def _errors(truth: Bool[np.ndarray, "R C"], told: Float[np.ndarray, "R C"]) -> list[float]:
    """Of every class, then of all percentages together."""
    present = truth.astype(float)
    pairs = zip((*told.T, told.ravel()), (*present.T, present.ravel()), strict=True)
    return [expected_error(*pair) for pair in pairs]


def _said(drawn: Float[np.ndarray, " D"]) -> str:
    """The figure itself, then the interval of its draws."""
    found = interval_of(float(drawn[0]), drawn[1:])
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


def of_ruler(ruler: Path, ptb_xl: Path) -> str:
    """The table of superclasses by a ruler's models, and as told with what is measured."""
    own, told = (out_of_fold(folder) for folder in (ruler, ruler / MEASURED))
    asked = [one for one in columns(told, ptb_xl) if one.of_set == SETS[0]]
    rows = asked[0].rows
    kinds = told.log_odds[np.ix_(rows, [told.names.index(name) for name in KINDS])]
    alone, both = (
        expit(scores.log_odds[np.ix_(rows, [scores.names.index(one.prompt) for one in asked])])
        for scores in (own, told)
    )
    both[:, [one.prompt for one in asked].index(NORMAL)] = left(expit(kinds))
    truth = np.stack([one.truth for one in asked], axis=1)
    patients = [told.records[row].patient for row in rows]
    shown = table([one.label for one in asked], truth, patients, alone, both)
    return f"{len(rows)} recordings of {len(set(patients))} patients\n\n{shown}"


def out_of_fold(folder: Path) -> Scores:
    """The scores of PTB-XL of all groups of a ruler."""
    found = [Scores.load(one) for one in sorted(folder.glob("group-*")) if Scores.lies_in(one)]
    if not found:
        raise ConfigError(
            f"found no finished group in {str(folder)!r}; needed those of `python -m train ruler "
            f"--out` and, in its {MEASURED!r}, those that `python -m train combine --ruler` writes"
        )
    return pooled([one.of_source("ptb-xl") for one in found])


def main() -> None:
    """Print the table."""
    parser = bench_parser("percentages", __doc__)
    parser.add_argument("--ptb-xl", type=Path, required=True, metavar="DIR", help="as published")
    parser.add_argument("--folds", type=int, nargs="+", default=FOLDS, metavar="N")
    parser.add_argument("--dataset", nargs="+", choices=SETS, default=SUPER)
    parser.add_argument("--ruler", type=Path, metavar="DIR", help="what `train ruler` wrote")
    options = parser.parse_args()
    if options.ruler:
        if options.folds is not FOLDS or options.dataset is not SUPER:
            parser.error("found --folds or --dataset beside --ruler, which tells all superclasses")
        print(of_ruler(options.ruler, options.ptb_xl))
        return
    explorer = Explorer.load()
    for dataset in options.dataset:
        classes = load_set(dataset, options.ptb_xl)
        found = unseen(explorer.model, classes.present(folds=options.folds))
        if not found:
            parser.error("found no recording of these folds that training has not seen")
        truth = classes.truth(found)
        patients = [one.patient for one in found]
        print(f"\n{dataset}: {len(found)} recordings of {len(set(patients))} patients\n")
        headers = (one.header for one in found if one.header)
        said = own_and_told(explorer, headers, load_prompt_sets()[dataset].prompts)
        print(table(classes.classes, truth, patients, *said), flush=True)


if __name__ == "__main__":
    run(main)
