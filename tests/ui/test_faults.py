"""Whatever goes away under the running app, it says so and goes on."""

import html
import json
import os
import resource
import shutil
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from running import health, once_loaded, started
from visiting import Refused, Visit

from focal_app.explore.cases.gallery.gallery import EMBEDDED as GALLERY
from focal_app.explore.reading.bundled_cases import CASES

BUNDLED = (CASES / "normal.hea", CASES / "normal.dat")
pytestmark = pytest.mark.slow

LLM = """
import sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if sys.argv[1] == "answering":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [{"mess')
        print("asked", flush=True)
        time.sleep(600)

    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
"""
"""An OpenAI-compatible server that is asked and then takes its time."""


@pytest.mark.parametrize("when", ["thinking", "answering"])
def test_a_language_model_that_is_killed_while_it_is_asked_is_said_to_be_gone(tmp_path, when):
    command = [sys.executable, "-c", LLM, when]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as model:
        try:
            _asked_and_killed(tmp_path, model)
        finally:
            model.kill()


def _asked_and_killed(tmp_path, model):
    named = {
        "FOCAL_LLM_BASE_URL": f"http://127.0.0.1:{model.stdout.readline().strip()}/v1",
        "FOCAL_LLM_MODEL": "tiny",
    }
    with started(tmp_path, **named) as app, Visit(app.url) as visit, Visit(app.url) as other:
        once_loaded(app)
        visit.open()
        visit.do("read_report", None, None, "Sinus rhythm. LBBB.")
        visit.do("choose_source", None, None, "model")
        with ThreadPoolExecutor(1) as beside:
            answer = beside.submit(visit.do, "ask", None)
            assert model.stdout.readline() == "asked\n"
            assert other.read(*BUNDLED)["findings"]
            model.kill()
            said = json.dumps(answer.result(timeout=60))
        assert "cannot be reached" in said and "lexicon" in said
        taken = json.dumps(visit.do("choose_source", None, None, "lexicon"))
        assert "QRS" in taken and 'class=\\"trouble' not in taken
        assert visit.read(*BUNDLED)["findings"]


@pytest.fixture(params=["a full disk", "files that may not grow"])
def crowded(request, tmp_path):
    """A running app, and what leaves its uploads no room, and what makes room again."""
    if request.param == "a full disk":
        yield from _on_a_small_disk(tmp_path)
    else:
        with started(tmp_path) as app:
            once_loaded(app)
            limit = resource.RLIMIT_FSIZE
            _, most = resource.prlimit(app.process.pid, limit)

            def allow(size):
                """The app, and the processes that read for it, may write files of this size."""
                whole = psutil.Process(app.process.pid)
                for process in (whole, *whole.children(recursive=True)):
                    resource.prlimit(process.pid, limit, (size, most))

            yield app, lambda: allow(60_000), lambda: allow(most)


def _on_a_small_disk(folder):
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small disk can be mounted here")
    filler = folder / "filler"

    def fill():
        with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="space"):
            while True:
                file.write(b"0" * 4096)

        os.truncate(filler, filler.stat().st_size - 20_000)

    try:
        with started(folder) as app:
            once_loaded(app)
            yield app, fill, filler.unlink
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
def test_an_upload_without_room_says_so_and_the_app_goes_on(crowded):
    app, fill, make_room = crowded
    with Visit(app.url) as visit:
        visit.open()
        before = visit.upload(*BUNDLED)
        fill()
        kept = {path for path in app.left() if path.name != "filler"}
        with pytest.raises(Refused, match="no room"):
            visit.upload(*BUNDLED)
        assert {path for path in app.left() if path.name != "filler"} == kept
        with pytest.raises(Refused, match="no room on the disk"):
            visit.ask("read", before, ["LBBB"], "", 0, False)
        opened = json.dumps(visit.do("open_case", None, "left-bundle-branch-block"))
        assert "left bundle branch block" in opened and 'class=\\"trouble' not in opened
        assert visit.ask("search", "LBBB", 3, [], "", 0, 120, "")["hits"]
        make_room()
        assert visit.read(*BUNDLED)["findings"]
    assert app.process.poll() is None


def test_a_gallery_that_is_removed_is_said_to_be_gone_and_reading_goes_on(tmp_path):
    gallery = shutil.copytree(GALLERY, tmp_path / "gallery")
    (tmp_path / "app").mkdir()
    with started(tmp_path / "app", FOCAL_GALLERY=str(gallery)) as app, Visit(app.url) as visit:
        once_loaded(app)
        visit.open()
        asked = ("search", "LBBB", 3, [], "", 0, 120, "")
        before = visit.ask(*asked)
        gallery.rename(tmp_path / "elsewhere")
        with pytest.raises(Refused, match="is gone"):
            visit.ask(*asked)
        with pytest.raises(Refused, match="is gone"):
            visit.ask("similar", visit.upload(*BUNDLED), 3, "", "", 0, 0, 0)
        assert "is gone" in json.dumps(
            visit.do("open_2", None, None, None, [], "Any", 0, 120, None)
        )
        assert visit.read(*BUNDLED)["findings"]
        (tmp_path / "elsewhere").rename(gallery)
        assert visit.ask(*asked) == before


def _of_other_sizes(folder, tiny):
    """Weights of one size beside the config of another."""
    shutil.copytree(tiny, folder)
    config = json.loads((folder / "config.json").read_text())
    config["encoder"]["width"] *= 2
    (folder / "config.json").write_text(json.dumps(config))


def _of_bert(folder, tiny):
    """A language model as transformers saves one."""
    from transformers import BertConfig, BertModel

    sizes = {"hidden_size": 16, "intermediate_size": 32, "vocab_size": 50}
    BertModel(BertConfig(num_hidden_layers=1, num_attention_heads=2, **sizes)).save_pretrained(
        folder
    )


def _of_another_alignment(folder, tiny):
    """A model that was trained without transport, which has no plan to show."""
    shutil.copytree(tiny, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "alignment": "global"}))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_of_other_sizes, "do not fit its config"),
        (_of_bert, "onfig.json of the checkpoint cannot be used"),
        (_of_another_alignment, "alignment 'global'"),
    ],
)
def test_a_checkpoint_that_cannot_be_used_is_named_and_the_page_stays_up(
    tmp_path, tiny_checkpoint, make, said
):
    make(tmp_path / "checkpoint", tiny_checkpoint)
    (tmp_path / "app").mkdir()
    chosen = {"FOCAL_CHECKPOINT": str(tmp_path / "checkpoint")}
    with started(tmp_path / "app", **chosen) as app, Visit(app.url) as visit:
        once_loaded(app)
        found = health(app)
        assert (found["page"], found["model"], found["gallery"]) == ("up", "failed", "failed")
        assert said in _plain(visit.open())
        with pytest.raises(Refused) as refused:
            visit.read(*BUNDLED)
        assert said in _plain(str(refused.value))
        assert any(said in line["message"] for line in app.log if line["level"] == "error")
        assert urllib.request.urlopen(app.url, timeout=60).status == 200
        assert str(tmp_path) not in (app.temporary / "log").read_text()


def _plain(told):
    return html.unescape(told)
