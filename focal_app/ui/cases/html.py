"""The parts of Similar and Search that are words: cases, and why they are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from focal_app.ecg.recording import LEADS
from focal_app.figures.places import STANDS_OUT
from focal_app.figures.templates import Templates
from focal_app.ui.cases import wording
from focal_app.ui.cases.state import CasesState
from focal_app.ui.gradio_helpers import paragraph

if TYPE_CHECKING:
    # Not when the page is laid out: they bring torch with them.
    from focal_app.explore.cases.gallery import Case, Facts, Gallery
    from focal_app.explore.cases.hits import Hit
    from focal_app.explore.cases.similar import Finding, Segment, Whole

_fill = Templates(Path(__file__).parent, wording=wording)


def gallery_line(gallery: Gallery) -> Markup:
    """Which cases are searched, and what they are."""
    said = wording.gallery_line(gallery.title, len(gallery), simulated=gallery.simulated)
    return _fill("gallery", gallery=gallery, said=said)


def heading(state: CasesState) -> Markup:
    """How the search was understood.

    Warnings are what has to be known before the cases are read.
    """
    return _fill("heading", state=state)


def stale(state: CasesState) -> Markup:
    """That the cases are those of something asked before; the page dims them."""
    return _fill("stale", state=state)


def examples() -> Markup:
    """Queries to begin with, as buttons."""
    return _fill("examples")


def case_facts(case: Case, *, hidden: bool = False) -> Markup:
    """Whose recording it is, where it is from, and what its source says of it."""
    return _fill("facts", facts=case.facts, known=known(case.facts), hidden=hidden)


def known(facts: Facts) -> list[str]:
    """What is known of a case without reading it, a few words each."""
    return [*filter(None, [wording.patient(facts), wording.source(facts), wording.licence(facts)])]


def placed(words: Markup, at: float | None) -> Markup:
    """Words above a paper, with the place across it to which a narrow screen should go."""
    return words if at is None else _fill("placed", words=words, at=at)


def terms_found(state: CasesState) -> Markup:
    """How probable every term of the query is in the shown case, and what the tint shows."""
    hit = state.shown
    if hit is None or state.hides(hit) or not hit.terms:
        return Markup()
    terms = [wording.term(t.text, t.probability, wanted=t.wanted) for t in hit.terms]
    said = " · ".join([*terms, *wording.labelled_so(hit.labelled)])
    tinted = next((term for term in hit.terms if term.wanted), hit.terms[0])
    leads = part_of(tinted.weights)
    alone = f" {wording.only_in(leads)}" if leads else ""
    return _fill("why", said=said, hint=f"{wording.looked_for(tinted.text)}{alone}")


def part_of(weights: np.ndarray) -> list[str]:
    """The leads that alone took part; none where all did."""
    took = [bool(np.isfinite(row).any()) for row in weights]
    return [] if all(took) else [lead for lead, part in zip(LEADS, took, strict=True) if part]


def likeness(hit: Hit, by: Whole | Finding | Segment) -> Markup:
    """Why a case is like the ECG that is open, and what the tint shows."""
    from focal_app.explore.cases.similar import Finding, Segment

    why, hint, asked = hit.why, wording.MATCHED, ""
    if isinstance(by, Finding) and hit.probability is not None:
        asked = f"{wording.finding_in_case(why[0], hit.probability)} "
        why, hint = why[1:], wording.looked_for(why[0])
    if isinstance(by, Segment):
        even = float(np.nan_to_num(hit.case_weights).max()) < STANDS_OUT
        hint = wording.outlined(by.lead, by.start_s, by.end_s, even=even)
    shared = wording.shared(why, labelled=bool(hit.case.facts.labels))
    said = f"{asked}{shared}{wording.told_apart(hit.reasons)}"
    return _fill("why", said=said, hint=hint)


def hits_list(state: CasesState, collected: Sequence[str] = ()) -> Markup:
    """The cases as a list of buttons, each with what puts it into a set, or out of `collected`."""
    if state.hits is None:
        return paragraph(state.unasked)
    if not state.hits:
        # A search says itself why there is none.
        return Markup() if state.warnings else paragraph(wording.NO_HITS)
    figures = not state.hidden and any(hit.figure for hit in state.hits)
    rows = [_row(state, hit, kept=hit.case.key in collected) for hit in state.hits]
    return _fill("hits", rows=rows, caption=state.caption if figures else "")


def in_set(count: int) -> Markup:
    """How many cases are in the set, and the way to it."""
    return _fill("in_set", count=count)


def place(state: CasesState) -> Markup:
    """Where in the list the shown case stands."""
    if not state.hits or state.number is None:
        return Markup()
    return paragraph(wording.place(state.number + 1, len(state.hits)), "place")


def _row(state: CasesState, hit: Hit, *, kept: bool) -> dict[str, object]:
    """A case as it is listed, as far as it may be told."""
    hidden = state.hides(hit)
    return {
        "facts": hit.case.facts,
        "because": "" if hidden else _because(hit),
        "name": wording.HIDDEN if hidden else wording.headline(hit.case.facts),
        "score": "" if hidden else hit.figure,
        "chosen": hit is state.shown,
        "hidden": hidden,
        "kept": kept,
    }


def _because(hit: Hit) -> str:
    """Why it is there, in a few words: what both show, or what is labelled and was measured."""
    asked = [*wording.labelled_so(hit.labelled), *hit.measured]
    return ", ".join(asked) or (hit.reasons.brief if hit.reasons else "")
