"""A store gives what preparing gives, up to float16, and never what another spec or shards gave."""

import math
import os
import pickle
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Never

import numpy as np
import pytest

from focal_app.ecg.beatless import beatless_rows
from focal_app.ecg.complete import completed
from focal_app.ecg.gaps import fill_gaps
from focal_app.ecg.leads import ordered_by_name
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.resampling import resampled
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from train.__main__ import main
from train.checked import Refused
from train.data import prepared
from train.data.build import build
from train.data.prepared import DONE, PreparedStore, share_folder
from train.data.shards import ShardError, Shards
from train.data.simulation import Simulation
from train.data.worker_processes import FEW, default_workers, mapping

SPEC = SignalSpec()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Shards:
    """Five simulated recordings, two a shard."""
    return build(Simulation(5), tmp_path_factory.mktemp("drawn"), shard_records=2, workers=1)


@pytest.mark.parametrize("normalisation", ["record-robust", "record-minmax", "millivolt"])
def test_a_store_gives_what_preparing_gives(drawn: Shards, tmp_path: Path, normalisation) -> None:
    spec = replace(SPEC, normalisation=normalisation)
    store = PreparedStore.make(drawn, spec, tmp_path, workers=1)
    assert len(store) == len(drawn)
    for i in range(len(drawn)):
        wanted, (signal, seen) = prepare(drawn.ecg(i), spec), store[i]
        assert (signal.dtype, seen.dtype) == (np.float16, bool)
        np.testing.assert_allclose(signal, wanted.signal, rtol=1e-3, atol=1e-3)
        np.testing.assert_array_equal(seen, wanted.seen)
    with pytest.raises(IndexError):
        store[5]


def test_missing_leads_stay_unseen(listed, waves, tmp_path: Path) -> None:
    ecg = waves()
    broken = ecg.signal_mv.copy()
    broken[7], broken[8, 2000:3500] = np.nan, np.nan
    shards = build(listed((replace(ecg, signal_mv=broken),)), tmp_path / "shards", workers=1)
    signal, seen = PreparedStore.make(shards, SPEC, tmp_path, workers=1)[0]
    assert not seen[7].any() and 0 < seen[8].sum() < SPEC.windows
    assert not signal[7].any()


def test_two_processes_prepare_what_one_prepares(drawn: Shards, tmp_path: Path) -> None:
    one, two = (
        PreparedStore.make(drawn, SPEC, tmp_path / str(n), workers=n).folder for n in (1, 2)
    )
    assert [path.name for path in sorted(one.iterdir())] == [p.name for p in sorted(two.iterdir())]
    assert all((one / path.name).read_bytes() == path.read_bytes() for path in two.iterdir())


def test_a_store_is_made_once_and_again_for_another_spec(
    drawn: Shards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = PreparedStore.make(drawn, SPEC, tmp_path, workers=1)
    other = PreparedStore.make(drawn, replace(SPEC, highpass_hz=None), tmp_path, workers=1)
    assert other.folder != made.folder
    monkeypatch.setattr(prepared, "prepare", None)
    assert PreparedStore.make(drawn, SPEC, tmp_path, workers=1).folder == made.folder


@pytest.mark.parametrize(
    "step", [beatless_rows, completed, fill_gaps, ordered_by_name, prepare, resampled]
)
def test_a_store_is_made_again_when_the_code_of_a_step_changed(step) -> None:
    assert Path(str(sys.modules[step.__module__].__file__)) in prepared._CODE


def test_a_stopped_store_goes_on_with_what_is_missing(drawn: Shards, tmp_path: Path) -> None:
    store = PreparedStore.make(drawn, SPEC, tmp_path, workers=1)
    (store.folder / DONE).unlink()
    (store.folder / "seen-00001.npy").unlink()
    with pytest.raises(ShardError, match=r"found no prepared\.json"):
        PreparedStore.open(store.folder)
    kept = (store.folder / "shard-00000.npy").stat().st_mtime_ns
    again = PreparedStore.make(drawn, SPEC, tmp_path, workers=1)
    assert (store.folder / "shard-00000.npy").stat().st_mtime_ns == kept
    for i in range(len(drawn)):
        np.testing.assert_array_equal(again[i][1], store[i][1])


@pytest.mark.parametrize("spoilt", ["{}", '{"shards": []}', "shape"])
def test_a_store_that_is_not_as_it_was_written_is_none(
    drawn: Shards, tmp_path: Path, spoilt: str
) -> None:
    store = PreparedStore.make(drawn, SPEC, tmp_path, workers=1)
    assert PreparedStore.made(drawn, SPEC, tmp_path) is not None
    if spoilt == "shape":
        signals = np.load(store.folder / "shard-00000.npy")
        np.save(store.folder / "shard-00000.npy", signals[:, :3])
    else:
        (store.folder / DONE).write_text(spoilt)
    assert PreparedStore.made(drawn, SPEC, tmp_path) is None
    again = PreparedStore.make(drawn, SPEC, tmp_path, workers=1)
    np.testing.assert_array_equal(again[0][0], store[0][0])


def test_a_store_travels_as_a_path(drawn: Shards, tmp_path: Path) -> None:
    store = PreparedStore.make(drawn, SPEC, tmp_path, workers=1)
    sent = pickle.dumps(store)
    assert len(sent) < len(str(store.folder)) + 200
    np.testing.assert_array_equal(pickle.loads(sent)[3][0], store[3][0])  # noqa: S301


def test_readers_are_the_cores_shared_by_the_processes_of_a_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    assert default_workers() == 16
    for processes, workers in (("4", 4), ("32", 1)):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
        assert default_workers() == workers


@pytest.mark.parametrize(("recordings", "workers"), [(FEW - 1, 1), (FEW, 16), (FEW + 30, 16)])
def test_a_few_recordings_are_read_and_drawn_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, recordings: int, workers: int
) -> None:
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    chosen: list[int] = []

    def stopped(number: int, *_: str, **__: int) -> Never:
        chosen.append(number)
        raise StopIteration

    for module in ("worker_processes", "build"):
        monkeypatch.setattr(f"train.data.{module}.default_workers", default_workers)
    for module in ("build", "mimic_fixture"):
        monkeypatch.setattr(f"train.data.{module}.mapping", stopped)
    with pytest.raises(StopIteration):
        build(Simulation(recordings), tmp_path / "drawn")
    for kind in ("simulated", "mimic-fixture"):
        said = ["data", kind, "--count", str(recordings), "--out", str(tmp_path / kind)]
        with pytest.raises(StopIteration):
            main(said)
    assert chosen == [workers] * 3


def test_processes_give_what_map_gives() -> None:
    with mapping(2, "math", chunk=3) as mapped:
        assert list(mapped(abs, range(-50, 0))) == [*range(50, 0, -1)]
        with pytest.raises(ValueError, match="math domain error") as raised:
            list(mapped(math.sqrt, [4.0, -1.0]))
        assert "math domain error" in raised.value.__notes__[0]
        assert list(mapped(abs, [-1])) == [1]


def _refused(_: int) -> None:
    raise Refused("lead II", "found noise")


def _no_message(_: int) -> Callable[[], None]:
    return lambda: None


@pytest.mark.parametrize(
    ("make", "said"),
    [(_refused, "Refused: lead II: found noise"), (_no_message, "lambda")],
    ids=["an error of two arguments", "what cannot be sent"],
)
def test_what_goes_wrong_in_a_process_is_told_whatever_it_is(make, said: str) -> None:
    with pytest.raises(Exception, match=said) as raised, mapping(2, "math") as mapped:
        list(mapped(make, [1, 2]))
    assert not isinstance(raised.value, ConfigError)


def _ended_halfway(_: int) -> None:
    """End this process as the system does that takes memory back, while it answers."""
    for descriptor in range(3, 64):
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, b"\0\0\1\0the first of 256 bytes")
    os._exit(9)


@pytest.mark.parametrize("end", [os._exit, _ended_halfway])
def test_a_process_that_is_ended_is_told(end: Callable[[int], None]) -> None:
    with (
        pytest.raises(ConfigError, match=r"ended before its work was.*fewer --workers"),
        mapping(2, "math") as mapped,
    ):
        list(mapped(end, [9, 9]))


def test_a_shared_folder_is_linked_once_more_where_the_link_leads_nowhere(tmp_path: Path) -> None:
    shared, place = tmp_path / "prepared", tmp_path / "second" / "prepared"
    share_folder(shared, place)
    assert place.samefile(shared)
    moved = tmp_path.with_name(f"{tmp_path.name}-moved")
    tmp_path.rename(moved)
    assert (moved / "second" / "prepared").samefile(moved / "prepared"), "it moves with the run"
    (moved / "second" / "prepared").unlink()
    (moved / "second" / "prepared").symlink_to("/nowhere")
    share_folder(moved / "prepared", moved / "second" / "prepared")
    assert (moved / "second" / "prepared").samefile(moved / "prepared")


def test_signals_that_a_run_made_for_itself_stay_its_own(tmp_path: Path) -> None:
    own = tmp_path / "second" / "prepared"
    own.mkdir(parents=True)
    share_folder(tmp_path / "prepared", own)
    assert own.is_dir() and not own.is_symlink()


def test_where_there_are_no_links_signals_are_made_once_more_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refused)
    share_folder(tmp_path / "prepared", tmp_path / "second" / "prepared")
    assert not (tmp_path / "second" / "prepared").exists()
    assert "made once more" in caplog.text and "not permitted" in caplog.text


def test_a_folder_of_stores_that_is_a_link_to_nowhere_is_refused(
    drawn: Shards, tmp_path: Path
) -> None:
    (tmp_path / "prepared").symlink_to("/nowhere")
    with pytest.raises(ShardError, match="link to nowhere"):
        PreparedStore.make(drawn, SPEC, tmp_path / "prepared", workers=1)
    with pytest.raises(ShardError, match="link to nowhere"):
        share_folder(tmp_path / "prepared", tmp_path / "second" / "prepared")
