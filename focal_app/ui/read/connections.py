"""Which handler of the reading tab answers which event."""

import gradio as gr

from focal_app.ui.gradio_helpers import connect, connector, parts_of
from focal_app.ui.read.handlers import WIDE_PX, Handlers
from focal_app.ui.read.layout import Parts


def connect_events(parts: Parts, handlers: Handlers) -> None:
    """Which event is answered by which handler."""
    on = connector([parts.view], parts_of(parts))
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


def connect_start(page: gr.Blocks, parts: Parts, handlers: Handlers) -> None:
    """Paper first; the model's reading follows when the model is there."""
    outputs = parts_of(parts)
    wide = gr.Number(WIDE_PX, visible=False)
    js = "() => window.innerWidth"
    started = connect(page.load, handlers.start, inputs=[wide], outputs=outputs, js=js)
    connect(started.then, handlers.first_reading, inputs=[parts.view], outputs=outputs)
