"""The menu of what can be taken away: one button with choices, each a file made when it is chosen.

A file goes to the browser in the answer, as the worksheet does: it never lies on the server's disk.
"""

import base64
from pathlib import Path

import gradio as gr

from focal_app.errors import FocalError
from focal_app.figures.templates import Templates
from focal_app.ui import theme
from focal_app.ui import wording as page_wording
from focal_app.ui.gradio_helpers import Updates, connect, paragraph, words
from focal_app.ui.read import html
from focal_app.ui.read import wording_take_away as wording
from focal_app.ui.read.state import View
from focal_app.ui.read.taken import COPY, taken

_fill = Templates(Path(__file__).parent, wording=wording)


class TakeAway:
    """The menu, what it says, and the fields through which a file passes to the browser."""

    def __init__(self) -> None:
        self.menu = words(_fill("take_away"), elem_id="take-away", scripts=["read/take_away"])
        self.said = words(elem_id="take-away-said")
        self.content = gr.Textbox(visible=False)
        self.name = gr.Textbox(visible=False)
        self.kind = gr.Textbox(visible=False)


def connect_take_away(parts: TakeAway, view: gr.State, *, checkpoint: str) -> None:
    """A choice of the menu: the file is made, then the browser saves or copies it."""
    fields = [parts.content, parts.name, parts.kind, parts.said]

    def take(view: View | None, event: gr.EventData) -> Updates:
        """What was chosen, of the ECG that is open."""
        if view is None:
            return {parts.said: html.trouble(page_wording.EXPIRED)}
        try:
            made = taken(view, str(event.kind), checkpoint=checkpoint)
        except FocalError as error:
            return {parts.said: html.trouble(str(error))}
        said = wording.COPIED if made.kind == COPY else wording.SAVED.format(name=made.name)
        return {
            parts.content: base64.b64encode(made.content).decode(),
            parts.name: made.name,
            parts.kind: made.kind,
            parts.said: paragraph(said),
        }

    made = connect(parts.menu.select, take, inputs=[view], outputs=fields, each=True)
    made.then(
        None,
        inputs=fields,
        outputs=[parts.content, parts.said],
        js=theme.script("read/hand_over"),
        api_visibility="private",
    )
