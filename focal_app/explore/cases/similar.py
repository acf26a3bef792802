"""Cases like an ECG: as a whole, in one finding, or in a marked segment.

hits = similar(explorer, gallery, ecg, by=Whole(), top=10)
hits = similar(explorer, gallery, ecg, by=Finding("atrial flutter"))
hits = similar(explorer, gallery, ecg, by=Segment("V1", 2.0, 4.0))
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from focal_app.ecg.complete import completed
from focal_app.ecg.leads import canonical_lead
from focal_app.ecg.measured import Measured
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import ECG, LEADS
from focal_app.errors import PromptError, RecordingError
from focal_app.explore.cases.duplicates import without_copies
from focal_app.explore.cases.gallery import Filters, Gallery
from focal_app.explore.cases.gallery.manifest import VIEWS
from focal_app.explore.cases.gallery.patches import views
from focal_app.explore.cases.hits import Hit
from focal_app.explore.cases.profiles import profiles, share_below, told_in
from focal_app.explore.cases.reasons import Reasons, reasons
from focal_app.explore.measured.contradictions import judged
from focal_app.explore.measured.device import impossible_rate
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.prompts import EVERYDAY, checked, prompt_set, read_as, tidy
from focal_app.explore.reading.reading import LIKELY
from focal_app.explore.reading.routing import seen as seen_patches
from focal_app.model.measuring import measured
from focal_app.model.places import within

CANDIDATES, MOST_COMPARED = 200, 1000
"""Cases that the first stage hands to the second, at least; by the whole, at most."""
DRAWN = 24
"""Cases of which each is held against each other, to say what random ones reach in a segment."""


@dataclass(frozen=True)
class Whole:
    """By everything that the window shows."""


@dataclass(frozen=True)
class Finding:
    """By how one finding shows: its routed embedding."""

    prompt: str


@dataclass(frozen=True)
class Segment:
    """By the patches of one lead between two times, in seconds from the recording's start."""

    lead: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class _Asked:
    """The query's window: its patches (1, N, d), which of them were seen, what it shows, what was
    measured of it, what of the likely that refutes, and what is trusted to be its alone."""

    patches: Float[Tensor, "1 N d"]
    kept: Bool[Tensor, "1 N"]
    shown: Float[np.ndarray, " K"]
    measured: Measured
    refuted: frozenset[str]
    trusted: frozenset[str]


@dataclass(frozen=True)
class _Match:
    """Candidates with their scores, the share of random pairs that are less alike, and tints.

    `tints` gives the weights of a candidate (L, N_time) and those of the query beside it, by its
    row.
    """

    score: Float[np.ndarray, " n"]
    tints: Callable[[int], tuple[np.ndarray, np.ndarray]]
    closer_than: Float[np.ndarray, " n"] | None = None
    probability: Float[np.ndarray, " n"] | None = None


def similar(
    explorer: Explorer,
    gallery: Gallery,
    ecg: ECG,
    *,
    by: Whole | Finding | Segment | None = None,
    filters: Filters | None = None,
    top: int = 10,
    start_s: float = 0.0,
) -> tuple[Hit, ...]:
    """The `top` cases nearest to the window of `ecg` that starts at `start_s`, nearest first.

    By the whole where `by` does not say otherwise. The query itself and further copies of the
    same signal are left out.
    """
    by = by or Whole()
    asked = _asked(explorer, gallery, ecg, start_s)
    view, vector, places = _vector(explorer, asked, by, start_s)
    allowed = gallery.allowed(filters) if filters else None
    wanted = max(MOST_COMPARED if isinstance(by, Whole) else CANDIDATES, 5 * top)
    numbers, _ = gallery.nearest(view).search(vector, top=wanted, allowed=allowed)
    if not len(numbers):
        return ()
    with torch.inference_mode():  # what the candidates themselves show decides
        if isinstance(by, Finding):
            match = _by_finding(explorer, gallery, asked, numbers, by.prompt)
        elif isinstance(by, Segment):
            match = _by_segment(explorer, gallery, asked, numbers, places)
        else:
            match = _by_whole(explorer, gallery, asked, numbers)
    order = np.argsort(-match.score, kind="stable")
    row_of = {int(numbers[row]): int(row) for row in order}
    whole = views(asked.patches)["whole"][0].numpy()

    @cache
    def signal() -> np.ndarray:
        return prepare(ecg, explorer.spec, start_s=start_s).signal

    distinct = without_copies(row_of, gallery, explorer.spec, query=(whole, signal))
    shown = list(islice(distinct, top))
    return tuple(_hit(explorer, gallery, asked, match, by, n, row_of[n]) for n in shown)


def _asked(explorer: Explorer, gallery: Gallery, ecg: ECG, start_s: float) -> _Asked:
    complete = completed(ecg)
    encoded = explorer.encoded(complete, start_s)
    found = measured(complete, start_s=start_s, duration_s=explorer.spec.duration_s)
    if why := impossible_rate(found):
        raise RecordingError(why)
    patches, kept = encoded.patches, encoded.kept
    with torch.inference_mode():
        routed = explorer.route(patches, gallery.tags(), kept)
    own = explorer.probability(routed.cosine[0])
    shown = profiles(explorer, gallery).shown_by(own, found)
    likely = (tag for tag, p in zip(gallery.statements(), shown, strict=True) if p >= LIKELY)
    refuted = frozenset(tag for tag in likely if judged(found, tag).contradicted)
    # Others were told of no real recording: such words hardly tell ECGs apart.
    tested = (*prompt_set(EVERYDAY).prompts, *explorer.combination, *explorer.card.findings)
    return _Asked(patches, kept, shown, found, refuted, frozenset(tested))


def _vector(
    explorer: Explorer, asked: _Asked, by: Whole | Finding | Segment, start_s: float
) -> tuple[str, Float[np.ndarray, " d"], Bool[Tensor, "1 N"]]:
    """What the first stage looks for, among which embeddings, and the query's patches behind it."""
    if isinstance(by, Segment):
        lead, places = _segment(explorer, asked, by, start_s)
        fitting = [view for view, leads in VIEWS.items() if view != "whole" and lead in leads]
        return fitting[0], _marked(asked.patches, places)[0].numpy(), places
    if isinstance(by, Finding):
        tag = explorer.tags(checked([by.prompt]))
        routed = explorer.route(asked.patches, tag, asked.kept)
        return "whole", routed.routed[0, 0].numpy(), asked.kept
    return "whole", views(asked.patches)["whole"][0].numpy(), asked.kept


def _segment(
    explorer: Explorer, asked: _Asked, by: Segment, start_s: float
) -> tuple[str, Bool[Tensor, "1 N"]]:
    """The lead and the seen patches that a marked segment touches by half of itself or of one."""
    lead = canonical_lead(by.lead)
    if lead is None or not by.start_s < by.end_s:
        raise PromptError(
            f"found a segment of {by.lead[:20]!r} from {by.start_s:g} to {by.end_s:g} s; needed a "
            "standard lead and a start before its end"
        )
    step_s = explorer.spec.window_samples / explorer.spec.sampling_rate_hz
    starts = start_s + step_s * np.arange(explorer.spec.windows)
    overlap = np.minimum(starts + step_s, by.end_s) - np.maximum(starts, by.start_s)
    touched = overlap >= 0.5 * min(step_s, by.end_s - by.start_s) - 1e-9
    places = torch.zeros_like(asked.kept).unflatten(1, (len(LEADS), -1))
    places[0, LEADS.index(lead)] = torch.from_numpy(touched)
    places = places.flatten(1) & asked.kept
    if not places.any():
        raise PromptError(
            f"found no signal in {lead} from {by.start_s:g} to {by.end_s:g} s of the window; mark "
            "a part that the model has seen"
        )
    return lead, places


def _by_finding(
    explorer: Explorer,
    gallery: Gallery,
    asked: _Asked,
    numbers: Int[np.ndarray, " n"],
    prompt: str,
) -> _Match:
    """How probable the finding is, times how alike it shows: in [0, 1].

    What all candidates have in common is taken off their routed embeddings before they are
    compared.
    """
    patches = gallery.patches(numbers)
    tag = explorer.tags(checked([prompt]))
    own = explorer.route(asked.patches, tag, asked.kept)
    theirs = explorer.route(patches, tag, seen_patches(patches))
    common = theirs.routed[:, 0].mean(0)
    apart = F.normalize(theirs.routed[:, 0] - common, dim=-1)
    alike = (1 + (apart @ F.normalize(own.routed[0, 0] - common, dim=-1)).numpy()) / 2
    found = explorer.probability(theirs.cosine)[:, 0]
    probability = told_in(explorer, gallery, numbers, read_as(tidy(prompt)), found)
    return _Match(
        probability * alike,
        lambda row: (theirs.weights[row, 0], own.weights[0, 0]),
        probability=probability,
    )


def _by_segment(
    explorer: Explorer,
    gallery: Gallery,
    asked: _Asked,
    numbers: Int[np.ndarray, " n"],
    places: Bool[Tensor, "1 N"],
) -> _Match:
    """How near the lead of each comes to the marked patches, wherever in its time."""
    lead = LEADS[int(places[0].nonzero()[0]) // explorer.spec.windows]
    patches = gallery.patches(numbers)
    marked = _marked(asked.patches, places)
    theirs = explorer.route(patches, marked, within(seen_patches(patches), (lead,)))
    share = torch.where(asked.kept, places * asked.kept.sum() / places.sum(), torch.nan)
    own = share.unflatten(1, (len(LEADS), -1)).numpy()[0]
    score = theirs.cosine[:, 0]
    return _Match(
        score,
        lambda row: (theirs.weights[row, 0], own),
        share_below(_random_segments(explorer, gallery, places, lead), score),
    )


def _marked(patches: Float[Tensor, "B N d"], places: Bool[Tensor, "1 N"]) -> Float[Tensor, "B d"]:
    return F.normalize((patches * places[..., None]).sum(1), dim=-1)


def _random_segments(
    explorer: Explorer, gallery: Gallery, places: Bool[Tensor, "1 N"], lead: str
) -> Float[np.ndarray, " P"]:
    """What different cases reach with the same seconds of each other, in order."""
    drawn = np.random.default_rng(0).permutation(len(gallery))[:DRAWN]
    patches = gallery.patches(np.sort(drawn))
    kept = within(seen_patches(patches), (lead,))
    cosine = explorer.route(patches, _marked(patches, places), kept).cosine
    return np.sort(cosine[~np.eye(len(drawn), dtype=bool)])


def _by_whole(
    explorer: Explorer, gallery: Gallery, asked: _Asked, numbers: Int[np.ndarray, " n"]
) -> _Match:
    """How alike what both show is: the probabilities of all statements, with measurements."""
    cases = profiles(explorer, gallery)
    score = cases.likeness(asked.shown, cases.shown(numbers))
    whole = views(asked.patches)["whole"]

    def tints(row: int) -> tuple[np.ndarray, np.ndarray]:
        """Either ECG's patches that lie near the other's mean."""
        with torch.inference_mode():
            patches = gallery.patches(numbers[[row]])
            other = torch.from_numpy(gallery.vectors("whole", numbers[[row]]))
            theirs = explorer.route(patches, whole, seen_patches(patches))
            own = explorer.route(asked.patches, other, asked.kept)
        return theirs.weights[0, 0], own.weights[0, 0]

    return _Match(score, tints, cases.closer_than(score))


def _hit(
    explorer: Explorer,
    gallery: Gallery,
    asked: _Asked,
    match: _Match,
    by: Whole | Finding | Segment,
    number: int,
    row: int,
) -> Hit:
    theirs, own = match.tints(row)
    known = {"refuted": asked.refuted, "trusted": asked.trusted}
    cases = profiles(explorer, gallery)
    found = reasons(cases, gallery, asked.shown, asked.measured, number, **known)
    return Hit(
        case=gallery[number],
        score=float(match.score[row]),
        why=_asked_first(by, found),
        case_weights=theirs,
        query_weights=own,
        probability=None if match.probability is None else float(match.probability[row]),
        closer_than=None if match.closer_than is None else float(match.closer_than[row]),
        reasons=found,
    )


def _asked_first(by: Whole | Finding | Segment, found: Reasons) -> tuple[str, ...]:
    """The finding by which was compared, before all that is shared besides."""
    if not isinstance(by, Finding):
        return found.both
    asked = read_as(tidy(by.prompt))
    return asked, *(tag for tag in found.both if tag != asked)
