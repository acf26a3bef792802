"""The small parts of the page that are words: facts, warnings, messages, places."""

from pathlib import Path

import numpy as np
from markupsafe import Markup

from focal_app.explore.measured.device import differences
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.explore.reading.reading import Finding
from focal_app.figures.layout import TWELVE_BY_ONE
from focal_app.figures.places import STANDS_OUT, Place, lead_shares, top_places
from focal_app.figures.templates import Templates
from focal_app.figures.tint import deepest
from focal_app.lexicon import load_lexicon
from focal_app.ui import wording
from focal_app.ui.read.state import View

_fill = Templates(Path(__file__).parent, wording=wording)


def trouble(message: str, *, still: str = "") -> Markup:
    """A message that is read aloud where it appears; empty where all is well.

    `still` says what the page goes on showing.
    """
    lines = (message[:1].upper() + message[1:]).split("\n")
    return _fill("trouble", lines=lines, still=still) if message else Markup()


def recording(view: View, *, own: bool = False) -> Markup:
    """Where the recording is from, what is known of it, and what to mind.

    With `own` it says that it is the visitor's, beside another.
    """
    origin = wording.SIMULATED if view.case else wording.UPLOADED
    origin = f"{wording.YOURS}: {origin}" if own else origin
    notes = view.reading.warnings if view.reading else view.ecg.notes
    not_read = view.reading.not_read if view.reading else None
    # What the strip of measurements says is not said twice.
    told = differences(view.reading.measured) if view.reading else ()
    unique = [note for note in dict.fromkeys(notes) if note not in told]
    notes = sorted(
        ((note.startswith(wording.ORDINARY), note) for note in unique), key=lambda one: one[0]
    )
    return _fill("recording", view=view, origin=origin, notes=notes, not_read=not_read)


def places(view: View, *, back: str = "findings", switch: bool = True) -> Markup:
    """The chosen heatmap in words and in numbers, or what to do to see one.

    `back` is the id of the list in which it was chosen; `switch` offers the layout that shows what
    this one hides.
    """
    heatmap = view.heatmap
    if view.reading is None or view.reading.not_read:
        return Markup()
    if heatmap is None:
        return _fill("no_place", hint=wording.CHOOSE if view.prompts else wording.NO_PROMPTS)
    found = [(place, _hidden(view, heatmap, place)) for place in top_places(heatmap)]
    coarse = view.reading.heatmap(view.finding) if view.finding else heatmap
    return _fill(
        "places",
        at=deepest(heatmap, view.paper.page_layout),
        finding=view.finding,
        places=found,
        shares=lead_shares(heatmap),
        greatest=np.nanmax(heatmap.weights, initial=0.0),
        sharper=view.tau > min(wording.FOCI),
        elsewhere=any(hidden for _, hidden in found),
        every_second=TWELVE_BY_ONE.name if switch else "",
        unusual=_unusual(view.finding, heatmap) if found else "",
        waves_hidden=switch and view.waves is not None and not view.paper.fiducials,
        back=back,
        edges=[f"{edge:g}" for edge in np.round(coarse.edges_s, 1)[:-1]],
        rows=[
            (lead, map(_number, row))
            for lead, row in zip(coarse.leads, coarse.weights, strict=True)
        ],
    )


def _unusual(finding: Finding | None, heatmap: Heatmap) -> str:
    """That a probable finding is tinted elsewhere than where the lexicon has readers look."""
    known = load_lexicon().resolve(finding.prompt) if finding else None
    if finding is None or finding.improbable or known is None or not known.leads:
        return ""
    shares = dict(lead_shares(heatmap))
    usual = [shares[lead] for lead in known.leads if lead in shares]
    most = [lead for lead, share in shares.items() if share >= STANDS_OUT][:4]
    if not usual or not most or np.mean(usual) >= 1.0:
        return ""
    return wording.looks_elsewhere(known.leads, most)


def _hidden(view: View, heatmap: Heatmap, place: Place) -> list[str]:
    """The leads of a place that this layout does not draw in its seconds."""
    layout = view.paper.page_layout
    start_s, end_s = place.start_s - heatmap.start_s, place.end_s - heatmap.start_s
    return [lead for lead in place.leads if not layout.shows(lead, start_s, end_s)]


def _number(weight: float) -> str:
    return f"{weight:.2f}" if np.isfinite(weight) else "–"
