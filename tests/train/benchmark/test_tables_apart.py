"""Tables keep apart what was measured on other models of the same name, and under other options."""

from dataclasses import replace

import pytest

from train.benchmark.apart import named_apart
from train.benchmark.enrichment import REFERENCE
from train.benchmark.publication import published
from train.benchmark.render import tables_of
from train.benchmark.results import Result


def zeroshot(dataset: str, value: float, checkpoint: str = "a", folds: tuple[int, ...] = ()):
    one = {"value": value, "low": value, "high": value}
    figures = {
        **{"mode": "routed", "read_by": "prompt", "source": "", "split": "folds", "seen": 0},
        **{"recordings": 5, "unreadable": 0, "thresholds": "halves", "classes": []},
        **dict.fromkeys(("macro_auc", "macro_auprc", "macro_f1"), one),
        "calibration": {"brier": 0.1},
    }
    config = {"folds": folds}
    return Result("zeroshot", dataset, "tiny", checkpoint, "", config, "", 0, figures)


def averages(results: list[Result]) -> dict[str, str]:
    """The average of every measured row."""
    rows = tables_of(results)[0].rows
    return {row[0]: row[-1] for row in rows if "published" not in row[0]}


def test_checkpoints_of_one_name_have_rows_and_averages_of_their_own():
    sets = ("ptbxl-super", "csn")
    first = [zeroshot(name, 0.8) for name in sets]
    second = [zeroshot(name, 0.6, "b") for name in sets]
    assert averages([*first, *second]) == {
        "tiny, routed, by prompt": "80.0 (2 sets)",
        "tiny (2), routed, by prompt": "60.0 (2 sets)",
    }


def test_a_set_under_other_options_is_in_no_average_twice():
    both = [zeroshot("ptbxl-super", 0.8), zeroshot("ptbxl-super", 0.6, folds=(7,))]
    assert averages([*both, zeroshot("csn", 0.7)]) == {
        "tiny, routed, by prompt": "75.0 (2 sets)",
        "tiny, routed, by prompt, other options": "60.0 (1 sets)",
    }


@pytest.mark.parametrize("name, other", [("x", "x (2)"), ("x, seed 7", "x (2), seed 7")])
def test_seeds_of_another_training_are_pooled_with_their_own(name, other):
    results = [replace(zeroshot("csn", 0.8, checkpoint), name=name) for checkpoint in "aba"]
    assert [one.name for one in named_apart(results)] == [name, other, name]


def test_published_rows_are_marked_and_stand_in_the_columns_of_whole_sets_and_labels_alone():
    whole, sample = zeroshot("csn", 0.8), zeroshot("cpsc2018", 0.8)
    whole.figures.update(split="test", recordings=published()["test-recordings"]["csn"])
    (mended,) = (one for one in tables_of([whole, sample]) if one.name == "zeroshot")
    assert not [row for row in mended.rows if "published" in row[0]]
    whole = replace(whole, config={**whole.config, "labels": "published"})
    table = tables_of([whole, sample])[0]
    assert table.columns == ("", "cpsc2018", "csn", "average")
    assert ("FOCAL (published)", "-", "79.2", "-") in table.rows


@pytest.mark.parametrize(
    ("reference", "features", "records", "beside"),
    [
        ("labels", REFERENCE, 200, True),
        ("labels", REFERENCE[:4], 200, False),
        ("labels", (*REFERENCE, "delta wave"), 200, False),
        ("labels", REFERENCE, 199, False),
        ("shards", REFERENCE, 200, False),
    ],
)
def test_published_features_stand_beside_those_of_their_protocol_alone(
    reference, features, records, beside
):
    one = {"value": 0.7, "low": 0.6, "high": 0.8}
    row = {"positives": 9, "few": False, "unverified": one, "verified": one}
    judged = [{"feature": feature, **row} for feature in features]
    figures = {"reference": reference, "records": records, "features": judged}
    table = tables_of([Result("enrichment-auc", "", "tiny", "a", "", {}, "", 0, figures)])[0]
    assert table.rows[0][:2] == ("tiny: ST elevation", "70.0 (60.0 to 80.0)")
    assert any("published" in row[0] for row in table.rows) == beside
