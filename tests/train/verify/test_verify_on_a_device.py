"""Verification on another device than the CPU gives the probabilities of the CPU."""

import pytest

from focal_app.model.focal import Focal
from train.data.shards import Shards
from train.data.verified_files import read_lines
from train.enrich.planted import measure_planted
from train.enrich.verify import Reading, verify

FEATURES = ("ST elevation", "wide QRS complex", "inverted T waves")


def judged(folder):
    return {
        (line["key"], one["feature"]): one["probability"]
        for line in read_lines(folder)
        for one in (*line["accepted"], *line["rejected"])
    }


def test_candidates_score_as_on_the_cpu(device, tiny_checkpoint, shards, tmp_path):
    opened = Shards.open(shards)
    candidates = {frozenset(tags): FEATURES for tags in opened.tags}
    for where in ("cpu", device):
        model = Focal.load(tiny_checkpoint).to(where)
        verify(
            model, [opened], candidates, tmp_path / where, score="probability", reading=Reading(8)
        )
    here, there = judged(tmp_path / "cpu"), judged(tmp_path / device)
    assert here == pytest.approx(there, abs=1e-4)


def test_planted_features_are_measured_there(device, tiny_checkpoint):
    there = measure_planted(Focal.load(tiny_checkpoint).to(device), records=12)
    here = measure_planted(Focal.load(tiny_checkpoint), records=12)
    assert (there.records, there.true, there.false) == (here.records, here.true, here.false)
