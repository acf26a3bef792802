"""Generated features against reference labels: verification that is right helps, and shows."""

import json

import numpy as np
import pytest

from focal_app.errors import ConfigError
from train.benchmark.enrichment import REFERENCE, enrichment_auc
from train.benchmark.metrics import Interval
from train.data import verified_files as verified
from train.data.mimic_fixture import RECORDS, TRUTH

FEATURES = ("long QT interval", "inverted T waves", "ST elevation")


@pytest.fixture
def written(tmp_path):
    """40 records: one feature is true of each, two are generated, verification keeps the true."""
    out, lines, labels = tmp_path / "verified", [], ["key," + ",".join(FEATURES)]
    verified.start(out, {"made": "here"})
    rng = np.random.default_rng(0)
    for number in range(40):
        true = FEATURES[number % 3]
        false = str(rng.choice([f for f in FEATURES if f != true]))
        lines.append(
            {
                "key": f"r{number}",
                "tags": ["sinus rhythm"],
                "accepted": [{"feature": true, "probability": 0.97}],
                "rejected": [{"feature": false, "probability": 0.4, "reason": "score"}],
            }
        )
        held = ",".join("1" if f == true else "0" for f in FEATURES)
        labels.append(f"r{number},{held}")
    verified.write_part(out / verified.part_name(0), lines)
    verified.finish(out, 1, {"records": 40})
    truth = tmp_path / "truth.csv"
    truth.write_text("\n".join(labels) + "\n")
    return out, truth


def test_right_verification_gives_1_and_shows_against_what_was_generated(written, model):
    found = enrichment_auc(model, *written)
    assert [one.feature for one in found.features] == [f for f in REFERENCE if f in FEATURES]
    assert found.reference == "labels"
    assert all(one.verified == Interval(1, 1, 1) for one in found.features)
    for one in found.features:
        assert one.unverified.low < one.unverified.value < 0.95 < one.verified.low
    by_threshold = {one.threshold: one for one in found.thresholds}
    assert (by_threshold[0.0].kept, by_threshold[0.5].kept, by_threshold[0.99].kept) == (1, 0.5, 0)
    assert by_threshold[0.5].mean_auc == 1 and by_threshold[0.99].mean_auc == 0.5


def test_labels_for_other_records_are_refused_and_missing_ones_counted(written, model, tmp_path):
    out, truth = written
    lines = truth.read_text().splitlines()
    part = tmp_path / "part.csv"
    part.write_text("\n".join(lines[:31]) + "\n")
    assert enrichment_auc(model, out, part).without_reference == 10
    part.write_text(lines[0] + "\nother,1,0,0\n")
    with pytest.raises(ConfigError, match="no record of"):
        enrichment_auc(model, out, part)
    part.write_text("name,x\n1,1\n")
    with pytest.raises(ConfigError, match="column `key`"):
        enrichment_auc(model, out, part)


def test_a_blank_label_is_not_judged(written, model, tmp_path):
    out, truth = written
    blank = tmp_path / "blank.csv"
    lines = truth.read_text().splitlines()
    first = [line if at % 2 else line.replace(",0", ",") for at, line in enumerate(lines[1:])]
    blank.write_text("\n".join([lines[0], *first]) + "\n")
    found = enrichment_auc(model, out, blank)
    assert sum(one.positives for one in found.features) == 40, "none that is there is lost"
    unlabelled = tmp_path / "none.csv"
    unlabelled.write_text("\n".join([lines[0], *(f"r{n},,," for n in range(40))]) + "\n")
    with pytest.raises(ConfigError, match="no reference feature that holds"):
        enrichment_auc(model, out, unlabelled)


@pytest.mark.parametrize("cell", ["yes", "nan", "inf", "-3", "1,2,3,4"])
def test_a_label_that_is_no_number_of_readers_is_refused(written, model, tmp_path, cell):
    out, _ = written
    labels = tmp_path / "odd.csv"
    labels.write_text(f"key,{','.join(FEATURES)}\nr0,1,0,{cell}\n")
    with pytest.raises(ConfigError, match="needed 1 where the record has the feature"):
        enrichment_auc(model, out, labels)


def test_labels_that_are_no_table_are_refused(written, model, tmp_path):
    out, _ = written
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"key,ST elevation\n\xff\xfe\x00,1\n")
    with pytest.raises(ConfigError, match="no csv file in UTF-8"):
        enrichment_auc(model, out, binary)


def test_a_record_that_is_labelled_twice_is_refused(written, model, tmp_path):
    out, truth = written
    twice = tmp_path / "twice.csv"
    twice.write_text(f"{truth.read_text()}r0,0,0,0\n")
    with pytest.raises(ConfigError, match="found 1 keys twice"):
        enrichment_auc(model, out, twice)


def test_what_was_drawn_is_judged_where_the_report_leaves_it_out(written, model, tmp_path):
    """Half of the reports state the feature that is true of them."""
    out, _ = written
    drawn = [
        {
            "study_id": f"r{number}",
            "tags": ["sinus rhythm", FEATURES[number % 3]],
            "left_out": [FEATURES[number % 3]] if number % 2 else [],
        }
        for number in range(40)
    ]
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / RECORDS).write_text("study_id\n" * 41)
    (archive / TRUTH).write_text("".join(json.dumps(line) + "\n" for line in drawn))
    found = enrichment_auc(model, out, archive)
    assert found.reference == "drawn"
    counts = {one.feature: one.positives for one in found.features if one.feature in FEATURES}
    assert sum(counts.values()) == 20
    assert all(one.verified.value == 1 for one in found.features if one.feature in FEATURES)
    for spoilt in ("not json", '{"tags": []}', '{"study_id": "r0", "tags": 5, "left_out": []}'):
        (archive / TRUTH).write_text(f"{spoilt}\n" * 40)
        with pytest.raises(ConfigError, match="whole and as it was written"):
            enrichment_auc(model, out, archive)


def test_an_unfinished_verification_is_refused(written, model):
    out, truth = written
    (out / verified.MANIFEST).unlink()
    with pytest.raises(ConfigError, match="no finished verification"):
        enrichment_auc(model, out, truth)
    assert json.loads((out / verified.STARTED).read_text()) == {"made": "here"}
