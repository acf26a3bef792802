"""Which cases come first, against their labels: precision of searches by text and by likeness.

python -m tests.benchmarks.retrieval --gallery assets/gallery
python -m tests.benchmarks.retrieval --gallery runs/ptb-xl-gallery --json retrieval.json

Every finding with at least 5 cases and at most half of them is asked for by its name, and with some
of its cases as the query. Precision@k is the share of the first k that carry the finding, averaged
over findings. `random` is the share in the whole gallery, `mean` the order by mean embeddings (the
first stage), `re-ranked` what the app shows. A label that nobody wrote down counts as absent, so
that figures on real recordings are lower bounds.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from focal_app.ecg.recording import ECG
from focal_app.explore.cases.gallery import Filters, Gallery
from focal_app.explore.cases.search import search
from focal_app.explore.cases.similar import Finding, Whole, similar
from focal_app.explore.reading.explorer import Explorer

KS = (5, 10)
FEWEST, MOST_SHARE, QUERIES = 5, 0.5, 8
"""Findings of this many cases to this share of all; so many queries a finding by likeness."""

Order = Callable[[], Sequence[int]]


def study(explorer: Explorer, gallery: Gallery) -> dict:
    """Precision and time of every way, and the precision of every finding."""
    carrying = {
        label: gallery.allowed(Filters(labels=(label,)))
        for label, count in gallery.labels().items()
        if FEWEST <= count <= MOST_SHARE * len(gallery)
    }
    queries = _queries(gallery, carrying)
    found = {"random": {label: [float(held.mean())] * len(KS) for label, held in carrying.items()}}
    took: dict[str, float] = {}
    for name, ways in _text_ways(explorer, gallery).items():
        orders = {label: [ways(label)] for label in carrying}
        found[name], took[name] = _precision(orders, carrying)
    for name, ways in _likeness_ways(explorer, gallery).items():
        orders = {label: [ways(label, n) for n in chosen] for label, chosen in queries.items()}
        found[name], took[name] = _precision(orders, carrying)
    return {
        "gallery": gallery.title,
        "cases": len(gallery),
        "findings": len(carrying),
        "precision": {
            name: dict(zip(map(str, KS), np.mean([*each.values()], axis=0).tolist(), strict=True))
            for name, each in found.items()
        },
        "ms": took,
        "by_finding": {
            label: {name: each[label] for name, each in found.items()} for label in carrying
        },
    }


def _queries(gallery: Gallery, carrying: dict[str, np.ndarray]) -> dict[str, list[int]]:
    """Up to QUERIES cases of every finding, drawn once for all ways."""
    rng = np.random.default_rng(0)
    return {
        label: rng.permutation(np.flatnonzero(held))[:QUERIES].tolist()
        for label, held in carrying.items()
    }


def _precision(
    orders: dict[str, list[Order]], carrying: dict[str, np.ndarray]
) -> tuple[dict[str, list[float]], float]:
    """Precision at every k by finding, and the mean time of a search in milliseconds."""
    precision, times = {}, []
    for label, each in orders.items():
        shares = []
        for order in each:
            begun = time.perf_counter()
            numbers = list(order())
            times.append(1e3 * (time.perf_counter() - begun))
            held = carrying[label][numbers]
            shares.append([float(held[:k].sum() / k) for k in KS])
        precision[label] = np.mean(shares, axis=0).tolist()
    return precision, float(np.median(times))


def _text_ways(explorer: Explorer, gallery: Gallery) -> dict[str, Callable[[str], Order]]:
    def mean(label: str) -> Order:
        tag = explorer.tags([label])[0].numpy()
        return lambda: gallery.nearest("whole").search(tag, top=max(KS))[0].tolist()

    def ranked(label: str) -> Order:
        explorer.tags([label])
        return lambda: [
            hit.case.number for hit in search(explorer, gallery, label, top=max(KS)).hits
        ]

    return {"text, mean": mean, "text, re-ranked": ranked}


def _likeness_ways(explorer: Explorer, gallery: Gallery) -> dict[str, Callable[[str, int], Order]]:
    signals: dict[int, ECG] = {}

    def ecg(number: int) -> ECG:
        return signals.setdefault(number, gallery.ecg(number))

    def mean(label: str, number: int) -> Order:
        def order() -> Sequence[int]:
            vector = gallery.vectors("whole", [number])[0]
            found = gallery.nearest("whole").search(vector, top=max(KS) + 1)[0].tolist()
            return [other for other in found if other != number][: max(KS)]

        return order

    def by(label: str, number: int, way: Whole | Finding) -> Order:
        signal = ecg(number)
        return lambda: [
            hit.case.number for hit in similar(explorer, gallery, signal, by=way, top=max(KS))
        ]

    return {
        "similar, mean": mean,
        "similar, re-ranked": lambda label, number: by(label, number, Whole()),
        "similar by finding, re-ranked": lambda label, n: by(label, n, Finding(label)),
    }


def table(found: dict) -> str:
    """The figures as Markdown."""
    lines = [
        f"{found['gallery']}: {found['cases']} cases, {found['findings']} findings",
        "",
        "| way | " + " | ".join(f"precision@{k}" for k in KS) + " | ms, median |",
        "|---|" + "---|" * (len(KS) + 1),
    ]
    for name, each in found["precision"].items():
        figures = " | ".join(f"{value:.3f}" for value in each.values())
        took = f"{found['ms'][name]:.0f}" if name in found["ms"] else "-"
        lines.append(f"| {name} | {figures} | {took} |")
    return "\n".join(lines)


def main() -> None:
    """Measure one gallery and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.retrieval")
    parser.add_argument("--gallery", required=True, metavar="DIR", help="a gallery")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure to a file")
    options = parser.parse_args()
    torch.set_num_threads(2)
    explorer = Explorer.load()
    found = study(explorer, Gallery.open(options.gallery, explorer.model))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(table(found))


if __name__ == "__main__":
    main()
