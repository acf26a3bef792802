"""Planted answers through the whole of a reading: right gives 1, wrong 0, chance a half."""

import copy
import dataclasses

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from focal_app.errors import ConfigError
from focal_app.model.text import embed_tags
from train.benchmark.comparison import compare, with_transport
from train.benchmark.probe import probe
from train.benchmark.prompts import prompts_of
from train.benchmark.ptbxl_statements import reported
from train.benchmark.retrieval import retrieval
from train.benchmark.sets import load_set
from train.benchmark.settings import Chosen, Reading
from train.benchmark.territory import territory
from train.benchmark.transfer import shared_classes, transfer
from train.benchmark.zeroshot import evaluate

WINDOWS = 10


def chosen_of(data, cache=None, **rest):
    """These recordings, their embeddings kept there."""
    return Chosen(data=data, cache=cache, **rest)


def directions(model, dataset, data):
    """A unit vector for each class, its prompt less what all prompts share."""
    chosen = load_set(dataset, data)
    z, _ = prompts_of(dataset, chosen.classes, by="prompt", data=data).encoded(model)
    return dict(zip(chosen.classes, F.normalize(z - z.mean(0), dim=-1), strict=True))


def planted(chosen, toward, sign=1.0):
    """Every patch of a recording points to its classes."""
    made = {}
    for item in chosen.items:
        vectors = torch.stack([toward[label] for label in sorted(item.labels)])
        made[item.key] = sign * F.normalize(vectors.mean(0), dim=0).expand(12 * WINDOWS, -1)
    return made


@pytest.mark.parametrize(("sign", "wanted"), [(1.0, 1.0), (-1.0, 0.0)])
@pytest.mark.parametrize("mode", ("routed", "global"))
def test_a_perfect_reader_gets_1_and_a_reversed_one_0(
    sign, wanted, mode, ptbxl, model, plant, tmp_path
):
    chosen = load_set("ptbxl-super", ptbxl)
    patches = planted(chosen, directions(model, "ptbxl-super", ptbxl), sign)
    plant(tmp_path, model, chosen.items, patches)
    found = evaluate(
        model, "ptbxl-super", chosen_of(ptbxl, tmp_path, split="all"), Reading(mode=mode)
    )
    each = [one.auc for one in found.classes]
    assert found.macro_auc.value == pytest.approx(wanted, abs=0.02)
    assert len(each) == 5 and found.recordings == 50
    if sign > 0:
        assert found.macro_auprc.value > 0.95 and found.macro_f1.value > 0.9


def test_chance_gets_a_half_and_the_interval_holds_it(ptbxl, model, plant, tmp_path):
    chosen, draw = load_set("ptbxl-super", ptbxl), torch.Generator().manual_seed(0)
    noise = {
        item.key: F.normalize(torch.randn(12 * WINDOWS, 8, generator=draw), dim=-1)
        for item in chosen.items
    }
    plant(tmp_path, model, chosen.items, noise)
    found = evaluate(model, "ptbxl-super", chosen_of(ptbxl, tmp_path, split="all"))
    assert found.macro_auc.value == pytest.approx(0.5, abs=0.12)
    assert found.macro_auc.low < 0.5 < found.macro_auc.high


def test_a_checkpoint_is_read_by_the_alignment_it_was_trained_with(ptbxl, model, plant, tmp_path):
    chosen, draw = load_set("ptbxl-super", ptbxl), torch.Generator().manual_seed(1)
    noise = {
        item.key: F.normalize(torch.randn(12 * WINDOWS, 8, generator=draw), dim=-1)
        for item in chosen.items
    }
    plant(tmp_path, model, chosen.items, noise)
    even = copy.copy(model)
    even.config = dataclasses.replace(model.config, alignment="global")

    def macro_auc(reader, mode):
        found = evaluate(
            reader, "ptbxl-super", chosen_of(ptbxl, tmp_path, split="all"), Reading(mode=mode)
        )
        return found.macro_auc.value

    assert macro_auc(even, "routed") == pytest.approx(macro_auc(model, "global"), abs=1e-6)
    assert abs(macro_auc(even, "routed") - macro_auc(model, "routed")) > 1e-3


def test_thresholds_come_from_validation_where_it_is_there(ptbxl, model, plant, tmp_path):
    chosen = load_set("ptbxl-super", ptbxl)
    plant(tmp_path, model, chosen.items, planted(chosen, directions(model, "ptbxl-super", ptbxl)))
    test = evaluate(model, "ptbxl-super", chosen_of(ptbxl, tmp_path, split="test"))
    every = evaluate(model, "ptbxl-super", chosen_of(ptbxl, tmp_path, split="all"))
    assert (test.thresholds, test.recordings) == ("validation", 5)
    assert (every.thresholds, every.recordings) == ("halves", 50)
    assert all(one.few for one in test.classes) and not any(one.few for one in every.classes)


def test_too_small_a_test_split_is_not_taken_unasked(ptbxl, model, encoded):
    found = evaluate(model, "ptbxl-super", chosen_of(ptbxl, encoded))
    assert (found.split, found.recordings) == ("all", 50)
    folds = evaluate(model, "ptbxl-super", chosen_of(ptbxl, encoded, folds=(9, 10)))
    assert (folds.split, folds.recordings) == ("folds", 10)


def test_one_class_alone_and_an_empty_split_are_refused(ptbxl, model, challenge, tmp_path):
    challenge(tmp_path / "d" / "A0001.hea", ["426783006"])
    challenge(tmp_path / "d" / "A0002.hea", ["426783006"])
    with pytest.raises(ConfigError, match="none with both"):
        evaluate(model, "cpsc2018", chosen_of(tmp_path / "d", split="all"))
    with pytest.raises(ConfigError, match="folds 12"):
        evaluate(model, "ptbxl-super", chosen_of(ptbxl, folds=(12,)))


def test_a_class_without_a_prompt_is_named(ptbxl, model, tmp_path):
    file = tmp_path / "prompts.json"
    file.write_text('{"NORM": "normal ECG", "MI": "infarction", "CD": "block", "HYP": ""}')
    with pytest.raises(ConfigError, match=r"no prompt for (STTC, HYP|HYP, STTC)"):
        evaluate(model, "ptbxl-super", chosen_of(ptbxl), Reading(classes="phrases", prompts=file))


def test_a_probe_learns_what_is_linear_and_a_random_encoder_does_not(ptbxl, model, plant, tmp_path):
    chosen, draw = load_set("ptbxl-super", ptbxl), np.random.default_rng(0)
    width = model.config.encoder.width
    pooled = {}
    for item in chosen.items:
        feature = draw.standard_normal(width) * 0.3
        feature[chosen.classes.index(next(iter(item.labels)))] += 3
        pooled[item.key] = torch.from_numpy(feature).float()
    patches = {item.key: torch.ones(120, 8) for item in chosen.items}
    plant(tmp_path, model, chosen.items, patches, pooled)
    sets = chosen_of(ptbxl, tmp_path)
    learnt = probe(model, "ptbxl-super", sets, shares=(0.1, 1.0))
    random = probe(model, "ptbxl-super", sets, shares=(1.0,), encoder="random")
    assert [one.trained for one in learnt] == [4, 40]
    assert learnt[1].figures.macro_auc.value == 1
    assert random[0].figures.macro_auc.value < 0.9


def test_transfer_judges_shared_classes_on_recordings_that_carry_one(
    ptbxl, model, plant, challenge, tmp_path
):
    codes = {"A0001": "426783006", "A0002": "59118001", "A0003": "164889003", "A0004": "429622005"}
    codes |= {f"{key[:-1]}{int(key[-1]) + 4}": code for key, code in codes.items()}
    data = tmp_path / "data"
    for key, code in codes.items():
        challenge(data / "cpsc" / f"{key}.hea", [code])
    (data / "ptb-xl").symlink_to(ptbxl / "ptb-xl")
    target = load_set("cpsc2018", data)
    toward = directions(model, "ptbxl-super", ptbxl)
    means = {"NORM": "NORM", "CRBBB": "CD", "STD": "STTC", "AFIB": "HYP"}
    patches = {i.key: toward[means[next(iter(i.labels))]].expand(120, -1) for i in target.items}
    blank = {item.key: torch.zeros(model.config.encoder.width) for item in target.items}
    plant(tmp_path, model, target.items, patches, blank)
    found = transfer(model, "ptbxl-super", "cpsc2018", chosen_of(data, tmp_path))
    assert found.left_out == 2 and found.figures.recordings == 6
    assert found.figures.macro_auc.value == 1
    every = load_set("ptbxl-super", data)
    plant(
        tmp_path,
        model,
        every.items,
        planted(every, toward),
        {item.key: blank[target.items[0].key] for item in every.items},
    )
    probed = transfer(model, "ptbxl-super", "cpsc2018", chosen_of(data, tmp_path), method="probe")
    assert probed.figures.recordings == 6 and probed.figures.macro_auc.value == 0.5
    back = transfer(model, "cpsc2018", "ptbxl-super", chosen_of(data, tmp_path, folds=(7, 8)))
    assert back.split == "folds" and back.figures.recordings + back.left_out == 10


def test_the_class_map_reads_the_same_in_both_directions():
    there, back = shared_classes("ptbxl-super", "csn"), shared_classes("csn", "ptbxl-super")
    assert [(one.name, one.source, one.target) for one in there] == [
        (one.name, one.target, one.source) for one in back
    ]
    with pytest.raises(ConfigError, match="no class map"):
        shared_classes("ptbxl-form", "csn")


def test_retrieval_finds_what_is_planted_and_the_reverse_last(ptbxl, model, plant, tmp_path):
    every = reported(ptbxl)
    tags = sorted({tag for one in every for tag in one.tags})
    z = embed_tags(model.text, tags)
    toward = torch.linalg.pinv(z)  # as nearly as so few dimensions can say which tags hold
    chosen, patches = load_set("ptbxl-form", ptbxl), {}
    for one in every:
        held = torch.tensor([tag in one.tags for tag in tags]).float()
        patches[one.key] = F.normalize(toward @ held, dim=0).expand(120, -1)
    plant(tmp_path, model, chosen.items, patches)
    found = retrieval(model, every, cache=tmp_path)
    assert found.recordings == 50
    for direction in (found.ecg_to_text, found.text_to_ecg):
        assert direction.recall["10"].value > 2 * direction.chance_recall["10"] or (
            direction.median_rank < 0.5 * direction.chance_median_rank
        )


def test_the_lift_is_1_for_an_even_plan_and_more_where_the_leads_are_right(
    ptbxl, model, plant, tmp_path
):
    every, chosen = reported(ptbxl), load_set("ptbxl-form", ptbxl)
    even = {one.key: torch.ones(120, 8) / 8**0.5 for one in every}
    plant(tmp_path / "even", model, chosen.items, even)
    assert territory(model, every, cache=tmp_path / "even").lift.value == pytest.approx(1, abs=1e-3)
    z = embed_tags(model.text, ["inferior myocardial infarction"])[0]
    right = {}
    for one in every:
        rows = torch.zeros(12, WINDOWS, 8)
        rows[[1, 2, 5]] = z  # II, III, aVF
        rows[[0, 3, 4, *range(6, 12)]] = -z
        right[one.key] = rows.flatten(0, 1)
    plant(tmp_path / "right", model, chosen.items, right)
    found = territory(model, every, cache=tmp_path / "right").statements
    lifts = {one.statement: one.lift.value for one in found}
    assert lifts["inferior myocardial infarction"] > 3
    assert lifts["complete left bundle branch block"] < 0.2


def test_another_tau_needs_no_other_encoding_and_leaves_the_model_alone(ptbxl, model, encoded):
    changed = with_transport(model, tau=5.0)
    assert (changed.config.tau, model.config.tau) == (5.0, 0.1)
    one = compare(model, ["ptbxl-super", "csn"], chosen_of(ptbxl, encoded))
    parts = sorted(encoded.rglob("*.safetensors"))
    other = compare(changed, ["ptbxl-super", "csn"], chosen_of(ptbxl, encoded))
    assert sorted(encoded.rglob("*.safetensors")) == parts
    assert set(one.zeroshot) == {"ptbxl-super"} and "csn" in one.skipped
    assert one.zeroshot != other.zeroshot
    assert dataclasses.replace(model.config, tau=5.0) == changed.config
