"""The parts of the reading tab, and where each lies on the page."""

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
from focal_app.ui.read.asking import Asking
from focal_app.ui.read.lead_chart import LeadChart
from focal_app.ui.read.state import SHARP
from focal_app.ui.read.take_away import TakeAway

_fill = Templates(Path(__file__).parent, wording=wording)


class Parts:
    """The parts of the tab that events are about, each laid out where it is made."""

    def __init__(self) -> None:
        self.view = gr.State(None)
        cases = [(case.title, case.name) for case in bundled_cases()]
        sets = [(chosen.title, name) for name, chosen in load_prompt_sets().items()]
        foci = [(said, tau) for tau, said in wording.FOCI.items()]
        with gr.Row(elem_classes="toolbar"):
            self.case = gr.Dropdown(cases, value=cases[0][1], label=wording.CASE, elem_id="case")
            self.upload = gr.UploadButton(
                wording.UPLOAD, file_count="multiple", elem_id="upload", size="md"
            )
            words(
                _fill("upload_help", most_mb=MAX_FILE_MB),
                elem_classes="privacy",
                scripts=["read/uploading"],
            )
            self.take_away = TakeAway()
        self.trouble = words(elem_id="trouble")
        self.asking = Asking()
        with gr.Row(elem_classes="desk", equal_height=False):
            with gr.Column(elem_classes="sheet", min_width=0):
                self.recording = words(elem_id="recording")
                self.measured = words(elem_id="measured")
                self.tools = words(elem_id="tools", scripts=["read/tools"])
                self.overview = words(elem_id="overview", scripts=["read/overview"])
                self.paper = sheet("paper", "read/paper", "read/calipers")
                self.places = words(elem_id="places", scripts=["read/places"])
                with gr.Accordion(wording_paper.MORE, open=False, elem_id="more"):
                    self.focus = gr.Radio(
                        foci,
                        value=SHARP,
                        label=wording.FOCUS,
                        info=wording.FOCUS_HELP,
                        elem_id="focus",
                    )
                self.lead_chart = LeadChart()
            with gr.Column(elem_classes="side", min_width=0):
                words(_fill("findings_help"))
                with gr.Row(elem_classes="setrow"):
                    self.prompt_set = gr.Dropdown(
                        sets, value=EVERYDAY, label=wording.SET, elem_id="prompt-set"
                    )
                    self.reset = gr.Button(wording.RESET, size="md", elem_id="reset", min_width=0)
                self.findings = words(
                    _fill("waiting"), elem_id="findings", scripts=["read/findings"]
                )
                with gr.Row(elem_classes="addrow"):
                    self.new_prompt = gr.Textbox(
                        label=wording.ADD_LABEL,
                        placeholder=wording.ADD_PLACEHOLDER,
                        max_lines=3,
                        elem_id="new-prompt",
                    )
                    self.add = gr.Button(wording.ADD, size="md", elem_id="add", min_width=0)
                self.add_trouble = words(elem_id="add-trouble")
