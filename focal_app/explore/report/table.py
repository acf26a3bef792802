"""A verified report as a table: a row a statement, its features below it, and what is left.

table = table_of(verification)
table.rows[0].verdict.name       # "supported"
table.by_verdict("undecided")    # the statements that the ECG leaves open
table.added                      # what the model would add
"""

from collections.abc import Sequence
from dataclasses import dataclass

from focal_app.explore.reading.reading import Finding
from focal_app.explore.reading.zones import SUPPORTED
from focal_app.explore.report import verdicts
from focal_app.explore.report.candidates import Candidate
from focal_app.explore.report.verdicts import Verdict
from focal_app.explore.report.verification import Statement, Verification, Verified
from focal_app.lexicon import load_lexicon
from focal_app.words.asides import Aside
from focal_app.words.statements import ReportTag

NONE_PROPOSED = "no feature is proposed for these statements"
NONE_CHECKABLE = (
    "none of the proposed features can be checked: the report says them already, or they are no "
    "finding of an ECG"
)
NONE_SUPPORTED = "features are proposed, and this ECG supports none of them"


@dataclass(frozen=True)
class Feature(Verified):
    """A proposed feature and what the ECG holds of it."""

    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class Row(Statement):
    """A statement of the report, what the ECG holds of it, and the features proposed for it."""

    verdict: Verdict
    features: tuple[Feature, ...]


@dataclass(frozen=True)
class Added:
    """A finding that the report does not mention; `against` are its statements that exclude it."""

    finding: Finding
    verdict: Verdict
    against: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows in the order of the report; `proposed` are features of no single statement.

    `asides`, `left_out` and `overruled` are what of the report is not checked: lines that say
    nothing of this ECG, words of which nothing is known, and denials of what the report states
    too. `none` says why no feature is supported; empty where one is.
    """

    rows: tuple[Row, ...]
    proposed: tuple[Feature, ...]
    added: tuple[Added, ...]
    asides: tuple[Aside, ...]
    left_out: tuple[str, ...]
    overruled: tuple[ReportTag, ...]
    none: str

    def by_verdict(self, *names: str) -> tuple[Row, ...]:
        """The rows of these verdicts."""
        return tuple(row for row in self.rows if row.verdict.name in names)

    @property
    def features(self) -> tuple[Feature, ...]:
        """All features, those of rows first."""
        return (*(one for row in self.rows for one in row.features), *self.proposed)

    @property
    def supported(self) -> tuple[Feature, ...]:
        """The features that enter the enriched report."""
        return tuple(one for one in self.features if one.verdict.name == SUPPORTED)


def in_words(tag: ReportTag) -> str:
    """A statement as the table names it: "possible old inferior myocardial infarction"."""
    state = "no " if tag.denied else "possible " if tag.suspected else ""
    age = tag.age if tag.age in {"old", "new"} and tag.age not in tag.tag.split() else ""
    later = ", age undetermined" if tag.age == "undetermined" else ""
    return f"{state}{age}{' ' if age else ''}{tag.prompt}{later}"


def table_of(found: Verification) -> Table:
    """The table of a verified report."""
    features = [
        Feature(one.candidate, one.finding, verdicts.of_feature(one.finding, found.zones))
        for one in found.verified
    ]
    tags = {one.tag.tag for one in found.statements}
    rows = tuple(_row(one, features, found, tags) for one in found.statements)
    loose = tuple(one for one in features if _owner(one.candidate, tags) is None)
    supported = any(one.verdict.name == SUPPORTED for one in features)
    return Table(
        rows=rows,
        proposed=loose,
        added=_added(found),
        asides=found.said.asides,
        left_out=found.said.left_out,
        overruled=found.said.overruled,
        none="" if supported else _why_none(found),
    )


def _row(one: Statement, features: Sequence[Feature], found: Verification, tags: set[str]) -> Row:
    own = tuple(f for f in features if _owner(f.candidate, tags) == one.tag.tag)
    return Row(**vars(one), verdict=_verdict(one, found), features=own)


def _verdict(one: Statement, found: Verification) -> Verdict:
    if one.held is not None:
        return verdicts.of_value(one.held, denied=one.tag.denied and not one.held.turned)
    if one.finding is None:
        return verdicts.unknown()
    return verdicts.of_finding(one.tag, one.finding, found.zones)


def _owner(candidate: Candidate, tags: set[str]) -> str | None:
    """The first statement for which a feature is proposed; it stands there alone."""
    return next((tag for tag in candidate.proposed_by if tag in tags), None)


def _added(found: Verification) -> tuple[Added, ...]:
    """Findings that Read calls likely and the report does not mention, the most telling alone.

    What is looked for unasked is seldom there: of less likely ones labels knew a fifth
    (docs/measurements.md).
    """
    lexicon = load_lexicon()
    said = [one.tag for one in found.statements if one.tag.tag in lexicon]
    affirmed = [tag.tag for tag in said if not tag.denied]
    proposed = {one.candidate.feature for one in found.verified}
    covered = {tag.tag for tag in said}.union(proposed, *(lexicon.ancestors(t) for t in affirmed))
    judged = [(one, verdicts.of_feature(one, found.zones)) for one in found.others]
    likely = [
        (one, verdict)
        for one, verdict in judged
        if verdict.name == SUPPORTED and one.likely and one.prompt not in covered
    ]
    implied = frozenset[str]().union(*(lexicon.ancestors(one.prompt) for one, _ in likely))
    shown = [pair for pair in likely if pair[0].prompt not in implied]
    return tuple(
        Added(one, verdict, tuple(t for t in affirmed if t in lexicon.exclusions(one.prompt)))
        for one, verdict in sorted(shown, key=lambda pair: -pair[0].probability)
    )


def _why_none(found: Verification) -> str:
    if not found.proposed:
        return NONE_PROPOSED
    return NONE_SUPPORTED if found.verified else NONE_CHECKABLE
