"""Mutated inputs for every parser but those of hospital files, and all kept ones."""

import pytest

from tests.fuzz.run_fuzzer import run_fuzzer
from tests.fuzz.targets import targets

pytestmark = pytest.mark.slow


def test_good_inputs_are_read_and_kept_ones_meet_no_other_error_than_ours():
    run = run_fuzzer("--replay")
    assert run.returncode == 0, run.stdout + run.stderr


def test_mutated_inputs_meet_no_other_error_than_ours(tmp_path):
    others = [name for name in targets() if name != "hospital"]
    run = run_fuzzer("--only", *others, "--inputs", 1000, "--seed", "11", "--keep", tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
