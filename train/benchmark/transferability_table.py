"""The table of what enriched reports bring a MERL-style model, seeds pooled."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from train.benchmark.apart import Numbers
from train.benchmark.publication import asterisk, of_published_pair
from train.benchmark.results import Result
from train.benchmark.seeds import average, pooled, pooled_gain, read_interval, seeds_note, shown
from train.benchmark.sets import SETS
from train.benchmark.table import Table
from train.benchmark.tables import MACRO, Cells, grid


def transferability(results: Sequence[Result]) -> Iterator[Table]:
    """Macro AUC by what the reports said, and what enriched ones gain; pairs of several seeds as
    one, where the names of both folders end with the seed."""
    cells: Cells = defaultdict(dict)
    unlike, of_seeds = False, {}
    for (original, enriched), seeds in _pairs(results).items():
        of_seeds[f"{original} {enriched}"] = [next(iter(one.values())) for one in seeds]
        judged = {
            name: [one[name] for one in seeds if name in one] for one in seeds for name in one
        }
        alike = {
            name: found
            for name, found in judged.items()
            if len(found) == len(seeds) and len({one.data for one in found}) == 1
        }
        unlike |= len(alike) < len(judged)
        for row, kind, over_seeds in (
            (f"{original}: original reports", "original", pooled),
            (f"{enriched}: enriched reports", "enriched", pooled),
            (f"{enriched} less {original}", "gain", pooled_gain),
        ):
            every = {
                name: over_seeds([read_interval(one.figures[kind]) for one in found])
                for name, found in alike.items()
            }
            for name, found in every.items():
                cells[row][name] = shown(found, sign=kind == "gain") + asterisk(alike[name][0])
            if every:
                cells[row]["average"] = shown(average([*every.values()]), sign=kind == "gain")
    note = (
        f"{MACRO} An asterisk: not the whole published test split. The last row of a pair draws "
        "the same recordings for both models. Published rows stand beside models of the published "
        f"size that learnt from its archive, and only where all six sets are whole."
        f"{seeds_note(of_seeds)}"
        f"{' Sets on which not all seeds were judged alike are left out.' if unlike else ''}"
    )
    title = "A MERL-style model that learnt from reports as they are, and from enriched ones"
    order, same = (*SETS, "average"), of_published_pair(results)
    yield grid("transferability", title, cells, note=note, order=order, beside=same)


def _pairs(results: Sequence[Result]) -> dict[tuple[str, str], list[dict[str, Result]]]:
    """By the names of a pair the results of each of its seeds, by set."""
    learnt: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for one in results:
        learnt[_names(one)].add(one.config["learnt"])
    found: dict[tuple[str, str], dict[int, dict[str, Result]]] = defaultdict(dict)
    numbers = Numbers()
    for one in results:
        names, seed = _names(one), one.config["trained_seed"]
        suffix = numbers.suffix(" ".join(names), one.config["learnt"])
        plain = [name.removesuffix(f"-{seed}") for name in names]
        alone = len(learnt[names]) > 1 or names[0] == plain[0] or names[1] == plain[1]
        original, enriched = [name + suffix for name in names] if alone else plain
        found[original, enriched].setdefault(seed, {})[one.dataset] = one
    return {pair: [*seeds.values()] for pair, seeds in found.items()}


def _names(one: Result) -> tuple[str, str]:
    """Those of a pair's folders."""
    return one.config["original"], one.config["enriched"]
