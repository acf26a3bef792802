"""The reading of one recording: its parts on the page, and which handler answers which event."""

import gradio as gr

from focal_app.explore.reading.checkpoint_name import checkpoint_name
from focal_app.ui.gradio_helpers import connect, connector, parts_of
from focal_app.ui.read.handlers import WIDE_PX, Handlers
from focal_app.ui.read.layout import Parts
from focal_app.ui.read.take_away import connect_take_away
from focal_app.ui.server.model_source import LazyExplorer


def build_reading_tab(
    page: gr.Blocks, reader: LazyExplorer, *, checkpoint: str | None = None
) -> Handlers:
    """Lays out the tab inside the Blocks that is being built, and connects its events.

    The other tabs read the visitor's `View`, which is in `parts.view` of what it returns.
    """
    parts = Parts()
    handlers, outputs = Handlers(parts, reader), parts_of(parts)
    on = connector([parts.view], outputs)
    on(parts.case.input, handlers.open_case, parts.case)
    on(parts.overview.select, handlers.move)
    on(parts.tools.select, handlers.lay_out)
    on(parts.paper.select, handlers.refine)
    on(parts.places.select, handlers.lay_out)
    charted = parts.lead_chart
    on(charted.drawer.expand, handlers.chart, charted.lead)
    on(charted.lead.input, handlers.chart, charted.lead)
    on(charted.drawer.collapse, handlers.chart)
    on(parts.focus.input, handlers.focus, parts.focus)
    on(parts.prompt_set.input, handlers.choose_set, parts.prompt_set)
    on(parts.findings.select, handlers.choose)
    uploaded = on(parts.upload.upload, handlers.open_upload, parts.upload, each=True)
    uploaded.then(
        None, js="() => { window.dispatchEvent(new Event('uploadanswered')); return []; }"
    )
    form = parts.asking
    answers = (form.table, form.rate, form.unit, form.leads)
    on(form.apply.click, handlers.answer, *answers, each=True)
    on(parts.reset.click, handlers.reset, each=True)
    on(parts.add.click, handlers.add, parts.new_prompt, each=True)
    on(parts.new_prompt.submit, handlers.add, parts.new_prompt, each=True)
    on(parts.findings.edit, handlers.reword, each=True)
    on(parts.findings.delete, handlers.remove, each=True)
    # Paper first; the model's reading follows when the model is there.
    wide = gr.Number(WIDE_PX, visible=False)
    js = "() => window.innerWidth"
    started = connect(page.load, handlers.start, inputs=[wide], outputs=outputs, js=js)
    on(started.then, handlers.first_reading)
    connect_take_away(parts.take_away, parts.view, checkpoint=checkpoint_name(checkpoint))
    return handlers
