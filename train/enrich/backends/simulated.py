"""A stand-in for a language model whose proposals are of known quality: it knows the simulator.

    enrich(shards.tags, SimulatedModel(), out=Path("runs/experiment/candidates"))

As a language model does, it looks at the report alone. It has counted, over simulated ECGs of its
own, how much more often a feature shows where a statement holds, and proposes those that go with
the statements of a report (`expected`), a few at `random`, and a third of both in other words.
Which of them show in an ECG is for the ECG to say: an expected one that does not is the plausible
slip.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from focal_app.lexicon import FEATURE_GROUPS, Lexicon, load_lexicon
from train.data.fingerprint import LEXICON, fingerprint, simulator_files
from train.enrich.backends.protocol import Answer
from train.enrich.candidate_calibration import stated
from train.enrich.prompts import Conversation, digest
from train.simulate import VOCABULARY, simulate

FIRST_SEED = 920_000_000
"""Far from the seeds of any training data."""
OTHER_WORDS = ("{}", "presence of {}", "{} pattern", "{} on the ECG tracing")

_SAMPLING_RATE_HZ = 100
"""What shows in an ECG is decided before its signal is drawn, which nobody looks at here."""
_LEAST, _RISE = 10, 0.1
"""Recordings on which a statement is known, and how much likelier a feature must be with it."""
_EXPECTED, _RANDOM, _REWORDED = 8, 2, 1 / 3

Kind = Literal["expected", "random"]


@dataclass(frozen=True)
class Proposal:
    """A feature that is proposed, in which words, and why."""

    feature: str
    wording: str
    kind: Kind


@dataclass(frozen=True)
class SimulatedModel:
    """Answers with features that go with a report, as far as `recordings` simulated ECGs tell."""

    recordings: int = 1500
    seed: int = FIRST_SEED

    name = "simulated"
    at_once = 4096
    varies = False

    @property
    def model(self) -> str:
        """What decides its answers."""
        made_of = (self.recordings, self.seed, OTHER_WORDS, _EXPECTED, _RANDOM, _REWORDED)
        return f"simulator-{fingerprint(*made_of, files=[LEXICON, *simulator_files()])}"

    def answer(self, conversations: Sequence[Conversation]) -> Iterator[Answer]:
        """The proposals as JSON, to either prompt."""
        for number, one in enumerate(conversations):
            words = [proposal.wording for proposal in self.proposed(one.tags)]
            yield Answer(number, json.dumps({"features": words}))

    def proposed(self, tags: Sequence[str]) -> list[Proposal]:
        """The features for a report with these tags; equal sets of tags are answered alike."""
        lexicon, rng = load_lexicon(), np.random.default_rng(int(digest(sorted(set(tags)))[:8], 16))
        said = stated([s.tag for s in map(lexicon.resolve, tags) if s], (), lexicon)
        known, rises = _rises(self.recordings, self.seed), dict[str, float]()
        for tag in sorted(said):
            for feature, rise in known.get(tag, {}).items():
                if feature not in said:
                    rises[feature] = max(rise, rises.get(feature, 0.0))
        expected = sorted(rises, key=lambda feature: (-rises[feature], feature))[:_EXPECTED]
        rest = sorted(features_of(lexicon) - said - set(rises))
        random = rng.permutation(rest)[:_RANDOM].tolist()
        kinds: list[tuple[str, Kind]] = [(feature, "expected") for feature in expected]
        kinds += [(str(feature), "random") for feature in random]
        return [Proposal(f, _worded(f, lexicon, rng), kind) for f, kind in kinds]


@lru_cache(maxsize=2)
def _rises(recordings: int, seed: int) -> dict[str, dict[str, float]]:
    """By how much the share of ECGs that show a feature rises where a statement holds."""
    lexicon = load_lexicon()
    features, shown = features_of(lexicon), Counter[str]()
    together: dict[str, Counter[str]] = {}
    for number in range(recordings):
        drawn = simulate(seed + number, sampling_rate_hz=_SAMPLING_RATE_HZ)
        present = stated(drawn.tags, (), lexicon)
        shown.update(present)
        for tag in present - features:
            together.setdefault(tag, Counter()).update(present & features)
    known: dict[str, dict[str, float]] = {}
    for tag, counts in together.items():
        if shown[tag] >= _LEAST:
            rises = {f: n / shown[tag] - shown[f] / recordings for f, n in counts.items()}
            known[tag] = {f: rise for f, rise in rises.items() if rise >= _RISE}
    return known


def features_of(lexicon: Lexicon) -> frozenset[str]:
    """Features that the simulator speaks of and that the lexicon expects with some diagnosis."""
    named = {feature for statement in lexicon for feature in statement.features}
    return frozenset(f for f in named & VOCABULARY if lexicon[f].group in FEATURE_GROUPS)


def _worded(feature: str, lexicon: Lexicon, rng: np.random.Generator) -> str:
    """The lexicon's own wording, or one of the others within a phrase."""
    if rng.random() >= _REWORDED:
        return feature
    others = lexicon[feature].names[1:] or (feature,)
    return str(rng.choice(OTHER_WORDS)).format(str(rng.choice(others)))
