"""The form for a table of mere numbers: rate, unit and leads, prefilled with a guess.

The numbers wait in memory, for the file is gone by then. Nothing is applied before the button.
"""

import gradio as gr

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.tables.question import (
    UNITS,
    SignalQuestion,
    SignalTable,
    SignalUnknown,
    leads_of,
)
from focal_app.errors import RecordingError
from focal_app.ui import wording
from focal_app.ui.gradio_helpers import Updates, paragraph, words


class Asking:
    """The form, which is hidden unless it has something to ask, and the table that waits."""

    def __init__(self) -> None:
        self.table = gr.State(None)
        with gr.Group(visible=False, elem_id="asking") as self.box:
            self.said = words(elem_id="asking-said")
            with gr.Row():
                self.rate = gr.Number(label=wording.ASK_RATE, elem_id="asking-rate", min_width=110)
                self.unit = gr.Dropdown(
                    [*UNITS], label=wording.ASK_UNIT, elem_id="asking-unit", min_width=110
                )
            self.leads = gr.Textbox(
                label=wording.ASK_LEADS, info=wording.ASK_LEADS_HELP, elem_id="asking-leads"
            )
            self.apply = gr.Button(wording.ASK_APPLY, elem_id="asking-apply", variant="primary")
            self.trouble = words(elem_id="asking-trouble")


def opened(form: Asking, unknown: SignalUnknown, *, still: str = "") -> Updates:
    """The form with the guess that goes with a table; `still` is the case that the page shows."""
    guess = unknown.table.guess
    return {
        form.table: unknown.table,
        form.box: gr.update(visible=True),
        form.said: paragraph(wording.asked(unknown.table, still), "asked"),
        form.rate: guess.rate_hz,
        form.unit: guess.unit,
        form.leads: " ".join(guess.leads or ()),
        form.trouble: "",
    }


def closed(form: Asking) -> Updates:
    """No form, and nothing that waits."""
    return {form.table: None, form.box: gr.update(visible=False), form.trouble: ""}


def answered(table: object, rate: object, unit: object, leads: object) -> CompleteECG:
    """The recording that the visitor's answers make of a table."""
    if not isinstance(table, SignalTable):
        raise RecordingError(wording.ASK_GONE)
    told = SignalQuestion(
        rate_hz=float(rate) if isinstance(rate, int | float) else None,
        unit=str(unit) if unit else None,
        leads=leads_of(str(leads)) if leads else None,
    )
    if told.missing:
        raise RecordingError(wording.ask_missing(told.missing))
    return completed(table.answered(told))
