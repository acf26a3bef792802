"""The words of the About tab: the tour, what the model is, and what is known of it."""

from pathlib import Path

from markupsafe import Markup

from focal_app.explore.reading.checkpoint_card import Card
from focal_app.figures.templates import Templates
from focal_app.ui.about import wording

_fill = Templates(Path(__file__).parent, wording=wording)


def tour() -> Markup:
    """What the tour is."""
    return _fill("tour")


def step(number: int) -> Markup:
    """One step of the tour, counted from 1."""
    title, text = wording.STEPS[number - 1]
    return _fill("step", number=number, title=title, text=text)


def what() -> Markup:
    """What the app is."""
    return _fill("what")


def limits() -> Markup:
    """What it cannot do, and under which licences it stands."""
    return _fill("limits")


def card_panel(card: Card) -> Markup:
    """Training data and figures, as far as the checkpoint's own files tell them."""
    return _fill("card", card=card)
