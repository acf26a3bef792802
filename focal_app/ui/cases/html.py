"""The parts of Similar and Search that are words: cases, why they are there, the set. Escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from focal_app.ecg.recording import LEADS
from focal_app.figures.places import STANDS_OUT
from focal_app.figures.worksheet import file_name
from focal_app.ui.cases import wording
from focal_app.ui.cases.state import Shelf
from focal_app.ui.gradio_helpers import download

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery import Case, Gallery
    from focal_app.explore.cases.hits import Hit
    from focal_app.explore.cases.similar import Finding, Segment, Whole


def gallery_line(gallery: Gallery) -> str:
    """Which cases are searched, and what they are."""
    said = wording.gallery_line(gallery.title, len(gallery), simulated=gallery.simulated)
    return f'<p class="hint" title="{escape(gallery.note)}">{escape(said)}</p>'


def heading(shelf: Shelf) -> str:
    """What lies on the shelf: the set with its task, or how the search was understood."""
    if shelf.hits and not shelf.ranked:
        task = f'<p class="task">{escape(shelf.note)}</p>' if shelf.note else ""
        return f'<div class="settitle"><h2>{escape(shelf.title)}</h2>{task}</div>'
    return f"{warned(shelf.warnings)}{_understood(shelf.understood)}{stale(shelf)}"


def warned(warnings: Sequence[str]) -> str:
    """What has to be known before the cases are read."""
    items = "".join(f"<li>{escape(one)}</li>" for one in warnings)
    return f'<ul class="warned" role="alert">{items}</ul>' if items else ""


def stale(shelf: Shelf) -> str:
    """That the cases are those of something asked before; the page dims them."""
    return f'<p class="stale" role="status">{escape(shelf.stale)}</p>' if shelf.stale else ""


def _understood(sentence: str) -> str:
    if not sentence:
        return ""
    said = escape(sentence)
    return f'<p class="understood" role="status"><b>{wording.UNDERSTOOD}</b> {said}</p>'


def examples() -> str:
    """Queries to begin with, as buttons."""
    buttons = "".join(
        f'<button type="button" class="example" data-query="{escape(text)}">{escape(text)}</button>'
        for text in wording.EXAMPLES
    )
    return f'<div class="examples"><span>{wording.EXAMPLES_TITLE}</span>{buttons}</div>'


def case_facts(case: Case, *, hidden: bool = False) -> str:
    """Whose recording it is, where it is from, and what its source says of it."""
    said = [wording.patient(case), wording.source(case), wording.licence(case)]
    chips = "".join(f'<li title="{escape(case.source)}">{escape(one)}</li>' for one in said if one)
    labels = wording.HIDDEN if hidden else f"{wording.LABELLED}: {escape(wording.labels(case))}"
    report = ""
    if case.report and not hidden:
        report = f'<p class="about">{wording.REPORT}: {escape(case.report)}</p>'
    return (
        f'<div class="recording"><ul class="facts"><li class="origin">{wording.THEIRS}'
        f'</li>{chips}</ul><p class="labels">{labels}</p>{report}</div>'
    )


def placed(words: str, at: float | None) -> str:
    """Words above a paper, with the place across it to which a narrow screen should go."""
    return words if at is None else f'<div data-at="{at:.3f}">{words}</div>'


def terms_found(shelf: Shelf) -> str:
    """How probable every term of the query is in the shown case, and what the tint shows."""
    hit = shelf.shown
    if hit is None or shelf.hides(hit) or not hit.terms:
        return ""
    said = " · ".join(
        escape(wording.term(t.text, t.probability, wanted=t.wanted)) for t in hit.terms
    )
    tinted = next((term for term in hit.terms if term.wanted), hit.terms[0])
    leads = part_of(tinted.weights)
    alone = f" {wording.only_in(leads)}" if leads else ""
    hint = f"{wording.looked_for(tinted.text)}{alone}"
    return f'<p class="why">{said}</p><p class="hint">{escape(hint)}</p>'


def part_of(weights: np.ndarray) -> list[str]:
    """The leads that alone took part; none where all did."""
    took = [bool(np.isfinite(row).any()) for row in weights]
    return [] if all(took) else [lead for lead, part in zip(LEADS, took, strict=True) if part]


def likeness(hit: Hit, by: Whole | Finding | Segment) -> str:
    """Why a case is like the ECG that is open, and what the tint shows."""
    from focal_app.explore.cases.similar import Finding, Segment

    why, hint, asked = hit.why, wording.MATCHED, ""
    if isinstance(by, Finding) and hit.probability is not None:
        asked = f"{wording.finding_in_case(why[0], hit.probability)} "
        why, hint = why[1:], wording.looked_for(why[0])
    if isinstance(by, Segment):
        even = float(np.nan_to_num(hit.case_weights).max()) < STANDS_OUT
        hint = wording.outlined(by.lead, by.start_s, by.end_s, even=even)
    said = f"{asked}{wording.shared(why, labelled=bool(hit.case.labels))}"
    return f'<p class="why">{escape(said)}</p><p class="hint">{escape(hint)}</p>'


def hits_list(shelf: Shelf, *, teaching: bool, caption: str = "") -> str:
    """The cases as a list of buttons; `teaching` adds what reveals and collects them.

    `caption` says what the figure beside each is.
    """
    if shelf.hits is None:
        return f'<p class="hint">{wording.NOT_SEARCHED if teaching else wording.NOT_COMPARED}</p>'
    if not shelf.hits:
        return f'<p class="hint">{wording.NO_HITS}</p>'
    rows = "".join(
        _row(shelf, hit, number, teaching=teaching) for number, hit in enumerate(shelf.hits, 1)
    )
    said = (
        f'<p class="hint">{escape(caption)}</p>'
        if caption and shelf.ranked and not shelf.hidden
        else ""
    )
    return f'{said}<ol class="cases">{rows}</ol>'


def place(shelf: Shelf) -> str:
    """Where in the list the shown case stands."""
    if not shelf.hits or shelf.number is None:
        return ""
    return f'<p class="place">{wording.place(shelf.number + 1, len(shelf.hits))}</p>'


def set_list(shelf: Shelf, gallery: Gallery | None) -> str:
    """The set's cases in their order, and how it can be kept."""
    title = f"<h2>{wording.set_count(len(shelf.keys))}</h2>"
    if not shelf.keys or gallery is None:
        return f'{title}<p class="hint">{wording.SET_INTRO} {wording.EMPTY_SET}</p>'
    taught, hidden = shelf.taught, shelf.hidden
    items = "".join(_kept(case, hidden=hidden) for case in taught.cases(gallery))
    saved, file = taught.to_json(), f"{file_name(taught.title)}.json"
    link = escape(taught.to_link())
    return (
        f'{title}<p class="hint">{wording.SET_INTRO}</p><ol class="kept">{items}</ol>'
        f'<p class="actions"><button type="button" class="small copy" data-link="{link}"'
        f' data-done="{wording.COPIED}">{wording.COPY_LINK}</button>'
        f"{download(wording.SAVE_SET, file, saved, kind='application/json')}</p>"
    )


def _row(shelf: Shelf, hit: Hit, number: int, *, teaching: bool) -> str:
    case, hidden = hit.case, shelf.hides(hit)
    name = wording.HIDDEN if hidden else wording.headline(case)
    chosen = str(shelf.number == number - 1).lower()
    key, beside = escape(case.key), f"{wording.patient(case)} · {wording.source(case)}"
    score = "" if hidden or not shelf.ranked else wording.score(hit)
    return (
        f'<li class="case"><button type="button" class="open" data-key="{key}"'
        f' aria-pressed="{chosen}"><span class="rank">{number}</span>'
        f'<span class="name">{escape(name)}</span><span class="percent">{escape(score)}</span>'
        f'<span class="beside">{escape(beside)}</span>'
        f"</button>{_actions(shelf, hit, hidden=hidden) if teaching else ''}</li>"
    )


def _actions(shelf: Shelf, hit: Hit, *, hidden: bool) -> str:
    key = escape(hit.case.key)
    kept = hit.case.key in shelf.keys
    reveal = (
        f'<button type="button" class="small reveal" data-key="{key}">{wording.REVEAL}</button>'
    )
    return (
        f'<span class="caseactions">{reveal if hidden else ""}'
        f'<button type="button" class="small keep" data-key="{key}" aria-pressed="'
        f'{str(kept).lower()}">{wording.DROP if kept else wording.KEEP}</button></span>'
    )


def _kept(case: Case, *, hidden: bool) -> str:
    said = wording.HIDDEN if hidden else wording.headline(case)
    return f"<li>{escape(said)} <span>{escape(wording.patient(case))}</span></li>"
