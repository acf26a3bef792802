"""Shards after a kill and on a full disk: nothing half is ever taken for whole."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from focal_app.errors import FocalError
from train.data.build import build
from train.data.shards import MANIFEST, ShardError, Shards
from train.data.simulation import Simulation

COUNT, SHARD = 12, 3


def command(out: Path) -> list[str]:
    choices = f"--count {COUNT} --shard-records {SHARD} --workers 1 --out".split()
    return [sys.executable, "-m", "train", "data", "simulated", *choices, str(out)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a build that nothing interrupts."""
    folder = tmp_path_factory.mktemp("undisturbed")
    build(Simulation(COUNT), folder, shard_records=SHARD, workers=1)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_build_killed_in_the_middle_goes_on_and_ends_on_the_same_bytes(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    marks = [tmp_path / f"shard-0000{n}.done.json" for n in range(4)]
    process = subprocess.Popen(command(tmp_path), stderr=subprocess.DEVNULL)
    while not marks[0].exists() and process.poll() is None:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / MANIFEST).exists()
    with pytest.raises(ShardError, match="a finished folder of shards is needed"):
        Shards.open(tmp_path)
    whole = [path for path in marks if path.exists()]
    kept = {path: path.with_name("shard-00000.npy").stat().st_mtime_ns for path in whole[:1]}
    build(Simulation(COUNT), tmp_path, shard_records=SHARD, workers=1)
    assert contents(tmp_path) == undisturbed
    for written in kept.values():
        assert (tmp_path / "shard-00000.npy").stat().st_mtime_ns == written


def test_more_than_a_few_studies_are_each_stored_once_and_in_order(
    tmp_path: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("train.data.build.FEW", COUNT // 2 - 1)
    build(Simulation(COUNT), tmp_path, shard_records=SHARD, workers=2)
    assert contents(tmp_path) == undisturbed


@pytest.mark.parametrize("state", ["signals without a mark", "half of the signals", "no lines"])
def test_a_shard_without_its_whole_mark_is_made_again(
    tmp_path: Path, undisturbed: dict[str, bytes], state: str
) -> None:
    for name, content in undisturbed.items():
        (tmp_path / name).write_bytes(content)
    manifest = tmp_path / MANIFEST
    about = manifest.read_text()
    manifest.unlink()
    half(tmp_path, state, about)
    build(Simulation(COUNT), tmp_path, shard_records=SHARD, workers=1)
    assert contents(tmp_path) == undisturbed


def half(folder: Path, state: str, manifest: str) -> None:
    """The folder as a kill would have left it, with shard 1 in this state."""
    read = json.loads(manifest)
    (folder / "building.json").write_text(json.dumps(read["made_from"]))
    if state == "signals without a mark":
        return
    shard = read["shards"][1]
    mark = {**shard, "studies": "any", "counted": {}, "unusable": []}
    (folder / "shard-00001.done.json").write_text(json.dumps(mark))
    if state == "half of the signals":
        path = folder / "shard-00001.npy"
        path.write_bytes(path.read_bytes()[:1000])
    else:
        (folder / "shard-00001.jsonl").unlink()


def full_by_limit(out: Path) -> subprocess.CompletedProcess[str]:
    """The build under a limit of 300 kB a file: room for the lines, none for the signals."""
    program = (
        "import resource, sys; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY)); "
        "from train.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = [sys.executable, "-c", program, *command(out)[3:]]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def full_by_size(out: Path) -> subprocess.CompletedProcess[str]:
    """The build on a disk of 1 MB: room for two shards of 0.4 MB."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(out)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs rights that are not given here")
    return subprocess.run(command(out), capture_output=True, text=True, check=False)


def test_a_full_disk_is_a_clear_error_and_whole_shards_stay(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    try:
        done = full_by_size(tmp_path)
        assert done.returncode == 2
        assert "No space left on device" in done.stderr
        assert "whole shards are kept" in done.stderr
        left = {path.name for path in tmp_path.iterdir()}
        assert "shard-00001.npy" in left
        assert not any("shard-00002" in name or "partial" in name for name in left)
        subprocess.run(["mount", "-o", "remount,size=16m", str(tmp_path)], check=True)
        build(Simulation(COUNT), tmp_path, shard_records=SHARD, workers=1)
        assert contents(tmp_path) == undisturbed
    finally:
        subprocess.run(["umount", str(tmp_path)], capture_output=True, check=False)


def test_a_file_that_may_not_grow_is_a_clear_error_and_leaves_nothing_half(tmp_path: Path) -> None:
    done = full_by_limit(tmp_path)
    assert done.returncode == 2
    assert "found no way to write shard-00000 (File too large)" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["building.json"]


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = subprocess.run(command(tmp_path / "file"), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_mark_that_was_cut_is_made_again_and_a_cut_claim_refused(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    for name, content in undisturbed.items():
        (tmp_path / name).write_bytes(content)
    half(tmp_path, "no lines", (tmp_path / MANIFEST).read_text())
    (tmp_path / MANIFEST).unlink()
    claim, mark = tmp_path / "building.json", tmp_path / "shard-00001.done.json"
    mark.write_bytes(mark.read_bytes()[:-9])
    whole = claim.read_bytes()
    claim.write_bytes(whole[:-9])
    with pytest.raises(FocalError, match=r"found no building\.json in .* that is whole"):
        build(Simulation(COUNT), tmp_path, shard_records=SHARD, workers=1)
    claim.write_bytes(whole)
    build(Simulation(COUNT), tmp_path, shard_records=SHARD, workers=1)
    assert contents(tmp_path) == undisturbed
