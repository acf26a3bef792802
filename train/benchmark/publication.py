"""The paper's numbers, and beside which figures they stand: those of the recordings it judged."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from train.benchmark.results import Result
from train.benchmark.sets import SETS

PUBLISHED = Path(__file__).with_name("published.yaml")


@cache
def published() -> dict[str, Any]:
    """The paper's numbers by table."""
    return yaml.safe_load(PUBLISHED.read_text(encoding="utf-8"))


def whole(judged: Iterable[tuple[str, int]]) -> set[str]:
    """Of sets and counts of judged test recordings those that miss none; of all six the average."""
    found = {name for name, _ in set(judged) & set(published()["test-recordings"].items())}
    return found | ({"average"} if set(SETS) <= found else set())


def whole_in_all(results: Sequence[Result]) -> set[str]:
    """The same of results that compare models over several sets: what none of them misses.

    None where a model is smaller, or has learnt from fewer patients, than the published ones.
    """
    least = published()["models"]
    if any((one.figures.get(line) or 0) < least[line] for one in results for line in least):
        return set()
    alike = [
        [item for item in one.figures["judged"].items() if of_published_labels(one, item[0])]
        for one in results
    ]
    return set.intersection(*map(whole, alike))


def of_published_labels(result: Result, name: str) -> bool:
    """Whether a set was judged by the labels that were published, where ours are mended."""
    mended = name in published()["mended-labels"]
    return not mended or result.config.get("labels") == "published"


def judged(result: Result) -> tuple[str, int]:
    """The set of a result, and how many recordings of its test split were judged."""
    found = result.figures
    of_test = found["split"] == "test"
    return result.dataset, found["recordings"] + found["unreadable"] if of_test else 0


def asterisk(result: Result) -> str:
    """An asterisk unless every recording of the published test split was judged."""
    return "" if whole([judged(result)]) else "*"


def of_read_features(results: Iterable[Result]) -> bool:
    """Whether people labelled as many features on as many records as in the paper."""
    protocol = published()["enrichment-auc"]["protocol"]
    return all(
        one.figures["reference"] == "labels"
        and len(one.figures["features"]) == protocol["features"]
        and one.figures["records"] >= protocol["records"]
        for one in results
    )


def of_published_pair(results: Sequence[Result]) -> set[str]:
    """Sets and average, if MERL-style models of its size learnt from its archive and read all."""
    alike = [judged(one) for one in results if of_published_labels(one, one.dataset)]
    protocol, found = published()["transferability"]["protocol"], whole(alike)
    same = "average" in found and all(
        one.figures["model"]["width"] == protocol["width"]
        and one.figures["model"]["blocks"] == protocol["blocks"]
        and list(one.figures["learnt"]["sources"]) == [protocol["source"]]
        and one.figures["learnt"]["records"] >= protocol["records"]
        and not asterisk(one)
        for one in results
    )
    return found if same else set()
