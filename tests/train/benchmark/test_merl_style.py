"""The MERL-style model: its size, its loss, what it learns, and the pair that is compared."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen, patient
from focal_app.model.text import parameters_of
from train.__main__ import main
from train.benchmark.merl import Finished, Merl, MerlConfig, contrast, for_reports
from train.benchmark.publication import published
from train.benchmark.transferability import cosines
from train.benchmark.transferability_table import transferability

SMALL = MerlConfig(signal=SignalSpec(), text="", text_width=16, width=4, blocks=2)
Pair = tuple[Path, Path]


def merl(config: MerlConfig = SMALL, *, seed: int = 0) -> Merl:
    torch.manual_seed(seed)
    return Merl(config)


def test_at_the_published_size_it_is_a_resnet_18_in_one_dimension():
    model = merl(MerlConfig(signal=SignalSpec(), text="", text_width=256))
    stem, head = 12 * 64 * 7 + 128, 512 * 256 + 256
    stages = 0
    for before, after in ((64, 64), (64, 128), (128, 256), (256, 512)):
        stages += 3 * before * after + 9 * after * after + 4 * 2 * after
        stages += before * after + 2 * after if before != after else 0
    assert parameters_of(model.encoder) == stem + stages == 3_848_832
    assert parameters_of(model.projection) == head
    assert sum(isinstance(part, torch.nn.Conv1d) for part in model.encoder.modules()) == 17 + 3
    assert model.eval().encoder(torch.zeros(1, 12, 5000)).shape == (1, 512, 313)


def convolved(x: np.ndarray, part: torch.nn.Conv1d) -> np.ndarray:
    pad, weight = part.padding[0], part.weight.detach().numpy()
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2], axis=2)
    return np.einsum("bctk,ock->bot", windows[:, :, :: part.stride[0]], weight)


def normed(x: np.ndarray) -> np.ndarray:
    """By the batch; a new norm scales by 1 and shifts by 0."""
    mean, variance = x.mean((0, 2), keepdims=True), x.var((0, 2), keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5)


def encoded(x: np.ndarray, model: Merl) -> np.ndarray:
    stem, _, _, *blocks = model.encoder
    x = np.maximum(normed(convolved(x, stem)), 0)
    for block in blocks:
        inner = np.maximum(normed(convolved(x, block.inner[0])), 0)
        inner = normed(convolved(inner, block.inner[3]))
        widened = not isinstance(block.shortcut, torch.nn.Identity)
        x = np.maximum(inner + (normed(convolved(x, block.shortcut[0])) if widened else x), 0)
    return x.mean(2)


def linear(x: np.ndarray, part: torch.nn.Linear) -> np.ndarray:
    return x @ part.weight.detach().numpy().T + part.bias.detach().numpy()


def info_nce(one: np.ndarray, other: np.ndarray, scale: float) -> float:
    one, other = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (one, other))
    logits = scale * one @ other.T
    rows, columns = (np.log(np.exp(logits).sum(axis)) for axis in (1, 0))
    return float(((rows - np.diag(logits)).mean() + (columns - np.diag(logits)).mean()) / 2)


def test_the_losses_are_those_of_an_independent_rendering():
    from scipy.special import erf

    model, rng = merl().double().train(), np.random.default_rng(0)
    model.dropout.p = 0.0
    signal, z = rng.standard_normal((5, 12, 90)), rng.standard_normal((5, 16))
    found = model.losses(torch.from_numpy(signal), torch.from_numpy(z))
    ecg = linear(encoded(signal, model), model.projection)
    hidden = linear(z, model.text_projection[0])
    report = linear(hidden * (1 + erf(hidden / np.sqrt(2))) / 2, model.text_projection[2])
    scale = model.log_temperature.exp().item()
    assert scale == pytest.approx(1 / 0.07, rel=1e-6)
    assert found["reports"].item() == pytest.approx(info_nce(ecg, report, scale), abs=1e-5)
    assert found["views"].item() == pytest.approx(info_nce(ecg, ecg, scale), abs=1e-5)


def test_both_views_of_an_ecg_lose_parts_of_their_own():
    model, signal = merl().train(), torch.randn(6, 12, 90)
    model.dropout.p = 0.5
    losses = [model.losses(signal, torch.randn(6, 16))["views"].item() for _ in range(2)]
    model.dropout.p = 0.0
    whole = model.losses(signal, torch.randn(6, 16))["views"].item()
    assert min(losses) > whole and losses[0] != losses[1]


def test_contrast_is_lowest_where_pairs_match():
    rows, scale = torch.nn.functional.normalize(torch.randn(8, 4), dim=-1), torch.tensor(20.0)
    assert contrast(rows, rows, scale) < contrast(rows, rows.roll(1, 0), scale)


def task(rows: int, *, seed: int) -> tuple[np.ndarray, torch.Tensor]:
    """Three kinds of waves, one a rate, in noise."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, rows)
    time = np.arange(400) / 100
    wave = np.sin(2 * np.pi * np.array([2, 5, 11])[kind][:, None] * time)
    noise = rng.standard_normal((rows, 12, 400))
    return kind, torch.from_numpy((wave[:, None] + noise).astype(np.float32))


@pytest.mark.parametrize("honest", (True, False))
def test_it_tells_kinds_apart_if_reports_do(honest):
    texts = torch.nn.functional.normalize(torch.eye(3, 16) + 0.1, dim=-1)
    kind, signal = task(240, seed=0)
    said = kind if honest else np.random.default_rng(2).permutation(kind)
    model, rng = merl().train(), np.random.default_rng(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(40):
        rows = torch.from_numpy(rng.choice(240, 48, replace=False))
        optimizer.zero_grad()
        sum(model.losses(signal[rows], texts[said][rows]).values()).backward()
        optimizer.step()
    kind, signal = task(150, seed=1)
    with torch.inference_mode():
        score = model.eval().encode_ecg(signal) @ model.encode_text(texts).T
    found = roc_auc_score(np.eye(3)[kind], score)
    assert found > 0.9 if honest else found < 0.8


def test_a_report_is_embedded_whole_where_a_tag_would_be_cut(model):
    short, long = "normal ecg", ", ".join(["normal ecg"] * 12)
    text = for_reports(model.text)
    assert text.config.max_tokens == 256 and model.text.config.max_tokens == 64
    ends = [text([long + end]) for end in ("", ", atrial fibrillation")]
    cut = [model.text([long + end]) for end in ("", ", atrial fibrillation")]
    assert torch.equal(*cut) and not torch.equal(*ends)
    assert torch.equal(text([short]), model.text([short]))


def test_what_is_saved_is_read_again_and_half_of_it_is_refused(pair, tmp_path):
    one = Finished.load(pair[0])
    one.save(tmp_path / "copy")
    other = Finished.load(tmp_path / "copy")
    assert (one.learnt, one.model.config) == (other.learnt, other.model.config)
    for name, tensor in one.model.state_dict().items():
        assert torch.equal(tensor, other.model.state_dict()[name])
    (tmp_path / "copy" / "config.json").unlink()
    with pytest.raises(ConfigError, match="no finished model in 'copy'"):
        Finished.load(tmp_path / "copy")


@pytest.fixture
def evaluated(ptbxl, tiny_checkpoint, capsys):
    def run(pair: Pair, *more: str) -> dict:
        given = ["--original", str(pair[0]), "--enriched", str(pair[1]), "--data", str(ptbxl)]
        measured = ["--checkpoint", str(tiny_checkpoint), *given, *more, "--json"]
        assert main(["evaluate", "transferability", *measured]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def changed(pair: Pair, folder: Path, which: int = 1, **changes) -> Pair:
    """The pair with one of them changed."""
    replace(Finished.load(pair[which]), **changes).save(folder)
    return (pair[0], folder) if which else (folder, pair[1])


def test_both_are_read_on_the_same_recordings(pair, evaluated):
    found = evaluated(pair, "--split", "all")
    assert (found["recordings"], found["seen"], found["split"]) == (50, 0, "all")
    gain = found["enriched"]["value"] - found["original"]["value"]
    assert found["gain"]["value"] == pytest.approx(gain) and gain != 0
    assert found["gain"]["low"] < found["gain"]["value"] < found["gain"]["high"]


def test_the_same_weights_gain_nothing_whatever_is_drawn(pair, evaluated, tmp_path):
    same = changed(pair, tmp_path / "same", model=Finished.load(pair[0]).model)
    assert set(evaluated(same, "--folds", "7", "8")["gain"].values()) == {0.0}


@pytest.mark.parametrize("which", (0, 1))
def test_patients_whom_either_has_seen_are_left_out(pair, evaluated, tmp_path, which):
    seen = Seen.of([patient("ptb-xl", str(number)) for number in range(12)], ())
    found = evaluated(changed(pair, tmp_path / "seen", which, seen=seen), "--split", "all")
    assert (found["recordings"], found["seen"]) == (38, 12)


def refused(pair: Pair, data: Path, checkpoint: Path, capsys) -> str:
    given = ["--original", str(pair[0]), "--enriched", str(pair[1]), "--data", str(data)]
    assert main(["evaluate", "transferability", "--checkpoint", str(checkpoint), *given]) == 2
    return capsys.readouterr().err


def test_what_more_than_the_reports_tells_apart_is_refused(
    pair, ptbxl, tiny_checkpoint, tmp_path, capsys
):
    enriched = Finished.load(pair[1])
    other = changed(pair, tmp_path / "a", learnt=replace(enriched.learnt, steps=9, seed=4))
    assert "differ in steps, seed too" in refused(other, ptbxl, tiny_checkpoint, capsys)
    wider = Merl(replace(enriched.model.config, width=3))
    other = changed(pair, tmp_path / "b", model=wider)
    assert "differ in width too" in refused(other, ptbxl, tiny_checkpoint, capsys)
    assert "none there and some here" in refused(pair[::-1], ptbxl, tiny_checkpoint, capsys)


def test_models_of_other_texts_or_seen_patients_alone_are_refused(
    pair, ptbxl, tiny_checkpoint, tmp_path, capsys
):
    other = Focal.load(tiny_checkpoint)
    with torch.no_grad():
        other.text.projection.bias += 1
    other.save_pretrained(tmp_path / "other")
    assert "another tag encoder" in refused(pair, ptbxl, tmp_path / "other", capsys)
    seen = Seen.of([patient("ptb-xl", str(number)) for number in range(50)], ())
    known = changed(pair, tmp_path / "known", seen=seen)
    assert "all of patients on whom" in refused(known, ptbxl, tiny_checkpoint, capsys)
    given = ["--checkpoint", str(tiny_checkpoint), "--data", str(ptbxl)]
    assert main(["evaluate", "transferability", *given]) == 2
    assert "no --original or no --enriched" in capsys.readouterr().err


def test_every_window_of_a_recording_counts_and_one_that_cannot_be_read_is_told(
    pair, tmp_path, long_record
):
    model = Finished.load(pair[0]).model
    (tmp_path / "spoilt.hea").write_text("spoilt 12 100 1000\n")
    z = torch.randn(3, 8)
    readable, [score] = cosines((model,), [long_record, tmp_path / "spoilt.hea"], z)
    assert readable.tolist() == [True, False] and not score[1].any()
    from train.benchmark.embeddings import prepared_windows

    windows = prepared_windows(long_record, model.config.signal)
    assert len(windows) == 2
    with torch.inference_mode():
        signal = torch.from_numpy(np.stack([one.signal for one in windows]))
        wanted = (model.encode_ecg(signal) @ model.encode_text(z).T).mean(0)
    np.testing.assert_allclose(score[0], wanted, atol=1e-5)


def of_all_sets(make, **changes):
    """A result a set, each of the whole published test split, by a model of the published size."""
    whole = published()["test-recordings"]
    learnt = {"sources": ["mimic-iv-ecg"], "records": 700_000}
    usual = {"model": {"width": 64, "blocks": 2}, "learnt": learnt, "split": "test"}
    made = [make(name, {"recordings": n, **usual, **changes}) for name, n in whole.items()]
    return [replace(one, config={**one.config, "labels": "published"}) for one in made]


@pytest.mark.parametrize(
    ("changes", "beside"),
    [
        ({}, True),
        ({"model": {"width": 8, "blocks": 2}}, False),
        ({"learnt": {"sources": ["mimic-iv-ecg"], "records": 1500}}, False),
        ({"learnt": {"sources": ["ptb-xl"], "records": 700_000}}, False),
        ({"recordings": 300}, False),
        ({"split": "all"}, False),
    ],
)
def test_published_rows_stand_beside_the_same_protocol_alone(changes, beside, transferred):
    results = of_all_sets(transferred, **changes)
    [table] = transferability(results)
    assert ("MERL, enriched reports (published)" in [row[0] for row in table.rows]) == beside
    mended = [replace(one, config={**one.config, "labels": "corrected"}) for one in results]
    [table] = transferability(mended)
    assert not any("published" in row[0] for row in table.rows)
    [table] = transferability(results[:-1])
    assert not any("published" in row[0] for row in table.rows)
    rows = {row[0]: row[1] for row in table.rows}
    assert rows["enriched less merl"].startswith("+5.0 (+1.0 to +9.0)")


def test_pairs_that_differ_in_their_seed_alone_are_pooled(transferred):
    first = of_all_sets(transferred)[0]
    of_seeds = [
        replace(
            first,
            config={
                **first.config,
                **{kind: f"{first.config[kind]}-{seed}" for kind in ("original", "enriched")},
                "trained_seed": seed,
                "learnt": str(seed),
            },
            figures={**first.figures, "gain": {"value": gain, "low": gain, "high": gain}},
        )
        for seed, gain in ((7, 0.04), (8, 0.05), (9, 0.06))
    ]
    [table] = transferability(of_seeds)
    rows = {row[0]: row[1] for row in table.rows}
    assert set(rows) >= {"merl: original reports", "enriched less merl"}
    assert not any("-7" in row or "(2)" in row for row in rows)
    assert rows["enriched less merl"].startswith("+5.0 (+2.5 to +7.5)")
    assert "Means over 3 trainings" in table.note
    [alone] = transferability(of_seeds[:1])
    assert "Means over" not in alone.note
    elsewhere = replace(of_seeds[0], dataset="ptbxl-sub")
    other = replace(of_seeds[2], data="of other recordings")
    for uneven in ([*of_seeds, elsewhere], [*of_seeds[:2], elsewhere, other]):
        [table] = transferability(uneven)
        assert "not all seeds were judged alike are left out" in table.note
        assert "ptbxl-sub" not in table.columns
    unseeded = [
        replace(one, config={**one.config, "original": "merl", "enriched": "enriched"})
        for one in of_seeds
    ]
    [table] = transferability(unseeded)
    assert {"enriched less merl", "enriched (3) less merl (3)"} <= {row[0] for row in table.rows}


def test_models_of_the_same_names_keep_rows_of_their_own(transferred):
    first = of_all_sets(transferred)[0]
    second = replace(first, config={**first.config, "learnt": "b"})
    [table] = transferability([first, second])
    rows = {row[0]: row for row in table.rows}
    assert {"merl: original reports", "merl (2): original reports"} <= set(rows)


def test_scores_that_are_no_numbers_are_refused(pair, ptbxl, tiny_checkpoint, tmp_path, capsys):
    astray = Finished.load(pair[1]).model
    with torch.no_grad():
        astray.projection.bias.fill_(torch.nan)
    other = changed(pair, tmp_path / "nan", model=astray)
    assert "scores of --enriched that are no numbers" in refused(
        other, ptbxl, tiny_checkpoint, capsys
    )
