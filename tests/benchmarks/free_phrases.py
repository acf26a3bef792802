"""Verification of clinicians' wordings as they stand, on drawn ECGs that are known.

python -m tests.benchmarks.free_phrases --checkpoint assets/checkpoint

Asked is what clinicians wrote for one finding (`tests/words/paraphrases.txt`), all of it and what
`verify` leaves as free text, without being understood: of every ECG the findings that it shows, and
as many that it does not show. The same findings by their name in the lexicon stand beside them.
The own curve is fitted on wordings of other findings, on other ECGs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from tests.benchmarks.options import at_least_one, bench_parser, run
from tests.words.paraphrased import Paraphrase, paraphrases
from train.benchmark.metrics import auc
from train.enrich.candidate_calibration import fit_candidates, stated
from train.enrich.meanings import meanings
from train.enrich.planted import FIRST_SEED, InMemory, drawn_in_memory
from train.enrich.scoring import Curve, Embedded, candidate_logits
from train.enrich.verify import THRESHOLD
from train.fit import calibration as calibrate
from train.simulate import SimulatedECG, simulate

TOGETHER = 64


@dataclass(frozen=True)
class Pairs:
    """Phrases put to ECGs: the number of either, logits by both wordings, whether it shows."""

    phrase: np.ndarray
    ecg: np.ndarray
    free: Float[np.ndarray, " P"]
    named: Float[np.ndarray, " P"]
    shows: Bool[np.ndarray, " P"]


def affirmed() -> list[Paraphrase]:
    """The lines of one finding."""
    return [one for one in paraphrases() if not one.denied and len(one.meant) == 1]


def free_lines(model: Focal) -> list[Paraphrase]:
    """Those that neither the grammar nor the cosine understands."""
    meant = meanings(model.text, {one.words for one in affirmed()}, load_lexicon())
    return [one for one in affirmed() if meant[one.words] is None]


def asked(model: Focal, lines: Sequence[Paraphrase], drawn: Sequence[SimulatedECG]) -> Pairs:
    """Of drawn ECGs all phrases that they show, and as many that they do not.

    One of which an ECG shows a further meaning alone is not asked.
    """
    lexicon, rng, rows = load_lexicon(), np.random.default_rng(FIRST_SEED), []
    for number, one in enumerate(drawn):
        present = stated(one.tags, (), lexicon)
        shows = np.array([line.meant[0][0] in present for line in lines])
        absent = np.array([present.isdisjoint(line.meant[0]) for line in lines])
        true, false = np.flatnonzero(shows), rng.permutation(np.flatnonzero(absent))
        rows += [(phrase, number, True) for phrase in true]
        rows += [(phrase, number, False) for phrase in false[: len(true)]]
    phrase, ecg, shows = np.array(rows).T
    shards = drawn_in_memory("drawn", drawn, split="train")
    free, named = (
        _logits(model, shards, names)[ecg, phrase]
        for names in ([one.words for one in lines], [one.meant[0][0] for one in lines])
    )
    return Pairs(phrase, ecg, free, named, shows.astype(bool))


def _logits(model: Focal, shards: InMemory, names: Sequence[str]) -> Float[np.ndarray, "R C"]:
    embedded, found = Embedded.of(model, names), []
    for first in range(0, len(shards.ecgs), TOGETHER):
        rows = range(first, min(first + TOGETHER, len(shards.ecgs)))
        found += candidate_logits(model, shards, rows, [names] * len(rows), embedded)
    return np.array([np.full(len(names), np.nan) if one is None else one for one in found])


def _row(name: str, probability: Float[np.ndarray, " P"], shows: Bool[np.ndarray, " P"]) -> str:
    kept = probability >= THRESHOLD
    right = f"{shows[kept].mean():.1%} of {kept.sum()}" if kept.any() else "- of 0"
    shares = f"{kept[shows].mean():.1%} | {(~kept[~shows]).mean():.1%}"
    error = calibrate.expected_error(probability, shows.astype(float))
    return f"| {name} | {auc(shows, probability):.3f} | {shares} | {right} | {error:.3f} |"


def crossed(pairs: Pairs, group: np.ndarray) -> Float[np.ndarray, " P"]:
    """Probabilities by curves of the phrases of other findings on the other half of the ECGs."""
    half_of_ecgs, half_of_findings = pairs.ecg % 2, group[pairs.phrase] % 2
    found = np.full(len(pairs.free), np.nan)
    for ecgs in (0, 1):
        for findings in (0, 1):
            taught = (half_of_ecgs != ecgs) & (half_of_findings != findings)
            mine = (half_of_ecgs == ecgs) & (half_of_findings == findings)
            curve = calibrate.fit(pairs.free[taught], pairs.shows[taught].astype(float))
            found[mine] = Curve("own", "", curve.scale, curve.shift)(pairs.free[mine])
    return found


def families(lines: Sequence[Paraphrase]) -> np.ndarray:
    """A number a line: those that share a meaning, or one that it implies, have the same."""
    lexicon, number = load_lexicon(), np.arange(len(lines))
    told = [{n for tag in one.meant[0] for n in (tag, *lexicon.ancestors(tag))} for one in lines]
    own = [set(one.meant[0]) for one in lines]
    for one in range(len(lines)):
        for other in range(one):
            if own[one] & told[other] or own[other] & told[one]:
                number[number == number[one]] = number[other]
    return np.unique(number, return_inverse=True)[1]


def main() -> None:
    """Print the tables."""
    parser = bench_parser("free_phrases", __doc__)
    parser.add_argument("--checkpoint", default="assets/checkpoint", metavar="DIR_OR_REPO")
    parser.add_argument("--records", type=at_least_one, default=300, metavar="N")
    options = parser.parse_args()
    model = Focal.load(options.checkpoint)
    every = [simulate(FIRST_SEED + number) for number in range(2 * options.records)]
    drawn, others = every[: options.records], every[options.records :]
    fitting = drawn_in_memory("simulated", others, split="validation")
    curve = fit_candidates(model, [fitting], {})
    for what, lines in (("wordings", affirmed()), ("of them free text", free_lines(model))):
        pairs, family = asked(model, lines, drawn), families(lines)
        print(
            f"\n{len(lines)} {what}, {family.max() + 1} families, {options.records} drawn ECGs, "
            f"{len(pairs.shows)} pairs, half of them true; threshold {THRESHOLD}.\n"
        )
        print("| asked, curve | AUC | true kept | false rejected | right among the kept | ECE |")
        print("|---|---|---|---|---|---|")
        print(_row("the lexicon's name", curve(pairs.named), pairs.shows))
        print(_row("as it stands, the same curve", curve(pairs.free), pairs.shows))
        print(_row("as it stands, own curve", crossed(pairs, family), pairs.shows))


if __name__ == "__main__":
    run(main)
