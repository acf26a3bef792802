"""What one process makes before several train: they do not wait for it, but say what is missing."""

import pytest
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

from focal_app.errors import ConfigError
from train.fit.distributed import Processes
from train.fit.tag_encoder import tag_encoder
from train.recipe import load_recipe
from train.runs.training import Pace, Reports, train_coarse


@pytest.fixture
def two():
    """This process is the first of two, of which the other never answers."""
    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    yield Processes()
    dist.destroy_process_group()


def test_one_of_several_tunes_no_tag_encoder_while_the_others_wait(tmp_path):
    with pytest.raises(ConfigError, match=r"found no tuned tag encoder.*train text --config tiny"):
        tag_encoder(load_recipe("tiny"), tmp_path, alone=False)
    assert not list(tmp_path.iterdir())


def test_one_of_several_prepares_no_signals_while_the_others_wait(
    two, shards, tiny_checkpoint, tmp_path
):
    recipe = load_recipe("tiny", changes={"data.keep_prepared": True})
    with pytest.raises(ConfigError, match=r"found no prepared signals of simulated.*train prepare"):
        train_coarse(recipe, tmp_path, Reports((shards,)), Pace(0), start=str(tiny_checkpoint))
    assert two.size == 2 and not (tmp_path / "prepared").exists()
