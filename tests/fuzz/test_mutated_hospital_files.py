"""3,000 mutated hospital files, tables and zips, apart from the others so that both run at once."""

import pytest

from tests.fuzz.run_fuzzer import run_fuzzer

pytestmark = pytest.mark.slow


def test_mutated_hospital_files_meet_no_other_error_than_ours(tmp_path):
    run = run_fuzzer("--only", "hospital", "--inputs", "3000", "--seed", "12", "--keep", tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
