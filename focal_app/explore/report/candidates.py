"""Candidates: waveform features that a report leaves out and that its tags make likely.

    lexicon_candidates([ReportTag("LBBB", "left bundle branch block")])

They come from the lexicon, which needs nothing else, or from a language model (`llm`). Either way
they are proposals: `verification` says which of them the ECG supports.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from focal_app.explore.reading.prompts import LONGEST, tidy
from focal_app.lexicon import load_lexicon, normalize_name
from focal_app.words.prompts import speaks_of_an_ecg
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


def model_candidates(features: Iterable[str], tags: Sequence[ReportTag]) -> tuple[Candidate, ...]:
    """A model's features under the lexicon's names where it knows them, each once.

    What is no finding of an ECG is left out: it cannot be verified on one.
    """
    lexicon = load_lexicon()
    named: dict[str, str] = {}
    for feature in map(tidy, features):
        statement = lexicon.resolve(feature)
        name = statement.tag if statement else feature
        if len(name) <= LONGEST and (statement or speaks_of_an_ecg(name)):
            named.setdefault(normalize_name(name), name)
    doubted = _only_suspected([tag for tag in tags if not tag.denied])
    return _kept((Candidate(name, MODEL, suspected=doubted) for name in named.values()), tags)


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
