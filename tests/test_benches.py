"""No bench rots unseen: each is imported, and its cheapest piece is run at a small size."""

import sys
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.lexicon import load_prompt_sets
from focal_app.model.focal import Focal
from tests.benchmarks import __main__ as benches
from train.data.augment import Augmentation
from train.data.build import build
from train.data.prepared import PreparedStore
from train.data.simulation import Simulation
from train.data.source import Annotated
from train.simulate import simulate

FOLDER = Path(benches.__file__).parent
OF_NO_BENCH = {"__main__", "options", "own_and_told", "patients", "timing", "tried_orders"}
FEW = 2_000


def bench(name: str) -> ModuleType:
    return import_module(f"tests.benchmarks.{name}")


@pytest.fixture
def once(monkeypatch):
    """Every run of a bench once, in place of timing it."""

    def ran(runs, **_):
        for run in runs.values():
            run()
        return dict.fromkeys(runs, 1.0)

    for name in ("transport", "reading", "formats", "taking_away", "filters"):
        monkeypatch.setattr(bench(name), "best_ms", ran)


@pytest.fixture
def small_explorer(tiny_checkpoint, monkeypatch) -> Explorer:
    """An untrained explorer in place of the embedded one."""
    explorer = Explorer.load(tiny_checkpoint)
    monkeypatch.setattr(Explorer, "load", lambda: explorer)
    return explorer


def test_every_bench_is_imported_and_can_be_called():
    found = {file.stem for file in FOLDER.glob("*.py")} - OF_NO_BENCH
    assert found == {*benches.PARTS, *benches.WITH_OPTIONS}
    assert all(callable(bench(part).rows) for part in benches.PARTS)
    assert all(callable(bench(part).main) for part in benches.WITH_OPTIONS)


@pytest.mark.parametrize(
    ("asked", "said"), [("nosuch", "needed one of"), ("carts", "tests.benchmarks.carts")]
)
def test_a_part_that_cannot_be_called_so_gets_a_sentence(asked, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", asked])
    with pytest.raises(SystemExit):
        benches.main()
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("part", ["carts", "contradictions"])
def test_a_bench_without_recordings_says_so(part, tmp_path, monkeypatch, capsys):
    asked = ["--formats", str(tmp_path)] if part == "carts" else []
    monkeypatch.setattr(sys, "argv", [part, *asked])
    with pytest.raises(SystemExit):
        bench(part).main()
    assert "found no" in capsys.readouterr().err


@pytest.mark.parametrize("step", ["ours", "plain"])
def test_the_steps_of_training_are_made_and_run(step, monkeypatch):
    training = bench("training")
    monkeypatch.setattr(bench("enrichment"), "REPORTS", FEW)
    monkeypatch.setattr(training, "BATCH", 5)
    small = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 32}
    monkeypatch.setattr(training, "BertConfig", partial(training.BertConfig, **small))
    smaller = partial(training.EncoderConfig, width=32, depth=1, heads=2)
    monkeypatch.setattr(training, "EncoderConfig", smaller)
    assert training._measured(step).seconds > 0


def test_enrichment_counts_requests(monkeypatch):
    monkeypatch.setattr(bench("enrichment"), "REPORTS", FEW)
    assert len(bench("enrichment").rows()) == 5


@pytest.mark.usefixtures("once")
def test_transport_and_filters_have_rows(monkeypatch):
    for name, value in (("B", 2), ("PART", 2), ("N", 12), ("ROUNDS", 3)):
        monkeypatch.setattr(bench("transport"), name, value)
    assert bench("transport").rows()
    monkeypatch.setattr(bench("filters"), "SIZES", (340,))
    assert bench("filters").rows()


@pytest.mark.usefixtures("once", "small_explorer")
def test_reading_formats_and_taking_away_have_rows(monkeypatch):
    for name in ("CLINICAL", "TABLES"):
        monkeypatch.setattr(bench("formats"), name, {})
    for part in ("reading", "formats", "taking_away"):
        assert bench(part).rows()


def test_texts_are_read(monkeypatch):
    monkeypatch.setattr(bench("text"), "LENGTHS", (10, 20, 30))
    assert list(bench("text").rows())


def test_a_loader_gives_recordings(shards_of_four, monkeypatch, tmp_path):
    shards = bench("shards")
    monkeypatch.setattr(shards, "LOADED", 128)
    assert shards.ecgs_per_second(shards.Repeated(shards.Prepared(shards_of_four)), 0) > 0
    store = PreparedStore.make(shards_of_four, SignalSpec(), tmp_path, workers=1)
    assert shards.batched_per_second(shards_of_four, store, Augmentation(), 0) > 0


@pytest.fixture
def shards_of_four(tmp_path):
    return build(Simulation(4), tmp_path / "drawn", workers=1)


def test_the_ways_to_read_are_timed(tiny_checkpoint, monkeypatch, tmp_path):
    evaluation = bench("evaluation")
    timed = partial(evaluation.inference_time, batch=2, rounds=1)
    monkeypatch.setattr(evaluation, "inference_time", timed)
    monkeypatch.setattr(evaluation, "ECG", tmp_path / "absent")
    model = Focal.load(tiny_checkpoint)
    assert evaluation._ways("tiny model", model) and evaluation._passes(model)


def test_the_nearest_of_drawn_vectors_are_searched(tmp_path):
    search = bench("search")
    search._draw(tmp_path, 500)
    assert search._searched(tmp_path, "")["recall"] == 1


def test_rankings_are_made_in_both_directions(capsys):
    bench("scale").ranks(40)
    assert "both directions" in capsys.readouterr().out


def test_what_is_contradicted_is_counted(small_explorer):
    contradictions, ecg = bench("contradictions"), load_case("normal")
    found = list(contradictions.judged(small_explorer, iter([("one", ecg, frozenset(), True)])))
    assert contradictions.counted(found)["findings"] == 29
    joined, labelled = ({**found[0], "joined": True, "labelled": is_so} for is_so in (False, True))
    lines = list(contradictions.verdicts([joined, joined, labelled]))
    assert lines[0] == f"verdict, {joined['verdict']}: 1 labelled, 2 not" and len(lines) == 2


@pytest.mark.usefixtures("small_explorer")
def test_own_words_are_scored():
    own = bench("own_words")
    one = next(one for one in own.paraphrases() if not one.denied and own._answered(one.words))
    header = FOLDER.parents[1] / "assets" / "cases" / "normal.hea"
    assert own._scores([header], [one.words])[one.words].shape == (1,)
    assert own._truth(one, [frozenset(group[0] for group in one.meant), frozenset()]).tolist() == [
        True,
        False,
    ]


def test_what_is_lost_by_own_words_is_told_of_the_worst_and_of_how_many():
    own = bench("own_words")
    one = next(one for one in own.paraphrases() if len(one.meant) == 1 and not one.denied)
    tag = one.meant[0][0]
    said = [frozenset([tag]), frozenset([tag]), frozenset(), frozenset()]
    scores = {tag: np.array([0.9, 0.8, 0.2, 0.1]), one.words: np.array([0.9, 0.2, 0.8, 0.1])}
    lost = own.lost([one], said, scores)
    assert lost[one] == pytest.approx(0.25)
    told = own._told("all", lost, refused=2, shown=False)
    assert "3 lines, 2 refused" in told and "more than 0.15 by 1" in told
    assert one.words not in told and one.words in own._told("some", lost, refused=0, shown=True)


@pytest.mark.usefixtures("small_explorer")
def test_errors_of_percentages_are_told_beside_those_that_chance_makes():
    bench_of = bench("percentages")
    rng = np.random.default_rng(0)
    right = rng.uniform(0, 1, (400, 2))
    truth = rng.random(right.shape) < right
    patients = [str(number) for number in range(len(truth))]
    table = bench_of.table(["A", "B"], truth, patients, 1 - right, right, draws=50).splitlines()
    for line in table[2:]:
        _, _, _, alone, told, chance, *_ = (cell.strip() for cell in line.split("|"))
        assert float(alone[:5]) > 0.4 > 0.1 > float(told[:5])
        assert 0.02 < float(chance) < 0.07
    assert bench_of.by_chance(np.array([0.0, 1.0, 1.0])) == 0


def test_superclasses_are_read_as_the_model_and_as_the_app_tells_them(small_explorer):
    header = FOLDER.parents[1] / "assets" / "cases" / "normal.hea"
    prompts = load_prompt_sets()["ptbxl-super"].prompts
    own, told = bench("own_and_told").own_and_told(small_explorer, [header], prompts)
    assert own.shape == told.shape == (1, 5)
    assert told[0, 0] != own[0, 0] and told[0, 1:].tolist() == own[0, 1:].tolist()


def test_early_beats_are_held_against_what_was_said(small_explorer):
    early = bench("early")
    found = list(early.looked(small_explorer, [Simulation(2)]))
    assert [one.source for one in found] == ["simulated"] * 2
    first, second = (replace(one, shows=(True, False)) for one in found)
    table = early.table([replace(first, said=(True, False)), replace(second, said=(False, True))])
    assert "| atrial | 1 | 0 | 1 | 0 |" in table and "| atrial | atrial |" in table
    alike, *_ = early.drawn(1)
    assert alike.startswith("| premature atrial complex | ")
    report = "Supraventrikuläre Extrasystole(n), sonst normal"
    ecg = load_case("normal")
    assert early.said(Annotated(ecg, (), report)) == (True, False)
    assert early.said(Annotated(ecg, ("premature ventricular complex",))) == (False, True)


def test_paced_recordings_are_looked_at_and_told_beside_the_others(small_explorer):
    paced = bench("paced")
    found = list(paced.looked(small_explorer, [Simulation(2)]))
    assert [one.source for one in found] == ["simulated"] * 2
    first, second = (
        replace(found[0], labelled=held, spikes=held, own=0.2) for held in (True, False)
    )
    table = paced.table([replace(first, told=0.9), replace(second, told=0.1)])
    assert "| simulated | 2 | 1 | 1 | 0 |" in table and "| yes | 20 % | 90 % | no |" in table
    assert "AUC: model alone 0.5000, told 1.0000, spikes alone 1.0000" in table
    assert paced.drawn(1).keys() == {"atrial pacing", "ventricular pacing"}


def test_a_heatmap_that_lies_on_the_waves_has_its_whole_lift_there():
    waves = bench("waves")
    edges = np.linspace(0, 10, 51)
    weights = np.zeros((12, 50))
    weights[1, 5:10] = 1.0
    heatmap = Heatmap(weights, edges)
    on = waves.covered(heatmap, [(1.0, 1.6), (1.4, 2.0)])
    assert on.sum() == pytest.approx(1.0)
    assert waves.lift(heatmap, on, ["II"]) == pytest.approx(12 * 50 / 5)
    assert waves.lift(heatmap, on, ["I"]) == 0
    assert waves.on_places(heatmap, {("I", "II"): [(1.0, 2.0)]}) == pytest.approx(60)
    even = Heatmap(np.where(np.arange(50) < 40, np.ones((12, 1)), np.nan), edges)
    assert waves.lift(even, on) == pytest.approx(1)
    assert np.isnan(waves.lift(even, waves.covered(even, [(9.0, 9.5)])))


def test_drawn_waves_and_beats_are_looked_for_in_fine_heatmaps(small_explorer):
    waves = bench("waves")
    found = waves.by_waves(small_explorer, "sinus rhythm", 1)
    assert found["all"]["everything"] == pytest.approx([1])
    assert found["all"]["P"] == pytest.approx([1], abs=0.2), "an untrained model looks anywhere"
    drawn = waves.on_ectopic(small_explorer, "premature ventricular complex", 1)
    assert {len(each) for each in drawn.values()} == {1}
    assert waves.by_statement(small_explorer, 1) == {}


def test_free_phrases_are_judged_by_a_curve_of_other_findings_and_other_ecgs():
    free, rng = bench("free_phrases"), np.random.default_rng(0)
    phrase, ecg = np.repeat(np.arange(4), 40), np.tile(np.arange(40), 4)
    shows = rng.random(160) < 0.5
    logit = rng.normal(shows * 2.0, 1)
    of = np.array([0, 1, 2, 3])
    pairs = free.Pairs(phrase, ecg, logit, logit, shows)
    found = free.crossed(pairs, of)
    mine = (phrase % 2 == 0) & (ecg % 2 == 0)
    lied = free.crossed(replace(pairs, shows=np.where(mine, ~shows, shows)), of)
    assert lied[mine] == pytest.approx(found[mine]) and found[shows].mean() > found[~shows].mean()
    assert free._row("x", np.array([0.96, 0.96, 0.1, 0.97]), np.array([True, False, False, True]))


def test_what_verification_leaves_as_free_text_is_put_to_drawn_ecgs(tiny_checkpoint):
    free, model = bench("free_phrases"), Focal.load(tiny_checkpoint)
    lines = free.free_lines(model)
    assert len(lines) > 10
    pairs = free.asked(model, lines, [simulate(900_000_000 + seed) for seed in range(6)])
    assert pairs.shows.sum() >= (~pairs.shows).sum() > 0
    assert np.isfinite(pairs.free).all() and np.abs(pairs.free - pairs.named).max() > 0


def test_a_ruler_is_read_otherwise_by_recordings_that_begin_later(tmp_path, monkeypatch, capsys):
    readings = bench("ruler_readings")
    shards = build(Simulation(count=1, seed=5), tmp_path / "one")
    whole = shards.ecg(0)
    later = readings.Moved(shards.folder, shards.manifest, shards.index, 0.2).ecg(0)
    sooner = readings.Moved(shards.folder, shards.manifest, shards.index, -0.2).ecg(0)
    steps = round(0.2 * whole.sampling_rate_hz)
    assert np.array_equal(later.signal_mv[:, :-steps], whole.signal_mv[:, steps:])
    assert np.array_equal(sooner.signal_mv[:, steps:], whole.signal_mv[:, :-steps])
    assert np.isnan(later.signal_mv[:, -steps:]).all() and np.isnan(sooner.signal_mv[:, 0]).all()
    asked = ["ruler_readings", "--ruler", str(tmp_path), "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", asked)
    with pytest.raises(ConfigError, match="needed the --out"):
        readings.main()
