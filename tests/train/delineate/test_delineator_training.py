"""Training of the delineator: what it learns from, that it resumes exactly, what it measures."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from full_disk import full_disk

from focal_app.ecg.lead_waves import QRS, P, T
from focal_app.errors import ConfigError
from focal_app.model.delineator import Delineator, DelineatorConfig
from train.delineate.agreement import Compared, agreement_table, agreements, groups_of, reference
from train.delineate.leads import KnownLeads, blur, mark
from train.delineate.ludb import LeadWaves, annotated_records
from train.delineate.simulated import simulated_leads
from train.delineate.training import Plan, train_delineator
from train.simulate import simulate

LUDB = Path(__file__).parents[4] / "shared" / "ecg" / "ludb"
SETTINGS = DelineatorConfig().signal
SHORT = Plan(steps=4, batch=4, samples=512, save_every=2)


def pulses(leads=2, samples=1000):
    rng = np.random.default_rng(0)
    classes = np.zeros((leads, samples), int)
    for at in range(100, samples - 50, 200):
        classes[:, at : at + 25] = QRS
    return KnownLeads(rng.normal(classes == QRS, 0.1).astype(np.float32), classes)


@pytest.mark.parametrize("states", [("atrial fibrillation",), ("ventricular pacing",), None])
def test_the_simulator_says_where_every_wave_was_drawn(states):
    drawn = simulate(3, states=states)
    waves = drawn.waves
    assert len(waves.qrs_s) == len(waves.t_s) > 4
    assert all(on < off for on, off in (*waves.p_s, *waves.qrs_s, *waves.t_s))
    assert bool(waves.p_s) is (states != ("atrial fibrillation",)) or states == (
        "ventricular pacing",
    )
    assert bool(waves.spikes_s) is (states == ("ventricular pacing",))
    ecg = np.abs(np.diff(drawn.ecg.signal_mv, axis=1)).mean(axis=0)
    inside = np.concatenate(
        [ecg[int(on * 500) : int(off * 500)] for on, off in waves.qrs_s if on > 0]
    )
    assert inside.mean() > 3 * np.median(ecg)


def test_fibrillation_teaches_that_there_is_no_p():
    (leads,) = simulated_leads(1, SETTINGS)
    assert not (leads.classes == P).any()
    assert {QRS, T, 0, -1} <= set(np.unique(leads.classes))


def test_boundaries_of_simulated_waves_are_not_taught():
    row = np.zeros(100, int)
    mark(row, 0.2, 0.24, QRS, 250)
    assert row[50:61].tolist() == [QRS] * 11 and row[49] == row[61] == 0
    blur(row, 0.2, (0.012, 0.012), 250)
    assert row[47:54].tolist() == [-1] * 7 and row[46] == 0 and row[54] == QRS


def test_a_stopped_training_goes_on_to_the_same_weights(tmp_path):
    known = [pulses()]
    whole = train_delineator(known, [], SHORT, tmp_path / "whole.pt", name="whole")
    saved = tmp_path / "part.pt"
    with pytest.raises(KeyboardInterrupt):
        train_delineator(_Leaving(known, after=3 * SHORT.batch), [], SHORT, saved, name="part")
    assert saved.is_file()
    again = train_delineator(known, [], SHORT, saved, name="part")
    for name, weights in whole.state_dict().items():
        assert torch.allclose(weights, again.state_dict()[name], atol=1e-6), name


def test_a_full_disk_is_told_as_such(tmp_path):
    with full_disk(10_000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        train_delineator([pulses()], [], SHORT, tmp_path / "part.pt", name="part")
    assert not (tmp_path / "part.pt").exists()


@pytest.mark.parametrize("change", [{"steps": 6}, {"steps": 2}, {"seed": 1}, {"samples": 256}])
def test_a_state_of_another_training_is_refused(change, tmp_path):
    known, saved = [pulses()], tmp_path / "part.pt"
    train_delineator(known, [], SHORT, saved, name="part")
    (name, value), *_ = change.items()
    said = f"{name} {getattr(SHORT, name)}, not {name} {value}"
    with pytest.raises(ConfigError, match=said):
        train_delineator(known, [], replace(SHORT, **change), saved, name="part")
    with pytest.raises(ConfigError, match="real 1, not real 2"):
        train_delineator(known * 2, [], SHORT, saved, name="part")
    state = torch.load(saved, weights_only=True)
    torch.save(state | {"asked": state["asked"] | {"newer": 3}}, saved)
    with pytest.raises(ConfigError, match="newer 3, not newer None"):
        train_delineator(known, [], SHORT, saved, name="part")


def test_a_state_that_was_cut_is_refused(tmp_path):
    known, saved = [pulses()], tmp_path / "part.pt"
    train_delineator(known, [], SHORT, saved, name="part")
    whole = saved.read_bytes()
    for end in (0, 9, len(whole) // 2, len(whole) - 9):
        saved.write_bytes(whole[:end])
        with pytest.raises(ConfigError, match=r"found no part\.pt in"):
            train_delineator(known, [], SHORT, saved, name="part")
        assert saved.stat().st_size == end


class _Leaving(list):
    """Recordings that end a training after so many draws, as somebody at the keyboard would."""

    def __init__(self, known, after):
        super().__init__(known)
        self.left = after

    def __getitem__(self, index):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().__getitem__(index)


def test_the_loss_falls_on_what_is_plain(tmp_path):
    plan = Plan(steps=40, batch=8, samples=512)
    model = train_delineator([pulses()], [], plan, tmp_path / "a.pt", name="plain")
    known = pulses()
    with torch.inference_mode():
        found = model(torch.from_numpy(known.signal)).argmax(1).numpy()
    assert (found == known.classes).mean() > 0.9


def test_agreement_of_known_errors():
    marked = {"rate_per_min": 60.0, "pr_ms": 150.0, "qrs_ms": 90.0, "qt_ms": 400.0}
    none = {**marked, "pr_ms": None}
    found = [
        Compared("1", ("plain sinus rhythm",), marked, {**marked, "qrs_ms": 94.0}),
        Compared("2", ("paced",), marked, {**marked, "qrs_ms": 84.0}),
        Compared("3", ("atrial fibrillation or flutter",), none, {**marked, "qrs_ms": None}),
    ]
    by = {(one.group, one.quantity): one for one in agreements(found)}
    qrs, pr = by["all", "qrs_ms"], by["all", "pr_ms"]
    assert (qrs.measured, qrs.recordings, qrs.median_error, qrs.bias) == (2, 3, 5.0, -1.0)
    assert (pr.measured, pr.recordings, pr.unmarked, pr.invented) == (2, 2, 1, 1)
    assert by["paced", "qrs_ms"].median_error == 6.0
    assert "| all | QRS, ms | 2 of 3 | 5.0" in agreement_table(agreements(found))


def test_a_reference_needs_enough_leads():
    lead = LeadWaves(np.array([[0.8, 0.9]]), np.array([[1.0, 1.1], [2.0, 2.1]]), np.zeros((0, 2)))
    assert reference([lead] * 3)["qrs_ms"] == pytest.approx(100)
    assert reference([lead] * 2)["qrs_ms"] is None
    assert reference([lead] * 3)["pr_ms"] is None
    assert reference([lead] * 4)["pr_ms"] == pytest.approx(200)
    assert reference([lead] * 4)["rate_per_min"] == pytest.approx(60)


def test_groups_follow_the_diagnoses():
    assert groups_of(["Sinus rhythm"]) == ("plain sinus rhythm",)
    assert groups_of(["Incomplete left bundle branch block"]) == ("plain sinus rhythm",)
    assert groups_of(["Wandering atrial pacemaker"]) == ("plain sinus rhythm",)
    assert groups_of(["Atrial flutter, typical", "Complete left bundle branch block"]) == (
        "atrial fibrillation or flutter",
        "complete bundle branch block",
    )


def test_a_folder_that_is_not_ludb_is_refused(tmp_path):
    (tmp_path / "ludb.csv").write_text("ID,Rhythms\n1,Sinus rhythm\n")
    with pytest.raises(ConfigError, match="annotations"):
        annotated_records(tmp_path)


@pytest.mark.skipif(not LUDB.is_dir(), reason="needs LUDB in ../shared/ecg")
def test_the_shipped_delineator_agrees_with_ludb():
    """Not the figures, for it was trained on these; a wrong unit or shift would show."""
    from train.delineate.agreement import compared

    records = annotated_records(LUDB)
    assert len(records) == 100
    found = [compared(record, Delineator.load()) for record in records[:6]]
    by = {(one.group, one.quantity): one for one in agreements(found)}
    assert by["all", "qrs_ms"].median_error < 10 and by["all", "rate_per_min"].median_error < 1


def test_the_card_beside_the_weights_says_what_was_measured():
    import json

    figures = json.loads((Path(__file__).parents[3] / "assets/delineator/figures.json").read_text())
    by = {(one["group"], one["quantity"]): one for one in figures["agreement"]}
    assert figures["data"]["ludb"] == 100 and figures["data"]["folds"] == 5
    assert by["all", "pr_ms"]["median_error"] <= 4 and by["all", "rate_per_min"]["p90_error"] < 2
    assert by["atrial fibrillation or flutter", "pr_ms"]["invented"] == 0
