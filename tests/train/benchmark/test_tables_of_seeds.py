"""Tables of compared runs: a row for all seeds, an interval in every column, a table a question."""

import re
from dataclasses import replace

import pytest

from train.benchmark.publication import published
from train.benchmark.render import tables_of
from train.benchmark.results import Result
from train.benchmark.sets import SETS
from train.benchmark.tables import ablation, components

INTERVAL = re.compile(r"\d+\.\d \(\d+\.\d to \d+\.\d\)")


def compared(name: str, value: float, sets=("ptbxl-super", "csn"), judged=None) -> Result:
    one = {"value": value, "low": value - 0.05, "high": value + 0.05}
    figures = {
        "zeroshot": dict.fromkeys(sets, one),
        "transfer": {"csn to cpsc2018": one},
        "judged": judged or {},
        **{"width": 192, "patients": 160_000},
        "simulated": {"macro_auc": one, "patch_auc": value, "patch_auc_interval": one},
    }
    return Result("ablation", "", name, "", "", {"labels": "published"}, "", 0, figures)


def cells(table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(table.columns[1:], row[1:], strict=True)) for row in table.rows}


def test_seeds_are_one_row_with_an_interval_in_every_column():
    seeds = [compared(f"base, seed {7 + n}", 0.7 + 0.01 * n) for n in range(3)]
    table, transfer = ablation([*seeds, compared("global", 0.8)])
    found = cells(table)
    assert list(found) == ["base", "global"]
    for row in (*found.values(), cells(transfer)["base"], cells(transfer)["global"]):
        assert all(INTERVAL.fullmatch(cell) for cell in row.values())
    assert found["base"]["csn"] == "71.0 (65.4 to 76.6)"  # 4.30 * 1.0 / sqrt(3) beside 5.0
    assert found["global"]["csn"] == "80.0 (75.0 to 85.0)"
    assert "1 or 3 trainings" in table.note


@pytest.mark.parametrize("fewer", [{"width": 64}, {"patients": 2_000}, {"patients": None}])
def test_published_figures_stand_beside_no_smaller_training(fewer):
    one = compared("x", 0.7, SETS, published()["test-recordings"])
    other = replace(one, figures={**one.figures, **fewer})
    other_labels = replace(one, config={"labels": "corrected"})
    for results in ([one, other], [other_labels]):
        [table] = components(results)
        assert not [row for row in table.rows if "published" in row[0]]


def test_published_figures_stand_only_beside_whole_test_splits():
    every = published()["test-recordings"]
    whole, sample = (compared("x", 0.7, SETS, judged) for judged in (every, {**every, "csn": 17}))
    [all_six], [some], [few] = map(list, map(components, ([whole], [whole, sample], [sample])))
    assert cells(all_six)["Qwen3-8B (published)"]["average"] == "81.1"
    assert not [row for table in (some, few) for row in table.rows if "published" in row[0]]
    _, moved = ablation([compared("x", 0.7, judged={"cpsc2018": every["cpsc2018"]})])
    assert cells(moved)["coarse (published)"] == {"csn to cpsc2018": "81.83", "average": "-"}


@pytest.mark.parametrize("name", ["epsilon-0.05 coarse, seed 7", "tau-5", "threshold-0.9, seed 8"])
def test_trained_settings_have_a_table_of_their_own(name):
    made = {table.name: table for table in ablation([compared(name, 0.7), compared("base", 0.7)])}
    assert list(cells(made["ablation"])) == ["base"]
    assert len(cells(made["sensitivity-trained"])) == 1


def test_no_gain_is_told_of_runs_that_were_judged_on_other_recordings():
    pairs = [(n, compared(f"base coarse, seed {n}", 0.7)) for n in (7, 8, 9)]
    results = [one for _, one in pairs]
    results += [replace(one, name=f"tau-1 coarse, seed {n}") for n, one in pairs]
    results[-1] = replace(compared("tau-1 coarse, seed 9", 0.9), data="other")
    gain = {one.name: one for one in ablation(results)}["ablation-gain"]
    assert cells(gain)["tau-1 coarse, over base coarse"]["csn"].startswith("+0.0")
    assert gain.note.endswith("1 pair of runs was judged on other data and left out.")


def test_what_was_judged_under_other_options_is_no_further_seed():
    first = [compared(f"base, seed {n}", 0.7) for n in (7, 8)]
    again = [replace(one, config={"folds": [7]}) for one in first]
    tables = {one.name: one for one in tables_of([first[0], again[0], *again[1:], first[1]])}
    assert {"ablation", "ablation-2"} <= set(tables)
    for name in ("ablation", "ablation-2"):
        assert "over 2 trainings" in tables[name].note and list(cells(tables[name])) == ["base"]
