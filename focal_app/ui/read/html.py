"""The small parts of the page that are words: facts, warnings, messages, places. All escaped."""

from collections.abc import Iterable
from html import escape

import numpy as np

from focal_app.explore.reading.reading import Finding, Reading
from focal_app.figures.layout import LAYOUTS
from focal_app.figures.paper import LEFT_MM, WIDTH_MM
from focal_app.figures.places import Place, lead_shares, top_places
from focal_app.figures.tint import cells
from focal_app.ui import wording
from focal_app.ui.read.state import View


def masthead() -> str:
    """Title and the sentence that is always in sight."""
    return (
        f'<header class="masthead"><h1>{wording.TITLE}</h1>'
        f'<p class="subtitle">{wording.SUBTITLE}</p>'
        f'<p class="disclaimer" role="note">{wording.DISCLAIMER}</p></header>'
    )


def waiting() -> str:
    """Where a visitor is told of those before; what it says, `waiting.js` chooses."""
    return (
        f'<p class="waiting" role="status" hidden data-before="{wording.BEFORE}"'
        f' data-next="{wording.NEXT}" data-working="{wording.WORKING}"></p>'
    )


def trouble(message: str, *, still: str = "") -> str:
    """A message that is read aloud where it appears; empty where all is well.

    `still` says what the page goes on showing, which is dimmed.
    """
    said = escape(message[:1].upper() + message[1:]).replace("\n", "<br>")
    kind, more = ("trouble refused", f"<br>{escape(still)}") if still else ("trouble", "")
    return f'<div class="{kind}" role="alert">{said}{more}</div>' if message else ""


def recording(view: View, *, own: bool = False) -> str:
    """Where the recording is from, what is known of it, and what to mind.

    With `own` it says that it is the visitor's, beside another.
    """
    origin = wording.SIMULATED if view.case else wording.UPLOADED
    origin = f"{wording.YOURS}: {origin}" if own else origin
    chips = "".join(f"<li>{escape(fact)}</li>" for fact in wording.facts(view.ecg))
    notes = view.reading.warnings if view.reading else view.ecg.notes
    return (
        f'<div class="recording"><ul class="facts"><li class="origin">{origin}</li>{chips}</ul>'
        f'<p class="about">{escape(view.about)}</p>{_notes(notes)}</div>'
    )


def places(view: View, *, back: str = "findings") -> str:
    """The chosen heatmap in words and in numbers, or what to do to see one.

    `back` is the id of the list in which it was chosen.
    """
    reading, finding = view.reading, view.finding
    if reading is None:
        return ""
    if finding is None:
        hint = wording.CHOOSE if view.prompts else wording.NO_PROMPTS
        return f'<div class="places" role="status"><p class="hint">{hint}</p></div>'
    return (
        f'<div class="places" role="status" data-at="{_deepest(view, finding):.3f}">'
        f"<h2>{escape(wording.places_title(finding))}</h2>{_doubt(finding)}"
        f"{_said(view, reading, finding)}{_elsewhere(view, reading, finding)}"
        f'<a class="back" href="#{back}">{wording.BACK}</a></div>'
        f"{_numbers(reading, finding)}"
    )


def _deepest(view: View, finding: Finding) -> float:
    """Where across the paper the deepest tint is, 0 to 1, so that a narrow screen can go there."""
    shown = cells(view.reading, finding, LAYOUTS[view.layout]) if view.reading else []
    seen = [cell for cell in shown if np.isfinite(cell.weight)]
    deepest = max(seen, key=lambda cell: cell.weight, default=None)
    return (LEFT_MM + (deepest.left_mm + deepest.right_mm) / 2) / WIDTH_MM if deepest else 0.0


def _notes(notes: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in dict.fromkeys(notes))
    return f'<ul class="notes">{items}</ul>' if items else ""


def _doubt(finding: Finding) -> str:
    return f'<p class="doubt">{wording.IMPROBABLE}</p>' if finding.improbable else ""


def _said(view: View, reading: Reading, finding: Finding) -> str:
    found = top_places(reading, finding)
    shares = lead_shares(reading, finding)
    if not shares:
        return ""
    if not found:
        greatest = float(finding.weights[reading.seen].max())
        sharper = view.tau > min(wording.FOCI)
        return f"<p>{escape(wording.nearly_even(greatest, sharper=sharper))}</p>"
    items = "".join(
        f"<li>{escape(wording.place(place, hidden=_hidden(view, reading, place)))}</li>"
        for place in found
    )
    return f'<ul>{items}</ul><p class="bylead">{escape(wording.by_lead(shares))}</p>'


def _elsewhere(view: View, reading: Reading, finding: Finding) -> str:
    """Says where to look for a place that was named and is not on the paper."""
    hidden = [_hidden(view, reading, place) for place in top_places(reading, finding)]
    return f'<p class="hint">{wording.OTHER_LAYOUT}</p>' if any(hidden) else ""


def _hidden(view: View, reading: Reading, place: Place) -> list[str]:
    """The leads of a place that this layout does not draw in its seconds."""
    layout = LAYOUTS[view.layout]
    start_s, end_s = place.start_s - reading.start_s, place.end_s - reading.start_s
    return [lead for lead in place.leads if not layout.shows(lead, start_s, end_s)]


def _numbers(reading: Reading, finding: Finding) -> str:
    """Every weight as a table, for who cannot see the tint or wants the figures."""
    edges = [f"{edge:g}" for edge in np.round(reading.edges_s, 1)]
    head = "".join(f'<th scope="col">{edge}</th>' for edge in edges[:-1])
    rows = "".join(
        f'<tr><th scope="row">{escape(lead)}</th>{_cells(finding.weights[i], reading.seen[i])}</tr>'
        for i, lead in enumerate(reading.leads)
    )
    return (
        f'<details class="numbers"><summary>{wording.NUMBERS}</summary><div class="scroll">'
        f"<table><caption>{wording.NUMBERS_CAPTION}</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _cells(weights: np.ndarray, seen: np.ndarray) -> str:
    return "".join(
        f"<td>{weight:.2f}</td>" if visible else "<td>–</td>"
        for weight, visible in zip(weights, seen, strict=True)
    )
