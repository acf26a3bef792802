"""The dry-run tree of the Space starts by itself: nothing of the training package is in reach."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from train.hub.space import fill_space
from train.hub.tree import write_tree

WITHOUT_TRAIN = """
import importlib.util, os, runpy, sys
here = os.getcwd()
project = sys.argv.pop()
sys.path = [p for p in sys.path if os.path.realpath(p or here) != project]
sys.path.insert(0, here)
sys.meta_path = [f for f in sys.meta_path if "__editable__" not in getattr(f, "__module__", "")]
assert importlib.util.find_spec("train") is None, importlib.util.find_spec("train")
import focal_app
assert os.path.dirname(focal_app.__file__) == os.path.join(here, "focal_app"), focal_app.__file__
runpy.run_path("app.py", run_name="__main__")
"""
"""Starts app.py as `python app.py` does, without what an editable install puts in reach."""


@pytest.fixture
def space(tmp_path):
    """The tree, in a folder of its own."""
    write_tree(tmp_path / "space", fill_space)
    return tmp_path / "space"


def test_the_space_starts_alone_and_serves_its_page(space):
    from train.hub.space import PROJECT

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    hidden = ("PYTHON", "HF_", "GRADIO_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    environment = {**kept, "GRADIO_SERVER_PORT": str(port), "PYTHONDONTWRITEBYTECODE": "1"}
    with (space.parent / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", WITHOUT_TRAIN, str(PROJECT)],
            cwd=space,
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            assert _status(f"http://127.0.0.1:{port}", process) == 200, (
                space.parent / "log"
            ).read_text()
        finally:
            process.terminate()
            process.wait(timeout=60)


def _status(url, process):
    for _ in range(240):
        if process.poll() is not None:
            return None
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status
        except OSError:
            time.sleep(0.5)
    return None
