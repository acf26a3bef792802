"""Whether measurements help the model's own log-odds, finding by finding, judged out of fold.

    judged(scores, measured, "ptb-xl")    # a `Judged` for every candidate with enough recordings

A group of recordings is judged by a curve that was fitted on the out-of-fold scores of the other
groups, so that neither the encoder nor the curve has seen it. One source teaches the curves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import expit, logit

from focal_app.ecg.measured import Measured
from focal_app.lexicon import load_lexicon
from focal_app.model.combination import Combined, Term, distances, together
from train.benchmark.metrics import DRAWS, Interval, interval_of
from train.benchmark.out_of_fold import Scores
from train.benchmark.ruler import FEWEST, auc_within, drawn_again, patient_weights
from train.fit.combination import GIVEN, OF_VOLTAGES, applied, candidates, fit, terms_of

FEWEST_ELSEWHERE = 3
"""The same on recordings beside the ruler, where nothing is chosen."""


@dataclass(frozen=True)
class Judged:
    """AUC of the model alone and of both, what both gain, and what they save of the logistic loss.

    The loss is held against that of the model under a curve of its own, fitted on the same rows.
    """

    statement: str
    recordings: int
    positives: int
    model: float
    both: float
    gain: Interval
    loss_saved: Interval
    combined: Combined
    """Fitted on all of them: what is shipped where it helps."""

    @property
    def helps(self) -> bool:
        """Whether AUC or loss gains beyond chance, and the other one loses nothing."""
        either = max(self.gain.low, self.loss_saved.low) > 0
        return either and min(self.gain.value, self.loss_saved.value) > 0


@dataclass(frozen=True)
class Rows:
    """A statement over recordings: what the model says, what was measured, what is true."""

    own: Float[np.ndarray, " R"]
    distances: Float[np.ndarray, "R M"]
    present: Bool[np.ndarray, " R"]

    def of(self, which: Bool[np.ndarray, " R"]) -> "Rows":
        """Some of them."""
        return Rows(self.own[which], self.distances[which], self.present[which])

    def fitted(self, terms: Sequence[Term]) -> Combined:
        """The curve of these rows."""
        return fit(terms, self.own, self.distances, self.present)

    def both(self, combined: Combined) -> Float[np.ndarray, " R"]:
        """The log-odds of both."""
        return applied(combined, self.own, self.distances)

    def alone(self, learnt: "Rows") -> Float[np.ndarray, " R"]:
        """The model's log-odds under a curve of other rows."""
        nothing = np.zeros((len(learnt.own), 0))
        curve = fit((), learnt.own, nothing, learnt.present)
        return curve.model * self.own + curve.shift

    def better(self, learnt: "Rows") -> Float[np.ndarray, " R"]:
        """The same or the model's own log-odds, whichever surprise less."""
        ways = (self.own, self.alone(learnt))
        return min(ways, key=lambda way: logistic_loss(way, self.present).sum())


def rows_of(scores: Scores, found: Sequence[Measured], name: str, terms: Sequence[Term]) -> Rows:
    """The rows of one statement; absent where a record names neither it nor what implies it."""
    lexicon = load_lexicon()
    meaning = {name, *lexicon.descendants(name)}
    far = [distances(terms, one) for one in found]
    return Rows(
        scores.log_odds[:, scores.names.index(name)].astype(float),
        np.array(far, dtype=float).reshape(len(found), len(terms)),
        np.array([bool(meaning.intersection(one.tags)) for one in scores.records], bool),
    )


def judged(
    scores: Scores, found: Sequence[Measured], teacher: str, *, draws: int = DRAWS
) -> Iterator[Judged]:
    """Every candidate that enough of the recordings have, and lack.

    Only recordings of the source `teacher` teach the curves. A source is judged for itself, by the
    curves of the other groups; where there are others than the teacher, what a voltage joins is
    left out, since they scale their leads in other ways.
    """
    weights = patient_weights(scores, draws)
    groups, sources = (
        np.array([getattr(one, name) for one in scores.records]) for name in ("group", "source")
    )
    teaches, within = sources == teacher, _comparable(scores)
    for name, terms in candidates().items():
        if not teaches.all() and any(term.quantity in OF_VOLTAGES for term in terms):
            continue
        rows = rows_of(scores, found, name, terms)
        others = {group: rows.of((groups != group) & teaches) for group in np.unique(groups)}
        if _too_few(rows.of(teaches), FEWEST) or any(map(_too_few, others.values())):
            continue
        both, alone = np.empty(len(groups)), np.empty(len(groups))
        for group, learnt in others.items():
            curve = learnt.fitted(terms)
            for source in np.unique(sources[groups == group]):
                own = (groups == group) & (sources == source)
                asked = rows.of(own)
                both[own] = asked.both(curve)
                alone[own] = asked.alone(learnt) if source == teacher else asked.better(learnt)
        shipped = rows.of(teaches).fitted(terms)
        yield _figures(name, rows, (alone, both), within, weights, shipped)


def given(scores: Scores, found: Sequence[Measured], *, draws: int = DRAWS) -> Iterator[Judged]:
    """Every curve that is not fitted, beside the model as it stands, where three recordings have
    its statement, and lack it."""
    weights, within = patient_weights(scores, draws), _comparable(scores)
    for name, curve in GIVEN.items():
        rows = rows_of(scores, found, name, curve.terms)
        if not _too_few(rows):
            yield _figures(name, rows, (rows.own, rows.both(curve)), within, weights, curve)


def _comparable(scores: Scores) -> Int[np.ndarray, " R"]:
    """A number for each group and source: scores of others have no common scale."""
    both = [f"{one.group} {one.source}" for one in scores.records]
    return np.unique(both, return_inverse=True)[1]


def _figures(
    name: str,
    rows: Rows,
    curves: tuple[np.ndarray, np.ndarray],
    groups: np.ndarray,
    weights: Float[np.ndarray, "D R"],
    combined: Combined,
) -> Judged:
    """Of the model under a curve of its own, and of both together."""
    own, both = curves
    alone = auc_within(rows.present, rows.own, groups, weights)
    together = auc_within(rows.present, both, groups, weights)
    saved = logistic_loss(own, rows.present) - logistic_loss(both, rows.present)
    saved = weights @ saved / weights.sum(1)
    gain = together - alone
    return Judged(
        name,
        len(groups),
        int(rows.present.sum()),
        float(alone[0]),
        float(together[0]),
        interval_of(float(gain[0]), gain[1:]),
        interval_of(float(saved[0]), saved[1:]),
        combined,
    )


def compared(
    name: str, taught: Sequence[Rows], asked: Sequence[Rows], terms: Sequence[Term]
) -> Judged | None:
    """A curve of some rows on others, all scored by one model; None where either are too few."""
    held, rows = joined(asked), joined(taught)
    if _too_few(held) or _too_few(rows):
        return None
    combined = rows.fitted(terms)
    group = np.zeros(len(held.present), int)
    weights = drawn_again(len(group), DRAWS)
    return _figures(name, held, (held.own, held.both(combined)), group, weights, combined)


def across(
    name: str, taught: Sequence[Rows], asked: Sequence[Rows], terms: Sequence[Term]
) -> Judged | None:
    """What a group is asked by the curve of the other groups' rows; None where too few."""
    held, both = joined(asked), []
    if _too_few(held):
        return None
    for number, rows in enumerate(asked):
        others = joined([one for other, one in enumerate(taught) if other != number])
        if _too_few(others):
            return None
        both.append(rows.both(others.fitted(terms)))
    group = np.repeat(np.arange(len(asked)), [len(one.present) for one in asked])
    combined, weights = joined(taught).fitted(terms), drawn_again(len(group), DRAWS)
    return _figures(name, held, (held.own, np.concatenate(both)), group, weights, combined)


def with_measurements(
    scores: Scores, found: Sequence[Measured], curves: Mapping[str, Combined]
) -> Scores:
    """The scores with measurements in the statements of some curves: each group by a curve of the
    others, or by the one that is given.

    A statement is told as at least as probable as those under it, as in the app.
    """
    groups, both = np.array([one.group for one in scores.records]), scores.log_odds.copy()
    for name in curves:
        rows = rows_of(scores, found, name, terms_of(name))
        for group in np.unique(groups):
            own = groups == group
            column = scores.names.index(name)
            both[own, column] = rows.of(own).both(curve_of(name, rows.of(~own)))
    return told(Scores(scores.names, scores.records, both), curves)


def curve_of(name: str, learnt: Rows) -> Combined:
    """The curve that is given for a statement, or that of some rows; the model as it stands where
    those are too few to teach one."""
    if name in GIVEN:
        return GIVEN[name]
    terms = terms_of(name)
    if _too_few(learnt):
        return Combined(1.0, 0.0, tuple(replace(term, weight=0.0) for term in terms))
    return learnt.fitted(terms)


def told(scores: Scores, joined: Mapping[str, Combined]) -> Scores:
    """The scores as they stand beside each other in the app, where measurements may join these."""
    each = expit(scores.log_odds.astype(float))
    return Scores(scores.names, scores.records, logit(together(scores.names, each, joined)))


def _too_few(rows: Rows, fewest: int = FEWEST_ELSEWHERE) -> bool:
    return min(rows.present.sum(), (~rows.present).sum()) < fewest


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of all."""
    fields = (np.concatenate([getattr(one, name) for one in parts]) for name in vars(parts[0]))
    return Rows(*fields)


def logistic_loss(
    log_odds: Float[np.ndarray, " R"], present: Bool[np.ndarray, " R"]
) -> Float[np.ndarray, " R"]:
    """The surprise at every recording."""
    return np.logaddexp(0, log_odds) - present * log_odds


def combinations(found: Sequence[Judged]) -> dict[str, Combined]:
    """What is kept: the curves of the statements that they help."""
    return {one.statement: one.combined for one in found if one.helps}
