"""The archive in MIMIC's shape: its traps are there, and its reports are silent where told."""

import csv
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from full_disk import full_disk

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.__main__ import main
from train.data.mimic import MEASUREMENTS, RECORDS
from train.data.mimic_fixture import (
    LEADS_OF_MIMIC,
    LEFT_OUT,
    WORDING,
    Fixture,
    is_one_of,
    read_truth,
    report_of,
    write_fixture,
)
from train.data.report_tags import tag_report
from train.data.shards import Shards
from train.simulate import simulate

COLUMNS = [
    *("subject_id", "study_id", "cart_id", "ecg_time"),
    *(f"report_{i}" for i in range(18)),
    *("bandwidth", "filtering", "rr_interval"),
    *("p_onset", "p_end", "qrs_onset", "qrs_end", "t_end"),
    *("p_axis", "qrs_axis", "t_axis"),
]


@pytest.fixture(scope="module")
def reports(archive: Path) -> list[tuple[set[str], list[str]]]:
    """Tags drawn by the simulator, and five times what a machine might say of them."""
    drawn = [set(line["tags"]) for line in read_truth(archive).values()] * 5
    return [(tags, report_of(tags, np.random.default_rng(n))) for n, tags in enumerate(drawn)]


def test_the_same_fixture_gives_the_same_files_and_processes_do_not_matter(tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        write_fixture(tmp_path / name, Fixture(6), workers=workers)
    files = [sorted(p for p in (tmp_path / n).rglob("*") if p.is_file()) for n in ("one", "two")]
    assert [a.relative_to(tmp_path / "one") for a in files[0]] == [
        b.relative_to(tmp_path / "two") for b in files[1]
    ]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(*files, strict=True))


def test_the_tables_have_the_columns_of_the_archive(archive: Path) -> None:
    with (archive / RECORDS).open() as file:
        assert next(csv.reader(file)) == ["subject_id", "study_id", "file_name", "ecg_time", "path"]
    with (archive / MEASUREMENTS).open() as file:
        assert next(csv.reader(file)) == COLUMNS


def test_headers_name_the_leads_in_the_archives_order(archive: Path) -> None:
    header = next((archive / "files").rglob("*.hea")).read_text().splitlines()
    assert tuple(line.split()[-1] for line in header[1:13]) == LEADS_OF_MIMIC
    assert LEADS_OF_MIMIC.index("aVF") < LEADS_OF_MIMIC.index("aVL")


def test_the_traps_are_there(archive: Path) -> None:
    truth = read_truth(archive)
    assert len(truth) == 48
    assert max(Counter(line["subject_id"] for line in truth.values()).values()) > 1
    assert any(line["gap"] for line in truth.values())
    assert len(list((archive / "files").rglob("*.dat"))) == 47
    with (archive / MEASUREMENTS).open() as file:
        assert sum(not row["report_0"] for row in csv.DictReader(file)) == 1


def test_the_style_is_a_machines(reports) -> None:
    statements = [statement for _, report in reports for statement in report]
    for mark in (", ", " with ", "***", "---", "Possible ", "Abnormal ECG", " - "):
        assert any(mark in statement for statement in statements), mark


def test_reports_keep_is_one_of_what_is_left_out(reports) -> None:
    silent = 0
    for tags, report in reports:
        said = tag_report(report, Counter()).tags
        assert not any(tag in load_lexicon() and is_one_of(tag, LEFT_OUT) for tag in said)
        silent += any(is_one_of(tag, LEFT_OUT) for tag in tags)
    assert silent > 15


def test_what_is_not_left_out_is_said() -> None:
    tags = {"sinus rhythm", "inverted T waves", "ST depression"}
    said = tag_report(report_of(tags, np.random.default_rng(0), left_out=()), Counter()).tags
    assert tags <= set(said)


def test_reports_say_nothing_untrue(reports) -> None:
    """A tag in the lexicon's wording is drawn, implied by it, or a doubted cause of it."""
    lexicon = load_lexicon()
    for tags, report in reports:
        implied = tags.union(*(lexicon.ancestors(tag) for tag in tags))
        found = tag_report(report, Counter())
        certain = set(found.tags) - set(found.hedged)
        untrue = {tag for tag in certain if tag in lexicon} - implied - _LOOSER
        assert not untrue, (untrue, report)


_LOOSER = {
    "left bundle branch block",
    "right bundle branch block",
    "secondary repolarization abnormality",
}
"""What a machine says of a complete block or of strain without the lexicon's exact term."""


@pytest.mark.parametrize("part", ["rhythms", "tails", "findings"])
def test_every_wording_is_read_as_its_finding_or_one_it_implies(part: str) -> None:
    lexicon = load_lexicon()
    for tag, wordings in yaml.safe_load(WORDING.read_text())[part].items():
        for wording in wordings:
            known = [found for found in tag_report([wording], Counter()).tags if found in lexicon]
            near = {tag, *lexicon.ancestors(tag), *lexicon.descendants(tag)}
            cause = " may be due to " in wording or "abnrm" in wording
            assert set(known) & near or cause, (tag, wording, known)


def test_left_out_findings_are_in_the_truth_and_never_in_the_tags(
    archive: Path, archive_shards: Shards
) -> None:
    truth = read_truth(archive)
    hidden = 0
    for key, tags in zip(archive_shards.keys, archive_shards.tags, strict=True):
        assert not set(tags) & set(truth[key]["left_out"])
        assert set(truth[key]["left_out"]) <= set(truth[key]["tags"])
        hidden += bool(truth[key]["left_out"])
    assert hidden > 5


def test_states_can_be_asked_for(tmp_path: Path) -> None:
    write_fixture(tmp_path, Fixture(4, states=("complete left bundle branch block",)))
    for line in read_truth(tmp_path).values():
        assert "complete left bundle branch block" in line["tags"]


def test_fewer_studies_than_traps_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least 4 are needed"):
        Fixture(3)


def test_features_are_said_in_the_share_of_reports_that_is_asked_for() -> None:
    shares = {"inverted T waves": 1.0, "narrow QRS complex": 0.3, "regular RR intervals": 0.0}
    fixture, said, shown = Fixture(400, 3, ("short QT interval",), (), shares), Counter(), Counter()
    for number in range(400):
        tags = set(simulate(number).tags)
        own = fixture.of_study(number)
        rng = np.random.default_rng(number)
        report = report_of(tags, rng, left_out=own.left_out, features=tuple(shares))
        named = set(tag_report(report, Counter()).tags)
        for feature in shares:
            shown[feature] += feature in with_ancestors(tags)
            said[feature] += feature in with_ancestors(named)
    assert said["inverted T waves"] == shown["inverted T waves"] > 30
    assert 0.2 < said["narrow QRS complex"] / shown["narrow QRS complex"] < 0.4
    assert said["regular RR intervals"] == 0 < shown["regular RR intervals"]


def with_ancestors(tags: set[str]) -> set[str]:
    """Tags and all that they imply."""
    return tags.union(*(load_lexicon().ancestors(tag) for tag in tags if tag in load_lexicon()))


def test_a_share_of_what_is_no_statement_is_refused() -> None:
    with pytest.raises(ConfigError, match="golden spike"):
        Fixture(4, features={"golden spike": 0.5})


def test_a_truth_that_was_cut_is_refused_even_between_two_lines(archive, tmp_path):
    for name in ("record_list.csv", "truth.jsonl"):
        shutil.copy(archive / name, tmp_path / name)
    path = tmp_path / "truth.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    for left in ("".join(lines[:-1]), "".join(lines)[:-9]):
        path.write_text(left)
        with pytest.raises(ConfigError, match=r"found no truth\.jsonl"):
            read_truth(tmp_path)


def test_a_full_disk_is_a_clear_error(tmp_path, capsys):
    """Where no file may grow beyond what half a recording takes."""
    with full_disk(50_000):
        assert main(["data", "mimic-fixture", "--out", str(tmp_path), "--count", "4"]) == 2
    assert "found no room on the disk" in capsys.readouterr().err
