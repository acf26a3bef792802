"""What was measured on records is kept, and measured again where the code that measures changed."""

import json

from train.__main__ import main
from train.data import measured_store
from train.data.measured_store import measured_on
from train.data.shards import Shards


def test_what_is_kept_is_read_and_what_other_code_measured_is_measured_again(tmp_path, monkeypatch):
    folder, path = tmp_path / "shards", tmp_path / "measured.json"
    drawn = ["data", "simulated", "--count", "2", "--out", str(folder), "--split", "0", "0", "1"]
    assert main(drawn) == 0
    shards = [Shards.open(folder)]
    first = measured_on(shards, "test", path)
    values = {name: one.measurements for name, one in first.items()}
    kept = json.loads(path.read_text())
    for one in kept["measured"].values():
        one["values"]["rate_per_min"] = 1.0
    path.write_text(json.dumps(kept))
    assert {
        one.measurements.rate_per_min.value for one in measured_on(shards, "test", path).values()
    } == {1.0}
    monkeypatch.setattr(measured_store, "measuring_files", list)
    again = measured_on(shards, "test", path)
    assert {name: one.measurements for name, one in again.items()} == values
