"""Candidates: waveform features that a report leaves out and that its tags make likely.

    lexicon_candidates([ReportTag("LBBB", "left bundle branch block")])

They come from the lexicon, which needs nothing else, or from a language model (`llm`). Either way
they are proposals: `verification` says which of them the ECG supports. What a model words is sorted
first (`focal_app.words.proposals`): what only repeats the report, and what names no finding that
could be verified, is no candidate, and is told of apart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from focal_app.lexicon import load_lexicon
from focal_app.words.proposals import Outcome, proposals
from focal_app.words.statements import ReportTag

MOST_CANDIDATES = 60
LEXICON, MODEL = "lexicon", "model"
ACUTE = "ST elevation"


@dataclass(frozen=True)
class Candidate:
    """A feature to verify; `proposed_by` are the tags that suggest it, where that is known.

    `suspected` says that the report only suspects all of these tags.
    """

    feature: str
    source: str
    proposed_by: tuple[str, ...] = ()
    suspected: bool = False


@dataclass(frozen=True)
class Proposed:
    """What a language model proposed for a report: candidates to verify, and what is none.

    `echoes` only repeat the report; `apart` are wordings that name no finding, and get no
    percentage. `outcome` tells apart that the model proposed nothing, that it proposed nothing that
    can be verified, and that there are features, whatever the ECG shows of them.
    """

    candidates: tuple[Candidate, ...]
    echoes: tuple[str, ...]
    apart: tuple[str, ...]
    outcome: Outcome

    @property
    def words(self) -> str:
        """Why nothing, or not all, of it is verified; empty where all is."""
        said = [NOTHING_TO_VERIFY[self.outcome]] if self.outcome in NOTHING_TO_VERIFY else []
        if self.echoes:
            said.append(f"Only repeats the report: {'; '.join(self.echoes)}.")
        if self.apart:
            said.append(f"Names no finding that can be verified: {'; '.join(self.apart)}.")
        return " ".join(said)

    def document(self) -> dict[str, Any]:
        """The same as plain values, without the candidates."""
        return {
            "outcome": self.outcome,
            "echoes": list(self.echoes),
            "no_finding": list(self.apart),
        }


NOTHING_TO_VERIFY: dict[Outcome, str] = {
    "none proposed": "The language model proposed no features for these tags.",
    "echoes": "The language model proposed nothing that the report does not say.",
    "free text": "The language model proposed no feature that can be verified.",
    "unusable": "The language model proposed no feature that can be verified.",
}


def lexicon_candidates(tags: Sequence[ReportTag]) -> tuple[Candidate, ...]:
    """The waveform features that the lexicon lists for the tags that are not denied.

    Those of what a tag implies too. Left out is what the report says already, and what it denies.
    """
    proposed: dict[str, list[ReportTag]] = {}
    for tag in tags:
        for feature in () if tag.denied or not tag.known or tag.value else _features(tag):
            proposed.setdefault(feature, []).append(tag)
    found = (
        Candidate(feature, LEXICON, tuple(tag.tag for tag in by), _only_suspected(by))
        for feature, by in proposed.items()
    )
    return _kept(found, tags)


def model_proposals(features: Iterable[str], tags: Sequence[ReportTag]) -> Proposed:
    """A model's features under the lexicon's names, each once, and what of them is no candidate."""
    said = [tag for tag in tags if not tag.denied]
    found = proposals(features, [tag.prompt for tag in said if not tag.value])
    doubted = _only_suspected(said)
    candidates = _kept((Candidate(name, MODEL, suspected=doubted) for name in found.features), tags)
    return Proposed(candidates, found.echoes, found.apart, found.outcome)


def _only_suspected(by: Sequence[ReportTag]) -> bool:
    return bool(by) and all(tag.suspected for tag in by)


def _features(said: ReportTag) -> list[str]:
    """The features of a statement, then those of every more general one that it implies.

    An old infarct shows no ST elevation any more.
    """
    lexicon, tag = load_lexicon(), said.tag
    implied = [tag, *sorted(lexicon.ancestors(tag))]
    acute = {ACUTE, *lexicon.descendants(ACUTE)} if said.age == "old" else set()
    excluded = lexicon.exclusions(tag) | acute
    found = (feature for name in implied for feature in lexicon[name].features)
    return [feature for feature in dict.fromkeys(found) if feature not in excluded]


def _kept(found: Iterable[Candidate], tags: Sequence[ReportTag]) -> tuple[Candidate, ...]:
    said = {tag.tag for tag in tags}
    return tuple(one for one in found if one.feature not in said)[:MOST_CANDIDATES]
