"""The parts of Similar and Search that are words: cases, why they are there, the set. Escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from focal_app.ui import wording_cases as wording
from focal_app.ui.parts import download
from focal_app.ui.shelf import Shelf

if TYPE_CHECKING:
    from focal_app.explore.gallery import Case, Gallery
    from focal_app.explore.hits import Hit


def gallery_line(gallery: Gallery) -> str:
    """Which cases are searched, and what they are."""
    said = wording.gallery_line(gallery.title, len(gallery), simulated=gallery.simulated)
    return f'<p class="hint" title="{escape(gallery.note)}">{escape(said)}</p>'


def understood(sentence: str) -> str:
    """How a query was read."""
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
    said = [wording.patient(case), wording.source(case), case.licence]
    chips = "".join(f'<li title="{escape(case.source)}">{escape(one)}</li>' for one in said if one)
    labels = wording.HIDDEN if hidden else f"{wording.LABELLED}: {escape(wording.labels(case))}"
    report = ""
    if case.report and not hidden:
        report = f'<p class="about">{wording.REPORT}: {escape(case.report)}</p>'
    return (
        f'<div class="recording"><ul class="facts"><li class="origin">{wording.THEIRS}</li>{chips}'
        f'</ul><p class="labels">{labels}</p>{report}</div>'
    )


def why(shelf: Shelf) -> str:
    """Why the shown case is there: terms of the query, or findings that both show."""
    hit = shelf.shown
    if hit is None or shelf.hides(hit):
        return ""
    if hit.terms:
        said = " · ".join(
            escape(wording.term(t.text, t.probability, wanted=t.wanted)) for t in hit.terms
        )
        return f'<p class="why">{said}</p>'
    return f'<p class="why">{escape(wording.shared(hit.why))}</p>' if shelf.compared else ""


def hits_list(shelf: Shelf, *, teaching: bool) -> str:
    """The cases as a list of buttons; `teaching` adds what reveals and collects them."""
    if shelf.hits is None:
        return f'<p class="hint">{wording.NOT_SEARCHED if teaching else wording.NOT_COMPARED}</p>'
    if not shelf.hits:
        return f'<p class="hint">{wording.NO_HITS}</p>'
    rows = "".join(
        _row(shelf, hit, number, teaching=teaching) for number, hit in enumerate(shelf.hits, 1)
    )
    return f'<ol class="cases">{rows}</ol>'


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
    saved = taught.to_json()
    link = escape(taught.to_link())
    return (
        f'{title}<p class="hint">{wording.SET_INTRO}</p><ol class="kept">{items}</ol>'
        f'<p class="actions"><button type="button" class="small copy" data-link="{link}"'
        f' data-done="{wording.COPIED}">{wording.COPY_LINK}</button>'
        f"{download(wording.SAVE_SET, 'teaching-set.json', saved, kind='application/json')}</p>"
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
