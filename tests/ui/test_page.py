"""The page is laid out before any model is there, and offers programs four endpoints.

It is built in a process of its own: Gradio leaves an event loop open, which is an error here.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from focal_app.ui import wording
from focal_app.ui.server import time_limit
from focal_app.ui.verify.tab import ASKED_S

ROOT = Path(__file__).parents[2]
BUILD = """
import json, sys
from focal_app.errors import CheckpointError
from focal_app.ui.page import build_page
from focal_app.ui.server import time_limit
from focal_app.ui.server.model_source import Lazy, explorer_source
import gradio as gr
from gradio import component_meta

def load():
    raise SystemExit("the page must not load a model to be laid out")

class Never(time_limit._Threads):
    def start(self, job):
        pass

def hung(function):
    # What its visitor is told when a handler never ends; a second passes like a millisecond.
    time_limit._threads = Never()
    try:
        return str(function.fn(*[None] * len(function.inputs)))
    except gr.Error as error:
        return error.message

page = build_page(Lazy(load), Lazy(load))
config = page.get_config_file()
try:
    explorer_source("nowhere")()
except CheckpointError as error:
    missing = str(error)
torch = "torch" in sys.modules
stubs = component_meta.create_or_modify_pyi.__module__
clock = time_limit._Clock
time_limit._Clock = lambda seconds: clock(seconds / 1000)
told = {function.api_name: hung(function) for function in page.fns.values() if function.fn}
made = {"config": config, "torch": torch, "told": told, "missing": missing, "stubs": stubs}
print(json.dumps(made, default=str))
"""


@pytest.fixture(scope="module")
def built():
    run = subprocess.run(
        [sys.executable, "-c", BUILD], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_page_is_laid_out_and_a_missing_checkpoint_told_without_torch(built):
    assert wording.DISCLAIMER in json.dumps(built["config"])
    assert built["missing"].startswith("found no folder 'nowhere'")
    assert not built["torch"]


def test_gradio_writes_no_stubs_beside_its_files(built):
    assert built["stubs"] == "focal_app.ui.stubs"


def test_only_the_five_named_endpoints_are_public(built):
    dependencies = built["config"]["dependencies"]
    public = {d["api_name"] for d in dependencies if d["api_visibility"] != "private"}
    assert public == {"read", "verify", "propose", "search", "similar"}


def test_every_sentence_of_a_public_endpoint_is_documented(built):
    offered = [d for d in built["config"]["dependencies"] if d["api_visibility"] == "public"]
    assert all(len(d["api_description"] or "") > 60 for d in offered)


def test_every_handler_of_the_page_is_ended_in_a_sentence_where_it_never_ends(built):
    served = {d["api_name"] for d in built["config"]["dependencies"] if d["backend_fn"]}
    assert served == built["told"].keys() and len(served) > 60
    said = {
        name: re.match(r"No answer within (\d+) s", told) for name, told in built["told"].items()
    }
    assert not [name for name, found in said.items() if found is None]
    usual = {name for name, found in said.items() if float(found[1]) == time_limit.LIMIT_S}
    asking = {"ask", "propose"}  # a language model, which has a line of its own
    assert served - usual == asking
    assert {float(said[name][1]) for name in asking} == {ASKED_S}


def test_no_edit_and_no_upload_is_dropped_when_another_follows_quickly(built):
    each = {
        event
        for dependency in built["config"]["dependencies"]
        # A file that is asked for is no setting, of which the last would be enough.
        if dependency["trigger_mode"] == "multiple" and dependency["api_name"] != "take"
        for _, event in dependency["targets"]
    }
    assert each >= {"edit", "delete", "click", "submit", "upload"}
    assert not each & {"select", "input", "blur"}


def test_at_least_six_cases_are_offered(built):
    parts = built["config"]["components"]
    case = next(part for part in parts if part["props"].get("elem_id") == "case")
    assert len(case["props"]["choices"]) >= 6
