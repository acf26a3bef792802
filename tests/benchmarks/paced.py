"""Spikes of pacemakers that are measured, against the labels, and what the app makes of them.

    python -m tests.benchmarks.paced --real DIR

Of every recording under DIR (`ptb-xl`, `ludb`, `challenge`): whether it is labelled paced, whether
spikes are measured, and the percentage of a paced rhythm by the model alone and as it is told; the
labelled ones line by line, with whether the checkpoint was trained on them. Then how many drawn
paced rhythms show spikes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from focal_app.ecg.complete import completed
from focal_app.errors import FocalError
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.reading import percent
from focal_app.lexicon import load_lexicon
from focal_app.model.measuring import measured
from focal_app.model.seen import patient
from tests.benchmarks.options import real_and_drawn, run
from train.benchmark.metrics import auc
from train.data.source import Source
from train.runs.embedded import real_sources
from train.simulate import simulate

PACED = "paced rhythm"
DRAWN = ("atrial pacing", "ventricular pacing")
FIRST_SEED = 7000


@dataclass(frozen=True)
class Looked:
    """A recording: its label, whether spikes are measured, and two probabilities of pacing."""

    name: str
    source: str
    labelled: bool
    spikes: bool
    own: float
    told: float
    trained: bool


def looked(explorer: Explorer, sources: Iterable[Source]) -> Iterator[Looked]:
    """Every recording of the sources that can be read."""
    implying = {PACED, *load_lexicon().descendants(PACED)}
    for source in sources:
        for study in source.studies(Counter()):
            try:
                found = study.read(Counter())
                reading = explorer.read(found.ecg, [PACED]) if found else None
            except FocalError:
                continue
            if found and reading and reading.findings and reading.measured:
                one, seen = reading.findings[0], explorer.model.seen
                yield Looked(
                    f"{source.name} {study.key}",
                    source.name,
                    not implying.isdisjoint(found.tags),
                    bool(reading.measured.spikes_seen),
                    one.own_probability,
                    one.probability,
                    bool(seen and seen.trained_on([patient(source.name, study.subject)])[0]),
                )


def table(found: Sequence[Looked]) -> str:
    """Counts by source, the labelled recordings one by one, and the AUC of each way."""
    lines = ["| source | recordings | labelled paced | of these with spikes | false spikes |"]
    lines.append("|---|---|---|---|---|")
    for source in (*dict.fromkeys(one.source for one in found), "all"):
        part = [one for one in found if source in (one.source, "all")]
        with_it = [one for one in part if one.labelled]
        false = sum(one.spikes for one in part if not one.labelled)
        seen = sum(one.spikes for one in with_it)
        lines.append(f"| {source} | {len(part)} | {len(with_it)} | {seen} | {false} |")
    lines += [
        "",
        "| recording | spikes | model alone | told | trained on |",
        "|---|---|---|---|---|",
    ]
    highest = sorted(found, key=lambda one: (one.labelled, one.own), reverse=True)
    for one in highest[: sum(each.labelled for each in found) + 3]:
        what = one.name if one.labelled else f"{one.name}, not paced"
        told = f"{percent(one.own)} | {percent(one.told)}"
        spikes, trained = ("yes" if told else "no" for told in (one.spikes, one.trained))
        lines.append(f"| {what} | {spikes} | {told} | {trained} |")
    truth = np.array([one.labelled for one in found])
    each = {"model alone": "own", "told": "told", "spikes alone": "spikes"}
    areas = [
        f"{name} {auc(truth, np.array([float(getattr(one, of)) for one in found])):.4f}"
        for name, of in each.items()
    ]
    return "\n".join([*lines, "", f"AUC: {', '.join(areas)}"])


def drawn(count: int) -> dict[str, int]:
    """Of so many drawn rhythms of each kind, those in which spikes are measured."""
    return {
        state: sum(
            bool(measured(completed(simulate(seed, states={state}).ecg)).spikes_seen)
            for seed in range(FIRST_SEED, FIRST_SEED + count)
        )
        for state in DRAWN
    }


def main() -> None:
    """Print the tables."""
    options = real_and_drawn("paced", __doc__, drawn=100)
    print(table(list(looked(Explorer.load(), real_sources(options.real)))))
    for state, seen in drawn(options.drawn).items():
        print(f"{state}: spikes in {seen} of {options.drawn} drawn ones")


if __name__ == "__main__":
    run(main)
