"""Opening many records is quick and costs a process next to nothing; 800,000 are benchmarked."""

import pickle
from itertools import repeat
from pathlib import Path

import pytest

from tests.benchmarks.shards import opening, write_made_up
from train.data.shards import Shards

COUNT = 10_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished folder of five shards whose signals are holes in files."""
    folder = tmp_path_factory.mktemp("large") / "many"
    tags = (f"rhythm {n % 40}" for n in range(COUNT))
    write_made_up(folder, zip(tags, repeat("one"), repeat("two"), strict=False))
    return folder


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads /proc of Linux")
def test_opening_reads_no_line_and_holds_nothing_of_its_own(many: Path) -> None:
    """Lines that were read one by one kept 18 MB of so many records."""
    seconds, private_mb = opening(many)
    assert seconds < 2
    assert private_mb < 8


def test_what_travels_to_a_worker_does_not_grow_with_the_records(many: Path) -> None:
    shards = Shards.open(many)
    assert len(shards) == COUNT
    assert len(pickle.dumps(shards)) < 300
    assert shards.tags[COUNT - 1] == (f"rhythm {(COUNT - 1) % 40}", "one", "two")
    assert shards.reports[COUNT - 1].endswith(". one. two")
    assert shards.keys[-1] == str(40_000_000 + COUNT - 1)
