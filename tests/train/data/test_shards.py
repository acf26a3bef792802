"""Shards give back what was stored, and refuse what is damaged."""

import json
import pickle
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from train.data.build import build
from train.data.ptbxl import PtbXl
from train.data.shard_index import PLACE, Index, line_of
from train.data.shards import MANIFEST, ShardError, Shards
from train.data.simulation import Simulation
from train.simulate import VOCABULARY, Place, simulate


@pytest.fixture
def make(tmp_path: Path, listed):
    """`make(ecg, ...)`: the shards of these recordings, two a shard."""

    def make_them(*ecgs, **choices) -> Shards:
        choices = {"shard_records": 2, "workers": 1, **choices}
        return build(listed(ecgs), tmp_path / "shards", **choices)

    return make_them


def test_a_recording_in_whole_microvolts_comes_back_exactly(make, waves) -> None:
    ecgs = [waves(seed=seed) for seed in range(5)]
    shards = make(*ecgs)
    assert len(shards) == 5
    for number, ecg in enumerate(ecgs):
        np.testing.assert_allclose(shards.ecg(number).signal_mv, ecg.signal_mv, atol=1e-6)
        assert shards.ecg(number).leads == LEADS
    assert list(shards.keys) == [f"key {n}" for n in range(5)]
    assert shards.facts[0] == {"age": 61, "sex": "female"}


def test_real_recordings_are_prepared_alike_from_shards_and_from_files(
    shared_ecg: Path, tmp_path: Path
) -> None:
    folder, spec = shared_ecg / "ptb-xl", SignalSpec()
    shards = build(PtbXl(folder), tmp_path, limit=12, workers=1)
    headers = {path.stem: path for path in folder.rglob("*_hr.hea")}
    for number, key in enumerate(shards.keys):
        original = prepare(read_recording([headers[f"{int(key):05d}_hr"]]), spec)
        stored = prepare(shards.ecg(number), spec)
        np.testing.assert_allclose(stored.signal, original.signal, atol=2e-3)
        np.testing.assert_array_equal(stored.seen, original.seen)


def test_leads_are_stored_by_name_whatever_their_order(make, waves) -> None:
    ecg = waves()
    turned = replace(ecg, signal_mv=ecg.signal_mv[::-1].copy(), leads=ecg.leads[::-1])
    np.testing.assert_allclose(make(turned).ecg(0).signal_mv, ecg.signal_mv, atol=1e-6)


def test_short_gaps_are_bridged_and_noted_and_long_ones_stay_missing(make, waves) -> None:
    ecg = waves()
    broken = ecg.signal_mv.copy()
    broken[3, 1000:1040], broken[7, 2000:2600] = np.nan, np.nan
    shards = make(replace(ecg, signal_mv=broken))
    back = shards.ecg(0)
    assert np.isfinite(back.signal_mv[3]).all()
    np.testing.assert_allclose(back.signal_mv[3], ecg.signal_mv[3], atol=0.05)
    assert np.isnan(back.signal_mv[7, 2000:2600]).all()
    assert np.isfinite(back.signal_mv[7, :2000]).all()
    assert back.notes == ("Interpolated 40 missing samples in short gaps.",)
    assert shards.manifest["counted"]["records with short gaps, interpolated"] == 1
    assert shards.manifest["counted"]["records with long gaps, kept as missing"] == 1


def test_a_gap_in_one_lead_leaves_the_others_as_they_were(make, waves) -> None:
    ecg = waves()
    broken = ecg.signal_mv.copy()
    broken[0, 100:150] = np.nan
    back = make(replace(ecg, signal_mv=broken)).ecg(0)
    np.testing.assert_allclose(back.signal_mv[1:], ecg.signal_mv[1:], atol=1e-6)


def test_leads_that_were_not_recorded_are_left_out_and_named(make, waves) -> None:
    ecg = waves(leads=tuple(lead for lead in LEADS if lead not in ("V3", "aVF")))
    silent = ecg.signal_mv.copy()
    silent[ecg.leads.index("V6")] = np.nan
    shards = make(replace(ecg, signal_mv=silent))
    assert shards.line(0)["missing"] == ["aVF", "V3", "V6"]
    assert not set(shards.ecg(0).leads) & {"aVF", "V3", "V6"}
    assert shards.ecg(0).notes == ("Not recorded: aVF, V3 and V6.",)


def test_what_exceeds_the_range_is_clipped_and_counted(make, waves) -> None:
    ecg = waves()
    spiked = ecg.signal_mv.copy()
    spiked[2, 50:60] = 40.0
    shards = make(replace(ecg, signal_mv=spiked))
    assert shards.line(0)["clipped"] == 10
    assert shards.manifest["counted"]["records with clipped samples"] == 1
    assert shards.ecg(0).signal_mv.max() == pytest.approx(32.767)


def test_a_coarser_scale_holds_what_a_fine_one_clips(make, waves) -> None:
    ecg = waves()
    spiked = ecg.signal_mv.copy()
    spiked[2, 50:60] = 40.0
    shards = make(replace(ecg, signal_mv=spiked), microvolts_per_step=2.0)
    assert shards.line(0)["clipped"] == 0
    np.testing.assert_allclose(shards.ecg(0).signal_mv, spiked, atol=1.01e-3)


def test_another_rate_is_resampled_and_a_short_recording_ends_in_missing_samples(
    make, waves
) -> None:
    fine, coarse = waves(seconds=7), waves(rate=400, seconds=7)
    back = make(coarse).ecg(0).signal_mv
    np.testing.assert_allclose(back[:, 50:3450], fine.signal_mv[:, 50:3450], atol=0.01)
    assert np.isnan(back[:, 3500:]).all()


def test_a_long_recording_is_cut_to_its_first_ten_seconds(make, waves) -> None:
    shards = make(waves(seconds=31))
    np.testing.assert_allclose(shards.ecg(0).signal_mv, waves(seconds=10).signal_mv, atol=1e-6)
    assert shards.manifest["counted"]["records longer than 10 s, cut"] == 1


def test_what_training_could_not_use_is_left_out_with_its_reason(make, waves) -> None:
    shards = make(waves(), waves(leads=LEADS[:2]), waves(seconds=0.5), waves())
    assert list(shards.keys) == ["key 0", "key 3"]
    assert shards.manifest["counted"]["unusable recordings"] == 2
    assert [why["key"] for why in shards.manifest["unusable"]] == ["key 1", "key 2"]
    assert "2 leads" in shards.manifest["unusable"][0]["why"]


def test_a_shard_may_be_empty(make, waves) -> None:
    bad = waves(seconds=0.5)
    shards = make(waves(seed=1), waves(seed=2), bad, bad, waves(seed=3))
    np.testing.assert_allclose(shards.ecg(2).signal_mv, waves(seed=3).signal_mv, atol=1e-6)


def test_a_source_without_any_usable_recording_is_refused(make, waves) -> None:
    with pytest.raises(ShardError, match=r"no usable recording.*unusable recordings: 1"):
        make(waves(seconds=0.5))


def test_shards_travel_to_other_processes_as_a_folder(make, waves) -> None:
    shards = make(*[waves()] * 9)
    shards.ecg(0)
    sent = pickle.dumps(shards)
    again = pickle.loads(sent)  # noqa: S301
    assert len(sent) < len(str(shards.folder)) + 200
    np.testing.assert_array_equal(again.ecg(0).signal_mv, shards.ecg(0).signal_mv)


def test_simulated_records_keep_their_tags_and_places(tmp_path: Path) -> None:
    shards = build(Simulation(5, seed=2), tmp_path, shard_records=2, workers=1)
    for i, places in enumerate(shards.places):
        drawn = simulate(2_000_000 + i)
        assert shards.tags[i] == drawn.tags
        assert places == [plain(place) for place in drawn.places]
        rows = shards.place_rows(i)
        assert rows is not None and rows.dtype == PLACE
        assert [shards.vocabulary[tag] for tag in rows["tag"]] == [p.tag for p in drawn.places]
    assert len(shards.places) == 5


def plain(place: Place) -> dict[str, Any]:
    """A place as shards tell it, its leads in their order."""
    return {**asdict(place), "leads": [lead for lead in LEADS if lead in place.leads]}


def test_real_records_have_no_places(make, waves) -> None:
    assert list(make(waves()).places) == [None]


def test_what_the_index_says_is_what_the_lines_say(archive_shards: Shards) -> None:
    lines = [archive_shards.line(i) for i in range(len(archive_shards))]
    for name in ("key", "subject", "split", "report"):
        column = getattr(archive_shards, f"{name}s")
        assert list(column) == [line[name] for line in lines]
    assert list(archive_shards.tags) == [tuple(line["tags"]) for line in lines]
    assert list(archive_shards.hedged) == [tuple(line["hedged"]) for line in lines]
    assert any(archive_shards.hedged)
    assert list(archive_shards.facts) == [line["facts"] for line in lines]
    assert archive_shards.keys[-1] == lines[-1]["key"]
    assert archive_shards.keys[2:4] == [line["key"] for line in lines[2:4]]
    with pytest.raises(IndexError):
        archive_shards.keys[len(lines)]


def test_tags_are_numbers_of_one_vocabulary(archive_shards: Shards) -> None:
    words = archive_shards.vocabulary
    assert len(set(words)) == len(words)
    for i, tags in enumerate(archive_shards.tags):
        assert tuple(words[tag] for tag in archive_shards.tag_ids(i)) == tags
        suspected = tuple(words[tag] for tag in archive_shards.hedged_ids(i))
        assert suspected == archive_shards.hedged[i]


def test_names_of_any_script_and_nothing_known_come_back() -> None:
    lines = [
        line_of("Zürich ♥ 1", split="test", tags=("sinus rhythm", "Vorhofflimmern")),
        {**line_of("2", split="train", tags=()), "facts": {"age": 0, "sex": "male"}},
    ]
    index = Index.of(enumerate(lines))
    assert (index.key(0), index.subject(0), index.key(1)) == ("Zürich ♥ 1", "Zürich ♥ 1", "2")
    assert (index.facts(0), index.facts(1)) == (
        {"age": None, "sex": None},
        {"age": 0, "sex": "male"},
    )
    assert len(index.tags[index.tag_range(1)]) == 0


def test_shards_say_of_what_their_source_would_speak(make, waves, tmp_path: Path) -> None:
    free = make(waves())
    assert (free.spoken, free.classes_stated) == (None, True)
    drawn = build(Simulation(1), tmp_path / "drawn", workers=1)
    assert (drawn.spoken, drawn.classes_stated) == (VOCABULARY, False)


def test_two_processes_write_what_one_writes(tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        build(Simulation(10), tmp_path / name, shard_records=4, workers=workers)
    one, two = (sorted((tmp_path / name).iterdir()) for name in ("one", "two"))
    assert [path.name for path in one] == [path.name for path in two]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(one, two, strict=True))


def test_a_subject_in_two_splits_is_refused(listed, waves, tmp_path: Path) -> None:
    source = listed((waves(), waves()), splits=("train", "test"), subject="one")
    with pytest.raises(ShardError, match="in the splits 'train' and 'test'"):
        build(source, tmp_path, workers=1)


@pytest.mark.parametrize("name", ["shard-00000.npy", "shard-00001.jsonl", "index-records.npy"])
def test_a_truncated_shard_is_refused(make, waves, name: str) -> None:
    shards = make(waves(), waves(), waves())
    path = shards.folder / name
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ShardError, match=rf"bytes for {name}.*cut off"):
        Shards.open(shards.folder)
    path.unlink()
    with pytest.raises(ShardError, match=f"no such file for {name}"):
        Shards.open(shards.folder)


def test_a_changed_byte_is_found_by_its_checksum(make, waves) -> None:
    shards = make(waves())
    path = shards.folder / "shard-00000.npy"
    content = bytearray(path.read_bytes())
    content[5000] ^= 1
    path.write_bytes(bytes(content))
    Shards.open(shards.folder)
    with pytest.raises(ShardError, match=r"other bytes in shard-00000\.npy"):
        Shards.open(shards.folder, checksums=True)


def test_an_unfinished_folder_is_refused(make, waves) -> None:
    shards = make(waves())
    (shards.folder / MANIFEST).unlink()
    with pytest.raises(ShardError, match=r"found no manifest\.json"):
        Shards.open(shards.folder)


@pytest.mark.parametrize("version", [1, 99])
def test_shards_of_another_version_are_refused(make, waves, version: int) -> None:
    shards = make(waves())
    path = shards.folder / MANIFEST
    path.write_text(json.dumps({**shards.manifest, "version": version}))
    with pytest.raises(ShardError, match=f"version {version}"):
        Shards.open(shards.folder)


def test_a_finished_folder_is_not_made_again(make, waves) -> None:
    first = make(waves())
    before = (first.folder / "shard-00000.npy").stat().st_mtime_ns
    again = make(waves())
    assert (again.folder / "shard-00000.npy").stat().st_mtime_ns == before


def test_other_choices_do_not_go_into_the_same_folder(listed, waves, tmp_path: Path) -> None:
    build(listed((waves(),), choice="one"), tmp_path, workers=1)
    with pytest.raises(ShardError, match=r"other choices \(choices\)"):
        build(listed((waves(),), choice="two"), tmp_path, workers=1)


def test_shards_of_unknown_origin_are_not_overwritten(listed, waves, tmp_path: Path) -> None:
    (tmp_path / "shard-00000.npy").write_bytes(b"precious")
    with pytest.raises(ShardError, match="nothing that says what made them"):
        build(listed((waves(),)), tmp_path, workers=1)
    assert (tmp_path / "shard-00000.npy").read_bytes() == b"precious"


@pytest.mark.parametrize("choices", [{"shard_records": 0}, {"microvolts_per_step": 0.0}])
def test_senseless_choices_are_refused(make, waves, choices) -> None:
    with pytest.raises(ConfigError, match="records a shard at"):
        make(waves(), **choices)


def test_the_manifest_accounts_for_every_study(archive_shards: Shards) -> None:
    counted = archive_shards.manifest["counted"]
    lost = sum(
        count
        for what, count in counted.items()
        if what.startswith("reports left out") or what == "studies without waveform"
    )
    assert counted["records stored"] + lost == counted["studies listed"] == 48
    assert counted["records stored"] == len(archive_shards)
