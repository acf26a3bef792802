"""MIMIC-IV-ECG from its raw layout: joined by study, split by subject, leads by name."""

import csv
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.recording import LEADS
from focal_app.errors import ConfigError
from train.data.build import build
from train.data.catalogue import open_source
from train.data.mimic import MEASUREMENTS, RECORDS, MimicIvEcg, useful
from train.data.mimic_fixture import read_truth
from train.data.report_tags import ReportTags
from train.data.shards import Shards
from train.data.source import Shares
from train.simulate import simulate

SEED = 3
Row = dict[str, str]


def rewritten(
    archive: Path, folder: Path, table: str, change: Callable[[list[Row]], list[Row]]
) -> MimicIvEcg:
    """A copy of the archive's tables, one of them changed; its waveforms stay where they are."""
    for name in (RECORDS, MEASUREMENTS):
        shutil.copy(archive / name, folder / name)
    (folder / "files").symlink_to(archive / "files")
    with (folder / table).open(newline="") as file:
        lines = change(list(csv.DictReader(file)))
    with (folder / table).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return MimicIvEcg(folder)


def listed(source: MimicIvEcg) -> tuple[list, Counter[str]]:
    counted: Counter[str] = Counter()
    return list(source.studies(counted)), counted


def said(source: MimicIvEcg) -> dict[str, tuple[str, ...]]:
    """The tags of every study, without reading a waveform."""
    return {study.key: study.read.keywords["tags"] for study in listed(source)[0]}


def test_another_way_to_make_tags_than_there_is_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="tagging: found 'words'; needed one of curated, commas"):
        open_source("mimic-iv-ecg", tmp_path, Shares(), tagging="words")


def test_no_subject_stands_in_two_splits(archive_shards: Shards) -> None:
    splits = defaultdict(set)
    for subject, split in zip(archive_shards.subjects, archive_shards.splits, strict=True):
        splits[subject].add(split)
    assert all(len(found) == 1 for found in splits.values())
    assert set(archive_shards.splits) == {"train", "validation", "test"}
    assert len(splits) < len(archive_shards)


def test_every_lead_carries_what_the_simulator_drew_for_it(archive_shards: Shards) -> None:
    """The archive stores aVF before aVL; reading by position would swap them."""
    for i in range(4, len(archive_shards), 9):
        number = (int(archive_shards.keys[i]) - 40_000_000 - SEED) // 37
        drawn, stored = simulate(SEED * 1_000_000 + number).ecg, archive_shards.ecg(i)
        assert stored.leads == LEADS
        whole = np.isfinite(stored.signal_mv)
        np.testing.assert_allclose(stored.signal_mv[whole], drawn.signal_mv[whole], atol=0.0026)
        swapped = drawn.signal_mv[[0, 1, 2, 3, 5, 4, *range(6, 12)]]
        assert np.abs(stored.signal_mv[4] - swapped[4]).max() > 0.05


def test_reports_speak_of_what_was_drawn(archive: Path, archive_shards: Shards) -> None:
    """Joined on study_id: a rhythm that a report names is the rhythm of its own ECG."""
    truth = read_truth(archive)
    rhythms = {"sinus rhythm", "sinus bradycardia", "sinus tachycardia", "normal ECG"}
    for key, tags in zip(archive_shards.keys, archive_shards.tags, strict=True):
        assert set(tags) & rhythms <= set(truth[key]["tags"])


def test_the_order_of_the_tables_does_not_matter(archive: Path, tmp_path: Path) -> None:
    def shuffle(lines: list[Row]) -> list[Row]:
        random.Random(1).shuffle(lines)
        return lines

    assert said(rewritten(archive, tmp_path, MEASUREMENTS, shuffle)) == said(MimicIvEcg(archive))


def test_missing_samples_are_repaired_in_their_own_lead(
    archive: Path, archive_shards: Shards
) -> None:
    broken = {key for key, line in read_truth(archive).items() if line["gap"]}
    lines = [archive_shards.line(i) for i in range(len(archive_shards))]
    repaired = {line["key"] for line in lines if line["repaired"]}
    assert repaired
    assert repaired <= broken
    for i, line in enumerate(lines):
        if line["repaired"]:
            gaps = np.isnan(archive_shards.ecg(i).signal_mv).sum(axis=1)
            assert (gaps > 0).sum() <= 1


def test_a_study_without_waveform_and_an_empty_report_are_counted(archive_shards: Shards) -> None:
    counted = archive_shards.manifest["counted"]
    assert counted["studies without waveform"] == 1
    assert counted["reports left out: empty"] == 1
    assert "40000111" not in archive_shards.keys


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ([], "empty"),
        (["  ", "***"], "empty"),
        (["Sinus rhythm"], "fewer than three words"),
        (["Baseline artifact", "Abnormal ECG"], "nothing of use"),
    ],
)
def test_reports_of_no_use_are_left_out_and_counted(statements: list[str], why: str) -> None:
    counted: Counter[str] = Counter()
    assert useful(statements, counted) is None
    assert counted[f"reports left out: {why}"] == 1


@pytest.mark.parametrize(
    ("table", "column"),
    [(RECORDS, "path"), (RECORDS, "subject_id"), (MEASUREMENTS, "report_0")],
)
def test_a_missing_column_is_named(archive: Path, tmp_path: Path, table: str, column: str) -> None:
    def drop(lines: list[Row]) -> list[Row]:
        return [{k: v for k, v in line.items() if k != column} for line in lines]

    with pytest.raises(ConfigError, match=f"no column {column} in {table}"):
        listed(rewritten(archive, tmp_path, table, drop))


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"found no record_list\.csv"):
        listed(MimicIvEcg(tmp_path))


def test_a_table_that_is_cut_off_is_refused(archive: Path, tmp_path: Path) -> None:
    source = rewritten(archive, tmp_path, RECORDS, lambda lines: lines)
    path = tmp_path / RECORDS
    path.write_text(path.read_text().rstrip().rsplit(",", 1)[0])
    with pytest.raises(ConfigError, match=r"line 49 of record_list\.csv cut off before path"):
        listed(source)


def test_studies_that_the_tables_disagree_on_are_counted(archive: Path, tmp_path: Path) -> None:
    def disturb(lines: list[Row]) -> list[Row]:
        lines[5]["subject_id"] = "1"
        return [*lines[:10], lines[9], {**lines[12], "study_id": "7"}, *lines[13:]]

    source = rewritten(archive, tmp_path, MEASUREMENTS, disturb)
    counted = listed(source)[1]
    assert counted["studies whose subject differs between the tables"] == 1
    assert counted["reports without a listed study, or a second time"] == 2
    assert counted["studies without a report"] == 3


def test_the_split_of_a_subject_depends_on_nothing_else() -> None:
    shares = Shares(0.5, 0.25, 0.25)
    split = [shares.split_of("mimic-iv-ecg", str(n)) for n in range(4000)]
    assert split == [shares.split_of("mimic-iv-ecg", str(n)) for n in range(4000)]
    for name, share in (("train", 0.5), ("validation", 0.25), ("test", 0.25)):
        assert split.count(name) / 4000 == pytest.approx(share, abs=0.03)
    more = Shares(0.6, 0.2, 0.2)
    kept = [n for n, s in enumerate(split) if s == "train"]
    assert all(more.split_of("mimic-iv-ecg", str(n)) == "train" for n in kept)


@pytest.mark.parametrize("parts", [(0.5, 0.5, 0.5), (1.5, -0.25, -0.25)])
def test_shares_must_be_parts_of_a_whole(parts: tuple[float, float, float]) -> None:
    with pytest.raises(ConfigError, match="sum to 1"):
        Shares(*parts)


def test_a_limit_stops_early(archive: Path, tmp_path: Path) -> None:
    shards = build(MimicIvEcg(archive), tmp_path, limit=5, workers=1)
    assert len(shards) == 4


def test_commas_cut_a_report_as_published_and_nothing_else_does(archive: Path) -> None:
    """Statements joined, cut at every comma: "infarct, old" falls apart, hedges stay."""
    statements = ["Sinus rhythm", "Possible anterior infarct, old."]
    assert useful(statements, Counter(), tagging="commas") == ReportTags(
        ("sinus rhythm. possible anterior infarct", "old"), ()
    )
    assert useful(["Sinus rhythm"], Counter(), tagging="commas") is None
    cut, curated = said(MimicIvEcg(archive, tagging="commas")), said(MimicIvEcg(archive))
    assert not any("," in tag for tags in cut.values() for tag in tags)
    assert any(". " in tag for tags in cut.values() for tag in tags)
    assert not any(". " in tag for tags in curated.values() for tag in tags)


def test_shards_say_how_their_tags_were_made(archive_shards: Shards, archive: Path, tmp_path):
    cut = build(MimicIvEcg(archive, tagging="commas"), tmp_path / "cut", limit=8, workers=1)
    assert (cut.tagging, archive_shards.tagging) == ("commas", "curated")
