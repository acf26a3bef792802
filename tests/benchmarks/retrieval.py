"""Which cases come first, against their labels: precision of searches by text and by likeness.

python -m tests.benchmarks.retrieval --ptb-xl DIR --folds 7 8
python -m tests.benchmarks.retrieval --gallery assets/gallery --json retrieval.json

With `--ptb-xl` a gallery of the recordings of some folds is made first, of patients whom the
checkpoint's training has not seen. Every finding with at least 5 cases and at most half of them is
asked for by its name, and with each of its cases as the query; a case of the query's own patient
never counts. Precision@5 is the share of the first 5 that carry the finding, or something that
implies it, averaged over findings. An interval draws patients again, for queries and cases alike.

`random` is the share in the whole gallery. `text, mean` and `similar, mean patch` order by the mean
of the patch embeddings, which is this model's embedding of the whole ECG; `less the mean` takes
that of the gallery off first. The others are what the app does. The normal ECG, which most have,
stands beside the mean over findings. A label that nobody wrote down counts as absent, so that
figures on real recordings are lower bounds.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from focal_app.explore.cases.gallery import Filters, Gallery
from focal_app.explore.cases.gallery.build import Plan, build
from focal_app.explore.cases.gallery.sources import ptb_xl
from focal_app.explore.cases.search import search
from focal_app.explore.cases.similar import Finding, Whole, similar
from focal_app.explore.reading.explorer import Explorer
from tests.benchmarks.tried_orders import tried_orders
from train.benchmark.metrics import Interval, interval_of
from train.benchmark.ptbxl_statements import reported
from train.benchmark.ruler import drawn_again
from train.benchmark.unseen import unseen

K, DEEP = 5, 30
"""Cases that count, and how deep an order is looked into: a draw leaves some of its cases out."""
FEWEST, MOST_SHARE, QUERIES = 5, 0.5, 12
"""Findings of this many cases to this share of all; at most so many queries a finding."""
NORMAL = "normal ECG"
"""Shown where enough have it, and not in any mean."""
BY_FINDING = ("random", "text, as searched", "similar, as a whole", "similar, by the finding")
"""Shown finding by finding too; of all ways the file of `--json` has them."""
BASE = "similar, mean patch"
"""What the others are held against."""

Order = Sequence[int]
OfText, OfCase = Callable[[str], Order], Callable[[str, int], Order]


@dataclass(frozen=True)
class Way:
    """Precision@5 by finding and over all, and how many times that of `BASE`."""

    precision: Interval
    by_finding: dict[str, Interval]
    times_base: Interval


@dataclass(frozen=True)
class Study:
    """What was measured on a gallery; `findings` counts the cases that carry each."""

    gallery: str
    cases: int
    patients: int
    findings: dict[str, int]
    ways: dict[str, Way]


@dataclass(frozen=True)
class _Labelled:
    """A gallery with whom each case is of, who carries what, and weights of the cases by draw."""

    gallery: Gallery
    whose: np.ndarray
    carrying: dict[str, Bool[np.ndarray, " N"]]
    weights: Float[np.ndarray, "D N"]

    @classmethod
    def of(cls, gallery: Gallery, patients: Mapping[str, str], draws: int) -> "_Labelled":
        """Cases without a known patient are each of one of their own."""
        names = [patients.get(case.key, case.key) for case in gallery]
        whose = np.unique(names, return_inverse=True)[1]
        weights = drawn_again(int(whose.max()) + 1, draws)[:, whose]
        return cls(gallery, whose, _carrying(gallery), weights)

    def precision(self, label: str, order: Order) -> Float[np.ndarray, " D"]:
        """Of the first K of an order, under every row of weights."""
        shown = np.array(order, int)
        weights = self.weights[:, shown]
        taken = np.clip(K - (np.cumsum(weights, axis=1) - weights), 0, weights)
        return (taken * self.carrying[label][shown]).sum(1) / K

    def others(self, order: Order, query: int) -> list[int]:
        """An order without the cases of the query's patient."""
        return [one for one in order if self.whose[one] != self.whose[query]]


def _carrying(gallery: Gallery) -> dict[str, Bool[np.ndarray, " N"]]:
    """Who carries each finding; of several that the same cases carry, the one of fewest words."""
    found: dict[bytes, str] = {}
    for label, count in gallery.labels().items():
        most = len(gallery) if label == NORMAL else MOST_SHARE * len(gallery)
        if FEWEST <= count <= most:
            who = gallery.allowed(Filters(labels=(label,))).tobytes()
            found[who] = min(label, found.get(who, label), key=lambda one: (len(one.split()), one))
    return {label: np.frombuffer(who, bool) for who, label in found.items()}


def study(
    explorer: Explorer,
    gallery: Gallery,
    patients: Mapping[str, str] | None = None,
    *,
    draws: int = 1000,
    tried: bool = False,
) -> Study:
    """Every way of finding cases, judged by their labels; `patients` by the key of a case.

    With `tried` orders of similar cases that lost stand beside the app's.
    """
    asked = _Labelled.of(gallery, patients or {}, draws)
    drawn = {"random": {label: _share(asked, label) for label in asked.carrying}}
    for name, of_text in text_ways(explorer, gallery).items():
        drawn[name] = {label: asked.precision(label, of_text(label)) for label in asked.carrying}
    likely = likeness_ways(explorer, gallery)
    for name, of_case in (likely | (tried_orders(explorer, gallery) if tried else {})).items():
        drawn[name] = {label: _by_case(asked, label, of_case) for label in asked.carrying}
    base = _mean(drawn[BASE])
    return Study(
        gallery.title,
        len(gallery),
        len(set(asked.whose.tolist())),
        {label: int(held.sum()) for label, held in asked.carrying.items()},
        {name: _way(each, base) for name, each in drawn.items()},
    )


def _share(asked: _Labelled, label: str) -> Float[np.ndarray, " D"]:
    return asked.weights @ asked.carrying[label] / asked.weights.sum(1)


def _by_case(asked: _Labelled, label: str, way: OfCase) -> Float[np.ndarray, " D"]:
    """Over the queries of a finding, each as often as its patient was drawn."""
    rng = np.random.default_rng(0)
    queries = rng.permutation(np.flatnonzero(asked.carrying[label]))[:QUERIES].tolist()
    orders = (asked.others(way(label, query), query) for query in queries)
    each = np.array([asked.precision(label, order) for order in orders])
    weights = asked.weights[:, queries].T
    total = weights.sum(0)
    none = np.full(len(total), np.nan)
    return np.divide((weights * each).sum(0), total, out=none, where=total > 0)


def _mean(each: Mapping[str, np.ndarray]) -> Float[np.ndarray, " D"]:
    return np.nanmean([one for label, one in each.items() if label != NORMAL], axis=0)


def _way(each: Mapping[str, np.ndarray], base: Float[np.ndarray, " D"]) -> Way:
    mean = _mean(each)
    by_finding = {label: _interval(one) for label, one in each.items()}
    times = np.divide(mean, base, out=np.full(len(base), np.nan), where=base > 0)
    return Way(_interval(mean), by_finding, _interval(times))


def _interval(drawn: Float[np.ndarray, " D"]) -> Interval:
    return interval_of(float(drawn[0]), drawn[1:])


def text_ways(explorer: Explorer, gallery: Gallery) -> dict[str, OfText]:
    """Orders of all cases by the name of a finding."""

    def mean(label: str) -> Order:
        tag = explorer.tags([label])[0].numpy()
        return gallery.nearest("whole").search(tag, top=len(gallery))[0].tolist()

    def searched(label: str) -> Order:
        hits = search(explorer, gallery, label, top=DEEP, at_least=0.0).hits
        return [hit.case.number for hit in hits]

    return {"text, mean": mean, "text, as searched": searched}


def likeness_ways(explorer: Explorer, gallery: Gallery) -> dict[str, OfCase]:
    """Orders of all cases by one of them, as a whole or in the finding that it was chosen for."""
    vectors = gallery.vectors("whole", np.arange(len(gallery)))
    apart = vectors - vectors.mean(0)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)

    @cache
    def whole(number: int) -> Order:
        return _similar(number, Whole())

    def _similar(number: int, by: Whole | Finding) -> Order:
        hits = similar(explorer, gallery, gallery.ecg(number), by=by, top=DEEP)
        return [hit.case.number for hit in hits]

    return {
        BASE: lambda _, number: _nearest(vectors, number),
        "similar, mean patch less the mean": lambda _, number: _nearest(apart, number),
        "similar, as a whole": lambda _, number: whole(number),
        "similar, by the finding": lambda label, number: _similar(number, Finding(label)),
    }


def _nearest(vectors: Float[np.ndarray, "N d"], number: int) -> Order:
    return np.argsort(-(vectors @ vectors[number]), kind="stable").tolist()


def gallery_of(
    explorer: Explorer, folder: Path, folds: Sequence[int], out: Path
) -> tuple[Gallery, dict[str, str]]:
    """A gallery of PTB-XL's recordings of some folds that are new to the model, and the patients
    by key."""
    found = unseen(explorer.model, reported(folder, folds=folds))
    patients = {f"ptb-xl-{int(one.key):05d}": one.patient for one in found}
    chosen = (one for one in ptb_xl(folder) if one is None or one.facts.key in patients)
    named = ", ".join(map(str, folds))
    build(chosen, explorer, out, Plan(title=f"PTB-XL, folds {named}"))
    return Gallery.open(out, explorer.model), patients


def table(found: Study) -> str:
    """The figures as Markdown."""
    lines = [
        f"{found.gallery}: {found.cases} cases of {found.patients} patients, "
        f"{len(found.findings)} findings",
        "",
        f"| way | precision@{K} (95 %) | times the mean patch (95 %) | {NORMAL} (95 %) |",
        "|---|---|---|---|",
    ]
    for name, way in found.ways.items():
        times = _said(way.times_base) if name.startswith("similar") and name != BASE else ""
        normal = _said(way.by_finding[NORMAL]) if NORMAL in way.by_finding else ""
        lines.append(f"| {name} | {_said(way.precision)} | {times} | {normal} |")
    shown = [name for name in found.ways if name in BY_FINDING]
    lines += ["", f"| finding | cases | {' | '.join(shown)} |", "|---" * (2 + len(shown)) + "|"]
    for label, count in found.findings.items():
        each = " | ".join(_said(found.ways[name].by_finding[label]) for name in shown)
        lines.append(f"| {label} | {count} | {each} |")
    return "\n".join(lines)


def _said(one: Interval) -> str:
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"


def main() -> None:
    """Measure one gallery and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.retrieval")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--gallery", metavar="DIR", help="a gallery that lies there")
    asked.add_argument("--ptb-xl", type=Path, metavar="DIR", help="PTB-XL as published")
    parser.add_argument("--folds", type=int, nargs="+", default=[7, 8], metavar="N")
    parser.add_argument("--checkpoint", metavar="DIR_OR_REPO", help="default: the embedded one")
    parser.add_argument(
        "--tried", action="store_true", help="also orders of similar cases that lost"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure to a file")
    options = parser.parse_args()
    explorer = Explorer.load(options.checkpoint)
    with tempfile.TemporaryDirectory() as made:
        if options.ptb_xl:
            out = Path(made) / "gallery"
            asked_of = gallery_of(explorer, options.ptb_xl, options.folds, out)
        else:
            asked_of = Gallery.open(options.gallery, explorer.model), None
        found = study(explorer, *asked_of, tried=options.tried)
    if options.json:
        options.json.write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
    print(table(found))


if __name__ == "__main__":
    main()
