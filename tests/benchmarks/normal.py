"""How a normal ECG is told by what other findings leave, against the model's own prompt for it.

    python -m tests.benchmarks.normal --ptb-xl DIR

On recordings of PTB-XL of whose patients the checkpoint has seen none (folds 1 to 8: 9 and 10 are
for the end), each with measurements as the app reads it. An interval draws patients again, as the
same draws for both, of which the last column tells the difference. A recording is normal where its
labels say so, and abnormal where they say that or something that implies it: some are both.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from focal_app.explore.reading.bundled_cases import bundled_cases, load_case
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.normal import ABNORMAL, NORMAL
from focal_app.explore.reading.reading import LIKELY, percent
from focal_app.lexicon import load_lexicon
from tests.benchmarks.options import bench_parser, run
from tests.benchmarks.own_and_told import own_and_told
from tests.benchmarks.patients import rows_drawn_again
from train.benchmark.metrics import DRAWS, auc, interval_of
from train.benchmark.ptbxl_statements import reported
from train.benchmark.unseen import unseen

FOLDS = (1, 2, 3, 4, 5, 6, 7, 8)
PERCENT = ("right side of 50 %", "median of these", "median of others")
"""Figures that are told as percentages."""


def figures(present: Bool[np.ndarray, " R"], told: Float[np.ndarray, " R"]) -> dict[str, float]:
    """How well probabilities tell which recordings are normal, or abnormal."""
    return {
        "AUC": auc(present, told),
        "Brier score": float(np.square(told - present).mean()),
        PERCENT[0]: float(((told >= LIKELY) == present).mean()),
        PERCENT[1]: float(np.median(told[present])),
        PERCENT[2]: float(np.median(told[~present])),
    }


def table(
    present: Bool[np.ndarray, " R"],
    patients: Sequence[str],
    before: Float[np.ndarray, " R"],
    after: Float[np.ndarray, " R"],
    *,
    draws: int = DRAWS,
) -> str:
    """The figures of both as Markdown, with intervals by patient."""
    rows = rows_drawn_again(patients, draws)
    rows = [row for row in rows if len(set(present[row])) == 2]
    one, two = ([figures(present[row], told[row]) for row in rows] for told in (before, after))
    lines = ["| | by its own prompt | as told | difference |", "|---|---|---|---|"]
    for name in one[0]:
        own, left = (np.array([drawn[name] for drawn in each]) for each in (one, two))
        said = [_said(name, drawn) for drawn in (own, left, left - own)]
        lines.append(f"| {name} | {' | '.join(said)} |")
    return "\n".join(lines)


def _said(name: str, drawn: Float[np.ndarray, " D"]) -> str:
    """The figure itself, then the interval of its draws."""
    found = interval_of(float(drawn[0]), drawn[1:])
    values = (found.value, found.low, found.high)
    value, low, high = (f"{100 * one:.0f}" if name in PERCENT else f"{one:.3f}" for one in values)
    return f"{value} ({low} to {high}){' %' if name in PERCENT else ''}"


def bundled(explorer: Explorer) -> Mapping[str, tuple[str, str, str]]:
    """Of every bundled case: by its own prompt, as it is told, and what left so much."""
    found = {}
    for case in bundled_cases():
        (one,) = explorer.read(load_case(case.name), [NORMAL]).findings
        told = (percent(one.own_probability), percent(one.probability))
        found[case.name] = (*told, one.left_by or "")
    return found


def main() -> None:
    """Print a table of each, and what is told of the bundled cases."""
    parser = bench_parser("normal", __doc__)
    parser.add_argument("--ptb-xl", type=Path, required=True, metavar="DIR", help="as published")
    parser.add_argument("--folds", type=int, nargs="+", default=FOLDS, metavar="N")
    options = parser.parse_args()
    explorer = Explorer.load()
    found = unseen(explorer.model, reported(options.ptb_xl, folds=options.folds))
    if not found:
        parser.error("found no recording of these folds that training has not seen; choose others")
    patients = [one.patient for one in found]
    print(f"{len(found)} recordings of {len(set(patients))} patients")
    both = own_and_told(explorer, (one.header for one in found), [NORMAL, ABNORMAL])
    for column, name in enumerate((NORMAL, ABNORMAL)):
        meaning = {name, *load_lexicon().descendants(name)}
        present = np.array([bool(meaning.intersection(one.tags)) for one in found])
        share = present.mean()
        print(
            f"\n{present.sum()} labelled {name}; Brier score of telling everybody that share: "
            f"{share * (1 - share):.3f}\n"
        )
        print(table(present, patients, *(told[:, column] for told in both)))
    print("\n| bundled case | by its own prompt | told | left by |\n|---|---|---|---|")
    for name, told in bundled(explorer).items():
        print(f"| {name} | {' | '.join(told)} |")


if __name__ == "__main__":
    run(main)
