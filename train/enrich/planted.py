"""Verification put to the test: simulated ECGs whose findings are known, and features planted.

    python -m train verify-planted --checkpoint assets/checkpoint --records 400

Of every simulated ECG the report keeps the diagnoses and loses the waveform features. Candidates
are the lost ones, true, and as many false ones of each of two kinds: `random`, any feature that is
absent; `suggested`, one that the lexicon expects with the diagnoses and that is absent here. Half
of the patients fit the score, the other half is verified as any other data.
"""

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from focal_app.ecg.recording import ECG
from focal_app.lexicon import Lexicon, load_lexicon
from focal_app.model.focal import Focal
from train.data.shard_index import Index, line_of
from train.data.shards import Shards
from train.data.verified_files import read_lines
from train.enrich.backends.simulated import features_of
from train.enrich.candidate_calibration import THRESHOLDS, excluded, stated
from train.enrich.verify import THRESHOLD, Reading, verify
from train.recipe import Score
from train.simulate import SimulatedECG, simulate

FIRST_SEED = 900_000_000
"""Far from the seeds of any training data."""
KINDS = ("random", "suggested")


@dataclass(frozen=True)
class Planted:
    """One simulated ECG: what its report says, what is true beside it, and what was planted."""

    drawn: SimulatedECG
    report: tuple[str, ...]
    true: tuple[str, ...]
    false: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Figures:
    """`kept` of the true and `rejected` of the false candidates at the threshold, and the curve."""

    records: int
    score: str
    threshold: float
    true: int
    kept: float
    false: dict[str, int]
    rejected: dict[str, float]
    curve: list[dict[str, float]]


@dataclass(frozen=True)
class InMemory(Shards):
    """Shards that were never written."""

    ecgs: Sequence[ECG] = ()

    @classmethod
    def of(
        cls, name: str, ecgs: Iterable[ECG], tags: Sequence[Sequence[str]], *, split: str
    ) -> Self:
        """Recordings of a source, each with its tags."""
        lines = [line_of(f"{name}-{i:05d}", split=split, tags=some) for i, some in enumerate(tags)]
        index = Index.of((0, line) for line in lines)
        return cls(Path(name), {"source": name}, index, tuple(ecgs))

    def ecg(self, i: int) -> ECG:
        """Record `i`."""
        return self.ecgs[i]


def drawn_in_memory(name: str, drawn: Sequence[SimulatedECG], *, split: str) -> InMemory:
    """Simulated ECGs with all their tags."""
    return InMemory.of(name, [one.ecg for one in drawn], [one.tags for one in drawn], split=split)


def measure_planted(
    model: Focal, *, records: int = 400, threshold: float = THRESHOLD, score: Score = "candidate"
) -> Figures:
    """Verify `records` simulated ECGs with planted features; as many others fit the score."""
    seeds = range(FIRST_SEED, FIRST_SEED + 2 * records)
    planted = list(plant(seeds[:records], load_lexicon()))
    others = [simulate(seed) for seed in seeds[records:]]
    reports = InMemory.of(
        "planted",
        [one.drawn.ecg for one in planted],
        [one.report for one in planted],
        split="train",
    )
    fitting = drawn_in_memory("simulated", others, split="validation")
    asked: dict[frozenset[str], set[str]] = defaultdict(set)
    for one in planted:
        asked[frozenset(one.report)].update(one.true, *one.false.values())
    candidates = {tags: tuple(sorted(found)) for tags, found in asked.items()}
    reading = Reading(calibrate_on=[fitting])
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "verified"
        verify(model, [reports], candidates, out, threshold=threshold, score=score, reading=reading)
        lines = list(read_lines(out))
    return _figures(planted, lines, threshold=threshold, score=score)


def plant(seeds: Sequence[int], lexicon: Lexicon) -> Iterator[Planted]:
    """Simulated ECGs with true and false candidates."""
    features = features_of(lexicon)
    for seed in seeds:
        drawn = simulate(seed)
        rng = np.random.default_rng(seed)
        report = tuple(tag for tag in drawn.tags if tag in lexicon and tag not in features)
        said, against = stated(report, (), lexicon), excluded(report, lexicon)
        present = stated(drawn.tags, (), lexicon)
        true = tuple(sorted((features & present) - said))
        absent = features - present - against
        suggested = frozenset(f for tag in said for f in lexicon[tag].features) & absent
        yield Planted(
            drawn,
            report,
            true,
            {
                "random": _some(absent, len(true), rng),
                "suggested": _some(suggested, len(true), rng),
            },
        )


def _some(features: frozenset[str], count: int, rng: np.random.Generator) -> tuple[str, ...]:
    drawn = rng.permutation(sorted(features))[:count]
    return tuple(sorted(drawn.tolist()))


def _figures(
    planted: Sequence[Planted], lines: Sequence[dict[str, Any]], *, threshold: float, score: str
) -> Figures:
    found: dict[str, list[float]] = defaultdict(list)
    for one, line in zip(planted, lines, strict=True):
        verdicts = (*line["accepted"], *line["rejected"])
        judged = {verdict["feature"]: verdict["probability"] for verdict in verdicts}
        found["true"] += [judged[f] for f in one.true]
        for kind in KINDS:
            found[kind] += [judged[f] for f in one.false[kind]]
    scores = {name: np.array(values) for name, values in found.items()}
    curve = [_at(scores, limit) for limit in THRESHOLDS]
    here = _at(scores, threshold)
    return Figures(
        records=len(planted),
        score=score,
        threshold=threshold,
        true=len(scores["true"]),
        kept=here["true_kept"],
        false={kind: len(scores[kind]) for kind in KINDS},
        rejected={kind: here[f"{kind}_rejected"] for kind in KINDS},
        curve=curve,
    )


def _at(scores: dict[str, np.ndarray], threshold: float) -> dict[str, float]:
    row = {"threshold": threshold, "true_kept": float((scores["true"] >= threshold).mean())}
    for kind in KINDS:
        row[f"{kind}_rejected"] = float((scores[kind] < threshold).mean())
    return row


def as_markdown(figures: Figures) -> str:
    """The curve as a table."""
    lines = [
        f"{figures.records} simulated ECGs; {figures.true} true candidates, "
        f"{figures.false['random']} random and {figures.false['suggested']} suggested false ones. "
        f"Score: {figures.score}, a probability. Threshold {figures.threshold:g}.",
        "",
        "| threshold | true kept | random false rejected | suggested false rejected |",
        "|---|---|---|---|",
    ]
    for row in figures.curve:
        shares = (row["true_kept"], *(row[f"{kind}_rejected"] for kind in KINDS))
        lines.append(f"| {row['threshold']:g} | {' | '.join(f'{s:.1%}' for s in shares)} |")
    return "\n".join(lines)
