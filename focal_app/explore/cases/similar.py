"""Cases like an ECG: as a whole, in one finding, or in a marked segment.

hits = similar(explorer, gallery, ecg, by=Whole(), top=10)
hits = similar(explorer, gallery, ecg, by=Finding("atrial flutter"))
hits = similar(explorer, gallery, ecg, by=Segment("V1", 2.0, 4.0))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from focal_app.ecg.leads import canonical_lead
from focal_app.ecg.preprocess import Prepared, prepare
from focal_app.ecg.recording import ECG, LEADS
from focal_app.errors import PromptError
from focal_app.explore.cases.duplicates import without_copies
from focal_app.explore.cases.gallery import Filters, Gallery
from focal_app.explore.cases.gallery.gallery import Usual
from focal_app.explore.cases.gallery.manifest import VIEWS
from focal_app.explore.cases.gallery.patches import views
from focal_app.explore.cases.hits import Hit
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.prompts import checked, read_as, tidy
from focal_app.explore.reading.routing import seen as seen_patches
from focal_app.lexicon import load_lexicon
from focal_app.model.places import within

CANDIDATES = 200
"""Cases that the first stage hands to the second, at least."""
LEAST_SPREAD = 0.05
"""Added to every spread, so that a statement that is nearly always absent does not decide."""
PRESENT, MOST_SHARED = 0.5, 4
"""A shared finding is at least this probable in both ECGs; so many are named."""


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
    """The query's window: its patches (1, N, d), which of them were seen, what it shows."""

    prepared: Prepared
    patches: Float[Tensor, "1 N d"]
    kept: Bool[Tensor, "1 N"]
    shown: Float[np.ndarray, " K"]


@dataclass(frozen=True)
class _Match:
    """Candidates with their scores, and the routings whose weights tint both sides.

    `own` holds one routing of the query, or one a candidate.
    """

    score: Float[np.ndarray, " n"]
    theirs: Float[np.ndarray, "n L N_time"]
    own: Float[np.ndarray, "m L N_time"]
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
    asked = _asked(explorer, gallery, prepare(ecg, explorer.spec, start_s=start_s))
    view, vector, places = _vector(explorer, asked, by, start_s)
    allowed = gallery.allowed(filters) if filters else None
    wanted = max(CANDIDATES, 5 * top)
    numbers, _ = gallery.nearest(view).search(vector, top=wanted, allowed=allowed)
    if not len(numbers):
        return ()
    with torch.inference_mode():
        match = _match(explorer, gallery, asked, numbers, by, places)
    order = np.argsort(-match.score, kind="stable")
    row_of = {int(numbers[row]): int(row) for row in order}
    whole = views(asked.patches)["whole"][0].numpy()
    distinct = without_copies(row_of, gallery, explorer.spec, query=(asked.prepared, whole))
    shown = list(islice(distinct, top))
    why = [_asked_first(by, shared) for shared in _shared(gallery, asked, shown)]
    return tuple(_hit(gallery, match, n, row_of[n], w) for n, w in zip(shown, why, strict=True))


def _asked(explorer: Explorer, gallery: Gallery, prepared: Prepared) -> _Asked:
    patches = explorer.patches(prepared)
    kept = torch.from_numpy(prepared.seen)[None].flatten(1)
    with torch.inference_mode():
        shown = explorer.route(patches, gallery.tags(), kept)
    return _Asked(prepared, patches, kept, explorer.probability(shown.cosine[0]))


def _vector(
    explorer: Explorer, asked: _Asked, by: Whole | Finding | Segment, start_s: float
) -> tuple[str, Float[np.ndarray, " d"], Bool[Tensor, "1 N"]]:
    """What the first stage looks for, among which embeddings, and the query's patches behind it."""
    if isinstance(by, Segment):
        lead, places = _segment(explorer, asked, by, start_s)
        marked = (asked.patches[0] * places[0, :, None]).sum(0)
        fitting = [view for view, leads in VIEWS.items() if view != "whole" and lead in leads]
        return fitting[0], F.normalize(marked, dim=-1).numpy(), places
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


def _match(
    explorer: Explorer,
    gallery: Gallery,
    asked: _Asked,
    numbers: Int[np.ndarray, " n"],
    by: Whole | Finding | Segment,
    places: Bool[Tensor, "1 N"],
) -> _Match:
    """Second stage: the candidates' own patches decide."""
    patches = gallery.patches(numbers)
    kept = seen_patches(patches)
    if isinstance(by, Finding):
        return _by_finding(explorer, asked, by.prompt, patches, kept)
    if isinstance(by, Segment):
        lead = LEADS[int(places[0].nonzero()[0]) // explorer.spec.windows]
        marked = F.normalize((asked.patches[0] * places[0, :, None]).sum(0), dim=-1)
        theirs = explorer.route(patches, marked[None], within(kept, (lead,)))
        share = torch.where(asked.kept, places * asked.kept.sum() / places.sum(), torch.nan)
        own = share.unflatten(1, (len(LEADS), -1)).numpy()
        return _Match(theirs.cosine[:, 0], theirs.weights[:, 0], own)
    return _by_whole(explorer, gallery, asked, numbers, patches, kept)


def _by_finding(
    explorer: Explorer,
    asked: _Asked,
    prompt: str,
    patches: Float[Tensor, "n N d"],
    kept: Bool[Tensor, "n N"],
) -> _Match:
    """How probable the finding is, times how alike it shows: in [0, 1].

    What all candidates have in common is taken off their routed embeddings before they are
    compared.
    """
    tag = explorer.tags(checked([prompt]))
    own = explorer.route(asked.patches, tag, asked.kept)
    theirs = explorer.route(patches, tag, kept)
    common = theirs.routed[:, 0].mean(0)
    apart = F.normalize(theirs.routed[:, 0] - common, dim=-1)
    alike = (1 + (apart @ F.normalize(own.routed[0, 0] - common, dim=-1)).numpy()) / 2
    probability = explorer.probability(theirs.cosine[:, 0])
    return _Match(probability * alike, theirs.weights[:, 0], own.weights[:, 0], probability)


def _by_whole(
    explorer: Explorer,
    gallery: Gallery,
    asked: _Asked,
    numbers: Int[np.ndarray, " n"],
    patches: Float[Tensor, "n N d"],
    kept: Bool[Tensor, "n N"],
) -> _Match:
    """How alike what is found in both is: their findings, each routed on its own."""
    whole = views(asked.patches)["whole"]
    others = torch.from_numpy(gallery.vectors("whole", numbers))
    theirs = explorer.route(patches, whole, kept)
    own = explorer.route(asked.patches, others, asked.kept)
    return _Match(
        _alike(gallery.usual, asked.shown, gallery.findings(numbers)),
        theirs.weights[:, 0],
        own.weights[0],
    )


def _alike(
    usual: Usual, shown: Float[np.ndarray, " K"], others: Float[np.ndarray, "n K"]
) -> Float[np.ndarray, " n"]:
    """Correlation of the probabilities of all statements, in [-1, 1].

    Each counts by how far it lies from the gallery's mean, in units of its spread there.
    """
    own, their = ((p - usual.mean) / (usual.spread + LEAST_SPREAD) for p in (shown, others))
    length = np.linalg.norm(their, axis=1) * np.linalg.norm(own)
    return their @ own / np.maximum(length, 1e-9)


def _shared(gallery: Gallery, asked: _Asked, numbers: list[int]) -> list[tuple[str, ...]]:
    """Findings that both ECGs show, the most telling first, less what these imply.

    Where a case has labels, they have to confirm them.
    """
    lexicon, tags, rarity = load_lexicon(), gallery.statements(), gallery.usual.rarity
    shared = []
    for number, both in zip(
        numbers, np.minimum(asked.shown, gallery.findings(numbers)), strict=True
    ):
        telling = np.argsort(-both * (rarity + LEAST_SPREAD), kind="stable")
        held = [tags[int(k)] for k in telling if both[k] >= PRESENT]
        held = [tag for tag in held if confirmed(tag, gallery[number].facts.labels)]
        implied = {above for tag in held if tag in lexicon for above in lexicon.ancestors(tag)}
        shared.append(tuple(tag for tag in held if tag not in implied)[:MOST_SHARED])
    return shared


def confirmed(tag: str, labels: Sequence[str]) -> bool:
    """Whether labels hold a tag or one that implies it; a case without labels denies nothing."""
    lexicon = load_lexicon()
    below = lexicon.descendants(tag) if tag in lexicon else frozenset()
    return not labels or not {tag, *below}.isdisjoint(labels)


def _asked_first(by: Whole | Finding | Segment, shared: tuple[str, ...]) -> tuple[str, ...]:
    """The finding by which was compared, before all that is shared besides."""
    if not isinstance(by, Finding):
        return shared
    asked = read_as(tidy(by.prompt))
    return asked, *(tag for tag in shared if tag != asked)


def _hit(gallery: Gallery, match: _Match, number: int, row: int, why: tuple[str, ...]) -> Hit:
    return Hit(
        case=gallery[number],
        score=float(match.score[row]),
        why=why,
        case_weights=match.theirs[row],
        query_weights=match.own[row if len(match.own) > 1 else 0],
        probability=None if match.probability is None else float(match.probability[row]),
    )
