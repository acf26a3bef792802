"""The checkpoint that comes with the app: its size, its figures, its card, and what it can do."""

import json
from dataclasses import asdict

import pytest

from focal_app.explore.reading.bundled_cases import bundled_case, load_case
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.report.candidates import lexicon_candidates
from focal_app.explore.report.table import table_of
from focal_app.explore.report.verification import verify
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.ui.about.tab import RIGHT_BLOCK
from focal_app.ui.about.wording import TOUR_REPORT
from focal_app.words.statements import report_tags
from train.benchmark.settings import Chosen
from train.benchmark.zeroshot import evaluate
from train.fit.tag_tuning import measure


@pytest.fixture(scope="module")
def model() -> Focal:
    return Focal.load(EMBEDDED)


@pytest.fixture(scope="module")
def figures() -> dict:
    return json.loads((EMBEDDED / "figures.json").read_text())


def test_it_is_small_and_every_file_fits_a_hub_without_large_file_storage():
    sizes = [file.stat().st_size for file in EMBEDDED.rglob("*") if file.is_file()]
    assert sum(sizes) <= 40 * 2**20
    assert max(sizes) < 10_000_000


def test_its_card_says_what_makes_a_patch_a_token(model):
    assert model.config.encoder.record_path
    assert model.config.encoder.entrance == "`conv` stem and a path over the whole record"
    assert model.config.encoder.entrance in (EMBEDDED / "README.md").read_text()


def test_it_holds_no_file_that_runs_code_when_it_is_loaded():
    kinds = {file.suffix for file in EMBEDDED.rglob("*") if file.is_file()}
    assert kinds <= {".safetensors", ".json", ".md", ".yaml"}


def test_held_out_wordings_find_their_statement_and_opposites_stay_apart(model):
    found = measure(model.text, load_lexicon())
    assert found.held_out >= 150
    assert found.held_out_accuracy >= 0.95
    assert found.highest_opposite < 0.5


def test_its_zero_shot_figure_is_that_of_its_card(model, figures, shared_ecg):
    noted = figures["zeroshot"]["ptbxl-super by prompt"]
    data = shared_ecg / "ptb-xl"
    found = evaluate(
        model, "ptbxl-super", Chosen(data=data, folds=tuple(noted["folds"]), cache=None)
    )
    assert found.macro_auc.value == pytest.approx(noted["macro_auc"]["value"], abs=0.005)
    assert found.recordings == noted["recordings"]
    assert found.macro_auc.value >= 0.82


def test_the_card_quotes_the_figures(figures):
    card = (EMBEDDED / "README.md").read_text()
    for found in figures["zeroshot"].values():
        assert f"{found['macro_auc']['value']:.3f}" in card
    assert f"{figures['tag_encoder']['held_out_accuracy']:.1%}" in card
    assert "not for diagnosis" in card


def test_a_bundled_case_shows_its_finding_first_among_its_rivals():
    explorer = Explorer.load()
    blocks = ["left bundle branch block", "right bundle branch block"]
    for case, first in (("left-bundle-branch-block", 0), ("right-bundle-branch-block", 1)):
        findings = explorer.read(load_case(case), blocks).findings
        assert findings[first].probability > 2 * findings[1 - first].probability


def test_the_tour_verifies_what_is_drawn_and_rejects_what_is_not():
    case, explorer = bundled_case(RIGHT_BLOCK), Explorer.load()
    tags = report_tags(TOUR_REPORT)
    found = verify(explorer, load_case(case.name), tags, lexicon_candidates(tags))
    table = table_of(found)
    assert {row.verdict.name for row in table.rows} == {"supported"}
    supported = {one.candidate.feature for one in table.supported}
    others = {one.candidate.feature for one in table.features} - supported
    assert len(supported) >= 3 and all(case.draws(feature) for feature in supported)
    assert others and {case.draws(feature) for feature in others} == {False}


def test_the_zones_are_those_that_were_measured():
    zones = Explorer.load().zones
    assert 0 < zones.low < zones.high < 1
    chosen, measured = ({one.source for one in some} for some in (zones.chosen_on, zones.measured))
    assert len(measured) == 2 and not chosen & measured
    for one in zones.measured:
        assert (one.above(zones.high).precision or 0) >= 0.9
        assert (one.above(zones.low).rightly_left_out or 0) >= 0.9


def test_reading_is_the_same_from_run_to_run(model):
    ecg = load_case("normal")
    one, two = (Explorer.load().read(ecg, ["normal ECG"]) for _ in range(2))
    first, second = asdict(one.findings[0]), asdict(two.findings[0])
    assert first["probability"] == second["probability"]
