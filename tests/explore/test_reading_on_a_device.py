"""The app on another device than the CPU: readings, galleries and searches are those of the CPU."""

import numpy as np
import pytest
import torch
from gallery_cases import make_ecg, records

from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.cases.gallery.build import Plan, build
from focal_app.explore.cases.similar import Finding, Segment, Whole, similar
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.on_gpu import GpuExplorer
from focal_app.model.device import best_device
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags

PROMPTS = ("sinus rhythm", "ST elevation")


@pytest.fixture(scope="module")
def here(tiny_checkpoint):
    return Explorer(Focal.load(tiny_checkpoint))


@pytest.fixture(scope="module")
def there(tiny_checkpoint, device):
    explorer = Explorer.load(tiny_checkpoint)
    assert explorer.model.device.type == best_device().type == device
    return explorer


def test_an_ecg_reads_as_on_the_cpu(here, there, device):
    ecg = make_ecg(3)
    for other in (there, GpuExplorer(here.model, device=device)):
        for tau in (None, 0.02):
            pair = (one.read(ecg, PROMPTS, tau=tau).findings for one in (here, other))
            for one, found in zip(*pair, strict=True):
                assert found.probability == pytest.approx(one.probability, abs=1e-4)
                assert np.allclose(found.weights, one.weights, atol=1e-3, equal_nan=True)


def test_embeddings_come_back_to_the_cpu(here, there):
    one, other = (embed_tags(explorer.model.text, PROMPTS) for explorer in (here, there))
    torch.testing.assert_close(other, one, rtol=0, atol=1e-5)
    assert there.tags(PROMPTS).device.type == "cpu"


def test_a_gallery_built_there_is_searched_here_and_there(here, there, tmp_path):
    folders = {name: tmp_path / name for name in ("here", "there")}
    for explorer, folder in zip((here, there), folders.values(), strict=True):
        assert build(records(), explorer, folder, Plan(title="Small", rate_hz=250)).left_out == 1
    one, other = (Gallery.open(folders[name], here.model) for name in folders)
    every = np.arange(len(one))
    np.testing.assert_allclose(other.findings(every), one.findings(every), atol=2e-3)
    np.testing.assert_allclose(other.patches(every), one.patches(every), atol=2e-3)
    for by in (Whole(), Finding(PROMPTS[0]), Segment("V1", 2.0, 4.0)):
        gallery = Gallery.open(folders["there"], there.model)
        hits = similar(there, gallery, make_ecg(1), by=by, top=3)
        own = similar(here, one, make_ecg(1), by=by, top=3)
        assert [h.score for h in hits] == pytest.approx([h.score for h in own], abs=2e-2)
