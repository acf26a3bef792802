"""Cases that show what a text asks for.

found = search(explorer, gallery, "atrial fibrillation without LBBB", top=10)
found.understood        # how the text was read, in words
found.warnings          # words that were left out, terms that are not known
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from focal_app.ecg.leads import listed
from focal_app.ecg.recording import LEADS
from focal_app.errors import PromptError
from focal_app.explore.cases.duplicates import without_copies
from focal_app.explore.cases.gallery import Filters, Gallery
from focal_app.explore.cases.gallery.manifest import VIEWS
from focal_app.explore.cases.hits import Hit, TermScore, hits_document
from focal_app.explore.cases.profiles import told_in
from focal_app.explore.cases.query import OLDEST, Query, parse
from focal_app.explore.reading.document import NOTICE
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.reading import IMPROBABLE, LIKELY, percent
from focal_app.explore.reading.routing import seen
from focal_app.model.places import within
from focal_app.words.numbers import IN_WORDS, Value
from focal_app.words.statements import ReportTag

CANDIDATES = 200
"""Cases a term that the first stage hands to the second, at least."""
NO_CASE = (
    "No such case in this gallery: none that passes the filters is labelled so, and none shows it "
    "with a probability of 50 % or more."
)
NONE_LABELLED = "No case that passes the filters is labelled so."
NO_CASE_SHOWN = (
    "No such case in this gallery: none that passes the filters shows it with a probability of "
    "50 % or more."
)
NOT_TELLABLE = "Labels do not say in which leads: other cases than labelled ones are shown too."
NO_LABEL_OF_WORDS = "No label says unknown words: other cases than labelled ones are shown too."
NO_LABEL_OF_VALUES = (
    "Sex, age and measured values are asked of no label: every case that passes is shown."
)
NONE_PASSES = "No such case in this gallery: none of its cases passes."
SURE = 1e-6
"""No probability is taken to be nearer to 0 or 1 than this."""


@dataclass(frozen=True)
class Search:
    """Cases, best first, how the text was read, in one sentence, and what to mind about it.

    `rest` says what of the other cases was left out, if any was.
    """

    hits: tuple[Hit, ...]
    understood: str
    warnings: tuple[str, ...] = ()
    rest: str = ""

    def minding(self, warning: str) -> "Search":
        """With one more thing to mind, where there are cases to mind it about."""
        return replace(self, warnings=(*self.warnings, warning)) if self.hits else self


@dataclass(frozen=True)
class _Scored:
    """`numbers` (n,) of cases, `probability` and `weights` of every term in each."""

    numbers: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, "n M"]
    weights: Float[np.ndarray, "n M L N_time"]


def search(
    explorer: Explorer,
    gallery: Gallery,
    text: str,
    *,
    filters: Filters | None = None,
    top: int = 10,
    at_least: float = IMPROBABLE,
    only_labelled: bool = False,
) -> Search:
    """The `top` cases that show every wanted term of `text` and none of the unwanted ones.

    Those of a probability below `at_least` are left out, which `rest` says, unless their
    labels say what is asked; at 0 every case is ranked. `only_labelled` leaves out those whose
    labels do not. Copies of a case are shown once. A `PromptError` says what is wrong with a text
    that cannot be asked.
    """
    query = parse(text)
    measured = all(gallery.measures(value.name) for value in query.values)
    if not query.terms and not measured:
        raise PromptError(
            f"found no finding to search for, only: {query.understood} Name one, such as "
            "'tachycardia'; this gallery has no measured values. Build it again to have them."
        )
    narrowed = _narrowed(filters or Filters(), query, measured=measured)
    query = replace(query, warnings=(*query.warnings, *_of_values(gallery, query, measured)))
    if narrowed is None:
        return Search((), query.understood, (*query.warnings, NONE_PASSES))
    if not query.terms:
        found = _passing(gallery, narrowed, query, explorer, top=top)
        return found.minding(NO_LABEL_OF_VALUES) if only_labelled else found
    allowed = gallery.allowed(narrowed) if narrowed != Filters() else None
    tellable, labelled = _tellable(query.terms), _labelled(gallery, query.terms, allowed)
    none = Search((), query.understood, (*query.warnings, NO_CASE if tellable else NO_CASE_SHOWN))
    if only_labelled and tellable:
        if not labelled.any():
            return Search((), query.understood, (*query.warnings, NONE_LABELLED))
        allowed = labelled
    numbers = _candidates(explorer, gallery, query, allowed, top=top)
    numbers = np.union1d(numbers, np.flatnonzero(labelled)[:CANDIDATES])
    if not len(numbers):
        return none
    scored = _scored(explorer, gallery, query, numbers)
    score = _together(query.terms, scored.probability)
    order = np.argsort(-score, kind="stable")
    shown = _shown(query.terms, scored)
    fits = (shown >= at_least) | labelled[numbers]
    if at_least and not (fits.any() and (shown.max() >= LIKELY or labelled.any())):
        return none
    place = {int(numbers[row]): int(row) for row in order if fits[row]}
    chosen = list(islice(without_copies(place, gallery, explorer.spec), top))
    rest = "" if len(chosen) == top or fits.all() else no_further(len(chosen), at_least)
    said = query if measured else replace(query, values=())
    hits = (
        replace(
            _hit(
                gallery, query.terms, scored, row=place[number], score=float(score[place[number]])
            ),
            measured=_said(gallery, said, number),
            labelled=_labelled_so(gallery, number, labelled) if tellable else None,
        )
        for number in chosen
    )
    found = Search(tuple(hits), query.understood, query.warnings, rest)
    if not only_labelled or tellable:
        return found
    placed = any(term.narrower for term in query.terms)
    return found.minding(NOT_TELLABLE if placed else NO_LABEL_OF_WORDS)


def no_further(count: int, at_least: float) -> str:
    """That the cases which are shown are all that fit."""
    which = "This is the only case" if count == 1 else f"These {count} are all the cases"
    return (
        f"{which} that fit: every other one shows it with a probability below {percent(at_least)}, "
        "and carries no label of it."
    )


def _shown(terms: Sequence[ReportTag], scored: _Scored) -> Float[np.ndarray, " n"]:
    """The probability that cases show what is asked; words that are no known term ask nothing."""
    known = [column for column, term in enumerate(terms) if term.known]
    if not known:
        return np.ones(len(scored.numbers))
    asked = [terms[column] for column in known]
    return np.exp(_together(asked, scored.probability[:, known]))


def _tellable(terms: Sequence[ReportTag]) -> bool:
    """Whether labels can say what is asked: of a place, and of unknown words, they say nothing."""
    known = [term for term in terms if term.known]
    return bool(known) and not any(term.narrower for term in known)


def _labelled_so(gallery: Gallery, number: int, labelled: Bool[np.ndarray, " N"]) -> bool | None:
    """Whether a case is labelled so; None where it has no labels at all."""
    return bool(labelled[number]) if gallery[number].facts.labels else None


def _labelled(
    gallery: Gallery, terms: Sequence[ReportTag], allowed: Bool[np.ndarray, " N"] | None
) -> Bool[np.ndarray, " N"]:
    """Which cases carry labels of all that is wanted, one of alternatives, and of nothing unwanted.

    None where labels cannot tell.
    """
    if not _tellable(terms):
        return np.zeros(len(gallery), bool)
    parts = [np.ones(len(gallery), bool) if allowed is None else allowed]
    for term in filter(lambda term: term.known, terms):
        carried = gallery.allowed(Filters(labels=(term.tag,)))
        held = ~carried if term.denied else carried
        parts[-1:] = [parts[-1] | held] if term.either and len(parts) > 1 else [parts[-1], held]
    return np.all(parts, axis=0)


def _passing(
    gallery: Gallery, filters: Filters, query: Query, explorer: Explorer, *, top: int
) -> Search:
    """What passes where no finding is asked: the plainest cases first."""
    numbers = np.flatnonzero(gallery.allowed(filters))
    ordered = numbers[np.argsort(_plainness(gallery, query)[numbers], kind="stable")]
    shown = islice(without_copies(map(int, ordered), gallery, explorer.spec), top)
    nowhere = np.full((len(LEADS), explorer.spec.windows), np.nan)
    hits = tuple(
        Hit(gallery[number], 0.0, (), nowhere, measured=_said(gallery, query, number))
        for number in shown
    )
    none = () if hits else (NONE_PASSES,)
    return Search(hits, query.understood, (*query.warnings, *none))


def _plainness(gallery: Gallery, query: Query) -> Float[np.ndarray, " N"]:
    """The further beyond a bound, or the nearer to a value, the less; as it comes without one."""
    if not query.values:
        return np.zeros(len(gallery))
    value = query.values[0]
    found = gallery.measured(value.name)
    if value.high == inf:
        return -found
    return found if value.low == -inf else np.abs(found - (value.low + value.high) / 2)


def _said(gallery: Gallery, query: Query, number: int) -> tuple[str, ...]:
    """What was measured of a case of that which is asked."""
    found = ((one.name, round(gallery.measured(one.name)[number])) for one in query.values)
    return tuple(Value(name, value, value).words for name, value in found)


def _of_values(gallery: Gallery, query: Query, measured: bool) -> list[str]:
    """What to mind of bounds of measured values."""
    if not measured:
        said = listed([value.words for value in query.values])
        return [f"Left out: {said}; this gallery has no measured values."]
    blank = [
        (IN_WORDS[value.name][0], int(np.isnan(gallery.measured(value.name)).sum()))
        for value in query.values
    ]
    return [
        f"In {count} of {len(gallery)} cases {name} could not be measured; they are left out."
        for name, count in blank
        if count
    ]


def _narrowed(filters: Filters, query: Query, *, measured: bool) -> Filters | None:
    """The filters, and in whom and within which bounds; None where no case can be both."""
    if query.sex and filters.sex not in {None, query.sex}:
        return None
    first, last = filters.age_years or (0, OLDEST)
    low, high = query.age_years or (0, OLDEST)
    if max(first, low) > min(last, high):
        return None
    asked = filters.age_years or query.age_years
    ages = (max(first, low), min(last, high)) if asked else None
    values = query.values if measured else ()
    return replace(filters, sex=filters.sex or query.sex, age_years=ages, values=values)


def search_document(found: Search, *, gallery: str) -> dict[str, Any]:
    """A search of the gallery of that title as plain values for JSON."""
    return {
        "understood": found.understood,
        "warnings": list(found.warnings),
        "rest": found.rest,
        "gallery": gallery,
        "hits": hits_document(found.hits),
        "notice": NOTICE,
    }


def _candidates(
    explorer: Explorer,
    gallery: Gallery,
    query: Query,
    allowed: Bool[np.ndarray, " N"] | None,
    *,
    top: int,
) -> Int[np.ndarray, " n"]:
    """First stage: cases whose mean embedding lies near a wanted term, or far from all others."""
    wanted = [term for term in query.terms if not term.denied]
    sign = 1.0 if wanted else -1.0
    found = [
        gallery.nearest(_view(term)).search(
            sign * explorer.tags([term.tag])[0].numpy(),
            top=max(CANDIDATES, 5 * top),
            allowed=allowed,
        )[0]
        for term in wanted or query.terms
    ]
    return np.unique(np.concatenate(found))


def _view(term: ReportTag) -> str:
    """The smallest group of leads that holds the term's."""
    alone = set(term.narrower)
    fitting = [view for view, leads in VIEWS.items() if alone and alone <= {*leads}]
    return min(fitting, key=lambda view: len(VIEWS[view]), default="whole")


def _scored(
    explorer: Explorer, gallery: Gallery, query: Query, numbers: Int[np.ndarray, " n"]
) -> _Scored:
    """Second stage: every term routed over the patches of every candidate, on its own."""
    probability, weights = [], []
    with torch.inference_mode():
        patches = gallery.patches(numbers)
        kept = seen(patches)
        for term in query.terms:
            places = within(kept, term.narrower)
            routed = explorer.route(patches, explorer.tags([term.tag]), places)
            own = explorer.probability(routed.cosine)[:, 0]
            if not term.narrower:
                own = told_in(explorer, gallery, numbers, term.tag, own)
            probability.append(own)
            weights.append(routed.weights[:, 0])
    return _Scored(numbers, np.stack(probability, axis=1), np.stack(weights, axis=1))


def _together(
    terms: Sequence[ReportTag], probability: Float[np.ndarray, "n M"]
) -> Float[np.ndarray, " n"]:
    """Logarithm of the probability that all wanted terms hold and no unwanted one does.

    Terms count as independent; of alternatives the most probable one counts.
    """
    sure = probability.astype(np.float64).clip(SURE, 1 - SURE)
    log = np.log(np.where([term.denied for term in terms], 1 - sure, sure))
    parts: list[np.ndarray] = []
    for column, term in zip(log.T, terms, strict=True):
        if term.either:
            parts[-1] = np.maximum(parts[-1], column)
        else:
            parts.append(column)
    return np.sum(parts, axis=0)


def _hit(
    gallery: Gallery, terms: Sequence[ReportTag], scored: _Scored, *, row: int, score: float
) -> Hit:
    """A case with the heatmap of each term; the first wanted one stands for the whole."""
    found = tuple(
        # Words that are no name have no calibrated probability: they rank alone.
        TermScore(term.tag, not term.denied, float(p) if term.known else None, w)
        for term, p, w in zip(terms, scored.probability[row], scored.weights[row], strict=True)
    )
    shown = next((one for one in found if one.wanted), found[0])
    return Hit(
        case=gallery[int(scored.numbers[row])],
        score=score,
        why=tuple(one.text for one in found if one.wanted and (one.probability or 0.0) >= 0.5),
        case_weights=shown.weights,
        probability=float(np.exp(score)) if all(term.known for term in terms) else None,
        terms=found,
    )
