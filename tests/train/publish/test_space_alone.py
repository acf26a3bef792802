"""The dry-run tree of the Space starts by itself: nothing of the training package is in reach."""

import sys

import pytest
from running import health, once_loaded, started
from visiting import Visit

from train.publish.space import PROJECT, fill_space
from train.publish.tree import listing, write_tree

pytestmark = pytest.mark.slow

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


def test_the_space_starts_alone_and_reads_searches_and_compares(space, tmp_path):
    (tmp_path / "temporary").mkdir()
    alone = {
        "command": [sys.executable, "-c", WITHOUT_TRAIN, str(PROJECT)],
        "folder": space,
        "alone": True,
        "PYTHONPATH": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    before = listing(space)
    with started(tmp_path / "temporary", **alone) as app, Visit(app.url) as visit:
        once_loaded(app)
        assert (health(app)["model"], health(app)["gallery"]) == ("ready", "ready")
        assert visit.http.get("/").status_code == 200 and "sinus rhythm" in visit.open()
        case = [space / "assets" / "cases" / f"normal{end}" for end in (".hea", ".dat")]
        assert visit.read(*case)["findings"]
        assert visit.ask("search", "LBBB", 3, [], "", 0, 120, "")["hits"]
        assert visit.ask("similar", visit.upload(*case), 3, "", "", 0, 0, 0)["hits"]
    assert listing(space) == before
