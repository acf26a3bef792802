"""Beats that are measured as early, against what was said of the recordings and what the app tells.

    python -m tests.benchmarks.early --real DIR

Of every recording under DIR (`ptb-xl`, `ludb`, `challenge`): whether codes or the report (PTB-XL's
are German and Swedish) say premature beats from above or of the ventricles, whether early beats are
wide or like the others, and the AUC of both findings, told without and with their width. Then how
often drawn rhythms show them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from focal_app.ecg.complete import completed
from focal_app.ecg.measured import Measured
from focal_app.errors import FocalError
from focal_app.explore.measured.contradictions import judged
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.reading import percent
from focal_app.model.combination import Combined
from focal_app.model.measuring import measured
from tests.benchmarks.options import real_and_drawn, run
from train.benchmark.metrics import auc
from train.data.source import Annotated, Source
from train.runs.embedded import real_sources
from train.simulate import simulate

KINDS = ("premature atrial complex", "premature ventricular complex")
WIDTH = "early_wider_ms"
DRAWN = (
    *(*KINDS, "ventricular bigeminy", "normal ECG", "sinus arrhythmia", "atrial fibrillation"),
    *("second degree AV block type 1", "second degree AV block type 2"),
)
FIRST_SEED = 700
_REPORTED = (re.compile(r"\bsupraventrikul\S* extras"), re.compile(r"\bventrikul\S* extras"))


@dataclass(frozen=True)
class Looked:
    """A recording: what is said of it, of which kinds its early beats are (None: none can be told),
    and the probabilities of both kinds without and with the width; pairs as in `KINDS`."""

    name: str
    source: str
    said: tuple[bool, bool]
    shows: tuple[bool, bool] | None
    without: tuple[float, float]
    told: tuple[float, float]


def said(found: Annotated) -> tuple[bool, bool]:
    """Whether codes or the report say premature beats from above, and of the ventricles."""
    report = found.report.lower()
    atrial, ventricular = (
        name in found.tags or bool(words.search(report))
        for name, words in zip(KINDS, _REPORTED, strict=True)
    )
    return atrial, ventricular


def shows(found: Measured | None) -> tuple[bool, bool] | None:
    """Whether early beats like the others, and wide ones, are measured."""
    if found is None or found.early is None:
        return None
    atrial, ventricular = (judged(found, name).contradicted is False for name in KINDS)
    return atrial, ventricular


def looked(explorer: Explorer, sources: Iterable[Source]) -> Iterator[Looked]:
    """Every recording of the sources that can be read."""
    with_width = explorer.combination
    plain = {name: narrowed for name, one in with_width.items() if (narrowed := _without(one))}
    for source in sources:
        for study in source.studies(Counter()):
            try:
                found = study.read(Counter())
                readings = []
                for explorer.combination in (plain, with_width):
                    readings.append(explorer.read(found.ecg, KINDS) if found else None)
            except FocalError:
                continue
            if found and readings[1] and readings[1].findings:
                without, told = (
                    tuple(finding.probability for finding in reading.findings)
                    for reading in readings
                )
                kinds = shows(readings[1].measured)
                name = f"{source.name} {study.key}"
                yield Looked(name, source.name, said(found), kinds, without, told)


def _without(one: Combined) -> Combined | None:
    terms = tuple(term for term in one.terms if term.quantity != WIDTH)
    return replace(one, terms=terms) if terms else None


def table(found: Sequence[Looked]) -> str:
    """Counts by what is said, AUCs, and every recording that has early beats or is said to."""
    lines = ["| said | recordings | cannot be told | early, like the others | early, wide |"]
    lines.append("|---|---|---|---|---|")
    for name, pair in {
        "atrial": (True, False),
        "ventricular": (False, True),
        "both": (True, True),
        "neither": (False, False),
    }.items():
        part = [one for one in found if one.said == pair]
        none = sum(one.shows is None for one in part)
        alike, wide = (sum(bool(one.shows and one.shows[kind]) for one in part) for kind in (0, 1))
        lines.append(f"| {name} | {len(part)} | {none} | {alike} | {wide} |")
    lines += ["", "| finding | with it | AUC without width | with it |", "|---|---|---|---|"]
    for kind, name in enumerate(KINDS):
        truth = np.array([one.said[kind] for one in found])
        areas = [
            auc(truth, np.array([getattr(one, way)[kind] for one in found]))
            for way in ("without", "told")
        ]
        lines.append(f"| {name} | {truth.sum()} | {areas[0]:.3f} | {areas[1]:.3f} |")
    lines += ["", "| recording | said | shows | atrial | ventricular |", "|---|---|---|---|---|"]
    for one in found:
        if any(one.said) or (one.shows and any(one.shows)):
            marks = [_marks(one.said), _marks(one.shows) if one.shows else "not told"]
            pairs = zip(one.without, one.told, strict=True)
            changes = [f"{percent(before)} to {percent(after)}" for before, after in pairs]
            lines.append(f"| {' | '.join((one.name, *marks, *changes))} |")
    return "\n".join(lines)


def _marks(pair: tuple[bool, bool]) -> str:
    both = zip(("atrial", "ventricular"), pair, strict=True)
    return ", ".join(name for name, held in both if held) or "neither"


def drawn(count: int) -> Iterator[str]:
    """A line on each of the drawn rhythms: of so many, those with early beats of each kind."""
    for state in DRAWN:
        seeds = range(FIRST_SEED, FIRST_SEED + count)
        each = [shows(measured(completed(simulate(seed, states=(state,)).ecg))) for seed in seeds]
        alike, wide = (sum(bool(one and one[kind]) for one in each) for kind in (0, 1))
        yield f"| {state} | {each.count(None)} | {alike} | {wide} |"


def main() -> None:
    """Print the tables."""
    options = real_and_drawn("early", __doc__, drawn=60)
    sources = real_sources(options.real)
    print(table(list(looked(Explorer.load(), sources))))
    print(f"\n| {options.drawn} drawn | cannot be told | early, like the others | early, wide |")
    print("|---|---|---|---|")
    for line in drawn(options.drawn):
        print(line, flush=True)


if __name__ == "__main__":
    run(main)
