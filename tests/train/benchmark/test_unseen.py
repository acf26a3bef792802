"""Nobody is judged on what the checkpoint was trained on, in any task that scores recordings."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from focal_app.errors import CheckpointError
from focal_app.model.focal import Focal
from focal_app.model.seen import SEEN, Seen, patient
from train.__main__ import main
from train.benchmark.ptbxl_statements import reported
from train.benchmark.sets import load_set
from train.benchmark.unseen import unseen

EMBEDDED = Path(__file__).parents[3] / "assets" / "checkpoint"
TRAINED = "of patients on whom this checkpoint was trained"
SCORING = (
    *("zeroshot", "subgroups", "transfer", "localisation", "retrieval", "sensitivity"),
    "activation-maps",
)
WITHOUT_SETS = ("localisation", "retrieval", "activation-maps")


def numbered(*numbers: int) -> list[str]:
    return [patient("ptb-xl", str(number)) for number in numbers]


@pytest.fixture
def trained_on(tiny_checkpoint, tmp_path):
    """The tiny checkpoint, which says that it was trained on patients of these numbers."""

    def make(patients: Iterable[int]) -> Path:
        model = Focal.load(tiny_checkpoint)
        model.seen = Seen.of(numbered(*patients), ())
        model.save_pretrained(tmp_path / "checkpoint")
        return tmp_path / "checkpoint"

    return make


@pytest.fixture
def evaluated(ptbxl, encoded, capsys):
    def run(task: str, checkpoint: Path, *more: str) -> dict:
        given = ["--checkpoint", str(checkpoint), "--data", str(ptbxl), "--cache", str(encoded)]
        assert main(["evaluate", task, *given, *more, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_zero_shot_leaves_out_and_counts_the_patients_of_training(trained_on, evaluated):
    found = evaluated("zeroshot", trained_on(range(12)), "--split", "all")
    assert (found["recordings"], found["seen"]) == (38, 12)


def test_a_split_of_seen_and_too_few_new_patients_gives_way_to_all_that_is_new(
    trained_on, evaluated
):
    checkpoint = trained_on(range(48))
    assert evaluated("zeroshot", checkpoint)["split"] == "all"


def test_where_a_checkpoint_says_nothing_all_are_taken_and_the_count_is_unknown(
    tiny_checkpoint, evaluated, caplog
):
    found = evaluated("zeroshot", tiny_checkpoint, "--split", "all")
    assert (found["recordings"], found["seen"]) == (50, None)
    assert [one for one in caplog.messages if "does not say whom it was trained on" in one]


@pytest.mark.parametrize(
    "task", ("zeroshot --split all", "subgroups --split all", "retrieval", "localisation")
)
def test_figures_on_patients_of_training_alone_are_refused(
    task, trained_on, ptbxl, encoded, capsys
):
    name, *more = task.split()
    given = ["--data", str(ptbxl), "--cache", str(encoded)]
    given += ["--simulated", "0"] if name == "localisation" else []
    assert main(["evaluate", name, "--checkpoint", str(trained_on(range(50))), *given, *more]) == 2
    assert "all of patients on whom this checkpoint was trained" in capsys.readouterr().err


def test_a_probe_trains_on_them_and_is_judged_on_the_others(trained_on, evaluated):
    found = evaluated("probe", trained_on([*range(40), 47]), "--shares", "1")
    for probe in found["probes"]:  # the random encoder is judged on the same recordings
        assert probe["trained"] == 40 and probe["figures"]["recordings"] == 4


def test_who_has_seen_the_whole_validation_split_is_still_judged_on_the_test_split(
    trained_on, evaluated, ptbxl
):
    items = load_set("ptbxl-super", ptbxl, splits="development").items
    seen = [int(item.patient.split("\0")[1]) for item in items if item.split != "test"]
    checkpoint, given = trained_on(seen), ("--splits", "development")
    for one in evaluated("probe", checkpoint, *given, "--shares", "1")["probes"]:
        assert (one["validated"], one["figures"]["recordings"]) == (5, 10)
    told = evaluated("zeroshot", checkpoint, *given, "--split", "test")
    assert (told["recordings"], told["seen"]) == (10, 0)


def test_what_a_checkpoint_saw_travels_with_it_and_adds_up(tmp_path, tiny_checkpoint):
    model = Focal.load(tiny_checkpoint)
    coarse, fine = Seen.of(["a", "b"], ["c"]), Seen.of(["b", "d"], [])
    model.seen = fine | coarse
    model.save_pretrained(tmp_path / "checkpoint")
    seen = Focal.load(tmp_path / "checkpoint").seen
    assert seen is not None
    assert seen.trained_on(["a", "b", "c", "d", "e"]) == [True, True, False, True, False]
    np.testing.assert_array_equal(seen.calibrated, Seen.of([], ["c"]).calibrated)


def test_the_file_holds_no_name_and_a_spoilt_one_is_refused(tmp_path):
    Seen.of(["ptb-xl\0 17014"], []).save(tmp_path)
    assert b"17014" not in (tmp_path / SEEN).read_bytes()
    (tmp_path / SEEN).write_bytes(b"nonsense")
    with pytest.raises(CheckpointError, match="cannot be read"):
        Seen.load(tmp_path)


@pytest.mark.parametrize("task", SCORING)
def test_a_task_refuses_the_embedded_checkpoint_on_records_of_its_training(
    task, shared_ecg, tmp_path, capsys
):
    asked = ["--checkpoint", str(EMBEDDED), "--data", str(shared_ecg), "--folds", "1", "2", "3"]
    asked += ["--simulated", "0"] if task == "localisation" else []
    asked += ["--source", "csn"] if task == "transfer" else []
    asked += ["--dataset", "ptbxl-super"] if task not in WITHOUT_SETS else []
    assert main(["evaluate", task, *asked, "--results", str(tmp_path)]) == 2
    assert TRAINED in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_all_tasks_on_records_of_its_training_score_none_of_them(shared_ecg, tmp_path, caplog):
    asked = ["--checkpoint", str(EMBEDDED), "--data", str(shared_ecg), "--folds", "1", "2", "3"]
    few = ["--simulated", "0", "--rounds", "1"]
    main(["evaluate", "all", *asked, *few, "--results", str(tmp_path)])
    assert TRAINED in caplog.text
    written = {json.loads(one.read_text())["task"] for one in tmp_path.glob("*.json")}
    assert written <= {"similarity-matrix", "inference-time"}


def test_drawn_ecgs_of_the_training_are_not_judged_either(capsys):
    asked = ["--checkpoint", str(EMBEDDED), "--seed", "6", "--simulated", "12"]
    assert main(["evaluate", "localisation", *asked]) in (0, 2)
    figures = capsys.readouterr()
    counted = json.loads(figures.out)["simulated"]["recordings"] if figures.out else 0
    assert counted < 3, "294 of the first 300 of that seed were trained on"


def test_every_record_that_could_be_scored_is_of_the_folds_that_training_left_out(shared_ecg):
    model = Focal.load(EMBEDDED)
    rows = unseen(model, reported(shared_ecg))
    assert {row.fold for row in rows} == {7, 8} and len(rows) == 85
    for name in ("ptbxl-super", "csn", "cpsc2018"):
        items = load_set(name, shared_ecg).present()
        trained = model.seen.trained_on(item.patient for item in items) if model.seen else []
        held_out = [item for item, seen in zip(items, trained, strict=True) if not seen]
        assert all(item.fold in (7, 8) for item in held_out)
