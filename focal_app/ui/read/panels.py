"""Panels of words about the reading, each a function from the view to its HTML.

A panel more is one line in `ABOVE` or `BELOW`: its name on the page, and what it says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import gradio as gr

from focal_app.ui import theme
from focal_app.ui.gradio_helpers import words
from focal_app.ui.read import html
from focal_app.ui.read.measured_strip import measured_panel
from focal_app.ui.read.state import View

Says = Callable[[View], str]

ABOVE: tuple[tuple[str, Says], ...] = (("measured", measured_panel),)
"""Between the recording's facts and the paper."""
BELOW: tuple[tuple[str, Says], ...] = (("places", html.places),)
"""Under the paper."""
SCRIPTED = ("places",)
"""Panels with a script of their name beside them."""


@dataclass(frozen=True)
class Panel:
    """A place of the page, and what it says of a view that has been read."""

    name: str
    part: gr.HTML
    says: Says


def build_panels(panels: Sequence[tuple[str, Says]]) -> tuple[Panel, ...]:
    """Lays out panels in their order, empty until there is a reading."""
    return tuple(Panel(name, _place(name), says) for name, says in panels)


def _place(name: str) -> gr.HTML:
    script = theme.script(f"read/{name}") if name in SCRIPTED else None
    return words(elem_id=name, js_on_load=script)
