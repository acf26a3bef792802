"""A verification at another threshold is what verifying again would have written."""

import pytest

from focal_app.errors import ConfigError
from train.data.verified_files import read_lines, read_manifest
from train.enrich.thresholds import accept_at
from train.enrich.verify import verify

FALSE = ("wide QRS complex", "low QRS voltage")


def test_it_equals_a_verification_by_the_model_at_that_threshold(
    oracle, make_shards, features, tmp_path
):
    tags = [("sinus rhythm",), ("atrial flutter",)]
    shards = make_shards([("train", tags[i % 2], (i % 4, 5)) for i in range(10)])
    candidates = {frozenset(one): (*features[:4], *FALSE, "golden spike") for one in tags}
    for name, threshold in (("scored", 0.95), ("other", 0.001)):
        verify(
            oracle, [shards], candidates, tmp_path / name, threshold=threshold, score="confidence"
        )
    accept_at(tmp_path / "scored", 0.001, tmp_path / "again")
    again, other = (list(read_lines(tmp_path / name)) for name in ("again", "other"))
    assert [sorted(x["feature"] for x in line["accepted"]) for line in again] == [
        sorted(x["feature"] for x in line["accepted"]) for line in other
    ]
    counts = [read_manifest(tmp_path / name)["counts"] for name in ("again", "other")]
    assert counts[0] == counts[1]
    assert read_manifest(tmp_path / "again")["about"] == read_manifest(tmp_path / "other")["about"]
    assert counts[0]["accepted"] > read_manifest(tmp_path / "scored")["counts"]["accepted"]


def test_an_older_verification_is_not_taken_for_the_one_asked_for(
    oracle, make_shards, features, tmp_path
):
    shards = make_shards([("train", ("sinus rhythm",), (i % 4, 5)) for i in range(4)])
    of_other = (
        {frozenset(["sinus rhythm"]): tuple(some)} for some in (features[:2], features[2:4])
    )
    for name, candidates in zip(("scored", "made-anew"), of_other, strict=True):
        verify(oracle, [shards], candidates, tmp_path / name, threshold=0.95, score="confidence")
    accept_at(tmp_path / "scored", 0.5, tmp_path / "half")
    accept_at(tmp_path / "scored", 0.5, tmp_path / "half")
    with pytest.raises(ConfigError, match="by another model, threshold, score or data"):
        accept_at(tmp_path / "made-anew", 0.5, tmp_path / "half")
