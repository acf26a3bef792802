"""A small gallery of made-up cases, by an untrained model: its scores mean nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from gallery_cases import make_ecg, records

from focal_app.ecg.recording import ECG
from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.cases.gallery.build import Plan, build
from focal_app.explore.reading.explorer import Explorer


@pytest.fixture(scope="session")
def explorer(tiny_checkpoint: Path) -> Explorer:
    """The untrained model."""
    return Explorer.load(tiny_checkpoint)


@pytest.fixture(scope="session")
def built(explorer: Explorer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the gallery; not to be changed."""
    folder = tmp_path_factory.mktemp("galleries") / "small"
    plan = Plan(title="Small", simulated=True, rate_hz=250)
    assert build(records(), explorer, folder, plan).left_out == 1
    return folder


@pytest.fixture
def gallery(built: Path, explorer: Explorer) -> Gallery:
    """The gallery, open."""
    return Gallery.open(built, explorer.model)


@pytest.fixture
def query() -> Callable[..., ECG]:
    """Makes the ECG of a seed."""
    return make_ecg
