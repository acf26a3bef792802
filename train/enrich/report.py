"""What an enrichment did, in counts: nothing is left out uncounted.

`requests_per_report` is distinct tag sets a report, of both prompts each; `calls` are the answers
that this run asked the backend for, `known` those that it had from before.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from train.enrich.candidates import Candidate
from train.enrich.normalise import Features

COMMONEST = 20


@dataclass
class Tally:
    """What is counted while a backend is asked."""

    calls: int = 0
    known: int = 0
    refused: int = 0
    retried: int = 0


@dataclass(frozen=True)
class Report:
    """Counts of a run.

    Of tag sets: `distinct_sets`, of them `ok`, `malformed` and `empty`, and `retried` (attempts
    beyond the first). Of features, a tag set each: `features`, of them `known_to_the_lexicon` and
    `contradictory` (they exclude a tag); left out were those `already_among_tags`, `repeated` and
    `unusable`.
    """

    reports: int
    without_tags: int
    distinct_sets: int
    requests_per_report: float
    calls: int
    known: int
    refused: int
    retried: int
    ok: int
    malformed: int
    empty: int
    features: int
    features_per_set: float
    features_per_report: float
    known_to_the_lexicon: int
    contradictory: int
    already_among_tags: int
    repeated: int
    unusable: int
    commonest: dict[str, int]
    seconds: float

    def __str__(self) -> str:
        """Three lines."""
        return (
            f"{self.reports:,} reports ({self.without_tags:,} without tags), "
            f"{self.distinct_sets:,} distinct tag sets: {self.requests_per_report:.3f} requests a "
            f"report; {self.calls:,} calls in {self.seconds:.1f} s, {self.known:,} answers known "
            "from before\n"
            f"{self.ok:,} sets with features, {self.empty:,} without, {self.malformed:,} malformed "
            f"after {self.retried:,} new attempts, {self.refused:,} requests refused\n"
            f"{self.features_per_set:.2f} features a set: {self.features:,}, of which "
            f"{self.known_to_the_lexicon:,} known to the lexicon and {self.contradictory:,} in "
            f"contradiction to a tag; left out: {self.already_among_tags:,} among the tags, "
            f"{self.repeated:,} repeated, {self.unusable:,} unusable"
        )


def summarised(
    candidates: Sequence[Candidate],
    features: Sequence[Features],
    reports: Mapping[tuple[str, ...], int],
    tally: Tally,
    *,
    seconds: float,
) -> Report:
    """The counts of a run; `reports` are the records of each tag set, the empty set included."""
    records = sum(reports.values())
    status = Counter(candidate.status for candidate in candidates)
    found = sum(len(candidate.features) for candidate in candidates)
    by_report: Counter[str] = Counter()
    for candidate in candidates:
        by_report.update(dict.fromkeys(candidate.features, reports[candidate.tags]))
    return Report(
        reports=records,
        without_tags=reports.get((), 0),
        distinct_sets=len(candidates),
        requests_per_report=len(candidates) / max(records, 1),
        **vars(tally),
        ok=status["ok"],
        malformed=status["malformed"],
        empty=status["empty"],
        features=found,
        features_per_set=found / max(len(candidates), 1),
        features_per_report=by_report.total() / max(records, 1),
        known_to_the_lexicon=sum(len(candidate.known) for candidate in candidates),
        contradictory=sum(len(candidate.contradictory) for candidate in candidates),
        already_among_tags=sum(len(one.already) for one in features),
        repeated=sum(one.repeated for one in features),
        unusable=sum(one.unusable for one in features),
        commonest=dict(by_report.most_common(COMMONEST)),
        seconds=round(seconds, 1),
    )
