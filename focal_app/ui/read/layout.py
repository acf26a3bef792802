"""The parts of the reading tab, and where each lies on the page."""

from dataclasses import dataclass
from pathlib import Path

import gradio as gr

from focal_app.ecg.files import MAX_FILE_MB
from focal_app.explore.reading.bundled_cases import bundled_cases
from focal_app.explore.reading.prompts import EVERYDAY
from focal_app.figures.templates import Templates
from focal_app.lexicon import load_prompt_sets
from focal_app.ui import wording
from focal_app.ui.gradio_helpers import sheet, words
from focal_app.ui.read import wording_paper
from focal_app.ui.read.asking import Asking, build_asking
from focal_app.ui.read.lead_chart import LeadChart, build_lead_chart
from focal_app.ui.read.state import SHARP
from focal_app.ui.read.take_away import TakeAway, build_take_away

_fill = Templates(Path(__file__).parent, wording=wording)


@dataclass(frozen=True)
class Parts:
    """Every part of the page that an event reads or changes."""

    view: gr.State
    case: gr.Dropdown
    upload: gr.UploadButton
    take_away: TakeAway
    trouble: gr.HTML
    asking: Asking
    recording: gr.HTML
    tools: gr.HTML
    overview: gr.HTML
    paper: gr.HTML
    focus: gr.Radio
    prompt_set: gr.Dropdown
    reset: gr.Button
    measured: gr.HTML
    places: gr.HTML
    lead_chart: LeadChart
    findings: gr.HTML
    new_prompt: gr.Textbox
    add: gr.Button
    add_trouble: gr.HTML


def build_parts() -> Parts:
    """Lays out the tab inside the Blocks that is being built."""
    cases = [(case.title, case.name) for case in bundled_cases()]
    sets = [(chosen.title, name) for name, chosen in load_prompt_sets().items()]
    foci = [(said, tau) for tau, said in wording.FOCI.items()]
    with gr.Row(elem_classes="toolbar"):
        case = gr.Dropdown(cases, value=cases[0][1], label=wording.CASE, elem_id="case")
        upload = gr.UploadButton(wording.UPLOAD, file_count="multiple", elem_id="upload", size="md")
        words(
            _fill("upload_help", most_mb=MAX_FILE_MB),
            elem_classes="privacy",
            scripts=["read/uploading"],
        )
        take_away = build_take_away()
    trouble = words(elem_id="trouble")
    asking = build_asking()
    with gr.Row(elem_classes="desk", equal_height=False):
        with gr.Column(elem_classes="sheet", min_width=0):
            recording = words(elem_id="recording")
            measured = words(elem_id="measured")
            tools = words(elem_id="tools", scripts=["read/tools"])
            overview = words(elem_id="overview", scripts=["read/overview"])
            on_paper = sheet("paper", "read/paper", "read/calipers")
            places = words(elem_id="places", scripts=["read/places"])
            with gr.Accordion(wording_paper.MORE, open=False, elem_id="more"):
                focus = gr.Radio(
                    foci, value=SHARP, label=wording.FOCUS, info=wording.FOCUS_HELP, elem_id="focus"
                )
            charted = build_lead_chart()
        with gr.Column(elem_classes="side", min_width=0):
            words(_fill("findings_help"))
            with gr.Row(elem_classes="setrow"):
                prompt_set = gr.Dropdown(
                    sets, value=EVERYDAY, label=wording.SET, elem_id="prompt-set"
                )
                reset = gr.Button(wording.RESET, size="md", elem_id="reset", min_width=0)
            findings = words(_fill("waiting"), elem_id="findings", scripts=["read/findings"])
            with gr.Row(elem_classes="addrow"):
                new_prompt = gr.Textbox(
                    label=wording.ADD_LABEL,
                    placeholder=wording.ADD_PLACEHOLDER,
                    max_lines=3,
                    elem_id="new-prompt",
                )
                add = gr.Button(wording.ADD, size="md", elem_id="add", min_width=0)
            add_trouble = words(elem_id="add-trouble")
    return Parts(
        view=gr.State(None),
        case=case,
        upload=upload,
        take_away=take_away,
        trouble=trouble,
        asking=asking,
        recording=recording,
        tools=tools,
        overview=overview,
        paper=on_paper,
        focus=focus,
        measured=measured,
        places=places,
        lead_chart=charted,
        prompt_set=prompt_set,
        reset=reset,
        findings=findings,
        new_prompt=new_prompt,
        add=add,
        add_trouble=add_trouble,
    )
