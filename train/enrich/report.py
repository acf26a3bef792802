"""What an enrichment did, in counts: nothing is left out uncounted.

`requests_per_report` is distinct tag sets a report, of both prompts each; `calls` are the answers
that this run asked the backend for, `known` those that it had from before.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from focal_app.words.proposals import Proposals
from train.enrich.candidates import Candidate

COMMONEST = 20
LISTED = ("features", "contradictory", "echoes", "apart")
COUNTED = ("repeated", "unusable", "beyond")
"""What an answer proposed: as wordings, and as mere numbers."""


@dataclass
class Tally:
    """What is counted while a backend is asked; `again` are new attempts, by what they are for."""

    calls: int = 0
    known: int = 0
    refused: int = 0
    again: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Report:
    """Counts of a run.

    Of tag sets: `distinct_sets`, of them `ok` with features, `none_proposed`, `echoes_only`,
    `free_text_only`, `unusable_only` and `malformed`; `retried` are attempts beyond the first,
    `again` the same by what the one before had brought. Of wordings, a tag set each: `features`, of
    them `contradictory` (they exclude a tag); left out were `echoes` of a tag, `apart` (free text),
    `repeated`, `unusable` and those `beyond` the most that are taken.
    """

    reports: int
    without_tags: int
    distinct_sets: int
    requests_per_report: float
    calls: int
    known: int
    refused: int
    retried: int
    again: dict[str, int]
    ok: int
    none_proposed: int
    echoes_only: int
    free_text_only: int
    unusable_only: int
    malformed: int
    features: int
    features_per_set: float
    features_per_report: float
    contradictory: int
    echoes: int
    apart: int
    repeated: int
    unusable: int
    beyond: int
    commonest: dict[str, int]
    seconds: float

    def __str__(self) -> str:
        """Four lines."""
        again = ", ".join(f"{count:,} {status}" for status, count in sorted(self.again.items()))
        return (
            f"{self.reports:,} reports ({self.without_tags:,} without tags), "
            f"{self.distinct_sets:,} distinct tag sets: {self.requests_per_report:.3f} requests a "
            f"report; {self.calls:,} calls in {self.seconds:.1f} s, {self.known:,} answers known "
            "from before\n"
            f"{self.ok:,} sets with features; without: {self.none_proposed:,} where none was "
            f"proposed, {self.echoes_only:,} with echoes of the tags alone, "
            f"{self.free_text_only:,} free text, {self.unusable_only:,} unusable, "
            f"{self.malformed:,} malformed\n"
            f"asked again: {again or 'none'}; {self.refused:,} requests refused\n"
            f"{self.features_per_set:.2f} features a set: {self.features:,}, of which "
            f"{self.contradictory:,} in contradiction to a tag; left out: {self.echoes:,} echoes, "
            f"{self.apart:,} free text, {self.repeated:,} repeated, {self.unusable:,} unusable, "
            f"{self.beyond:,} too many"
        )


class Summing:
    """Counts as candidates come; `reports` are the records of each tag set, the empty included."""

    def __init__(self, reports: Mapping[tuple[str, ...], int]) -> None:
        """Nothing is counted yet."""
        self.reports = reports
        self.status: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.by_report: Counter[str] = Counter()

    def add(self, candidates: Sequence[Candidate], found: Sequence[Proposals | None]) -> None:
        """The candidates of some tag sets, and what their answers proposed."""
        for candidate, one in zip(candidates, found, strict=True):
            self.status[candidate.status] += 1
            self.by_report.update(dict.fromkeys(candidate.features, self.reports[candidate.tags]))
            if one is not None:
                for name in LISTED:
                    self.counts[name] += len(getattr(one, name))
                for name in COUNTED:
                    self.counts[name] += getattr(one, name)

    def report(self, tally: Tally, *, seconds: float) -> Report:
        """The counts of the run."""
        records, sets, counts = sum(self.reports.values()), self.status.total(), self.counts
        return Report(
            reports=records,
            without_tags=self.reports.get((), 0),
            distinct_sets=sets,
            requests_per_report=sets / max(records, 1),
            calls=tally.calls,
            known=tally.known,
            refused=tally.refused,
            retried=tally.again.total(),
            again=dict(tally.again),
            ok=self.status["ok"],
            none_proposed=self.status["none proposed"],
            echoes_only=self.status["echoes"],
            free_text_only=self.status["free text"],
            unusable_only=self.status["unusable"],
            malformed=self.status["malformed"],
            **{name: counts[name] for name in (*LISTED, *COUNTED)},
            features_per_set=counts["features"] / max(sets, 1),
            features_per_report=self.by_report.total() / max(records, 1),
            commonest=dict(self.by_report.most_common(COMMONEST)),
            seconds=round(seconds, 1),
        )
