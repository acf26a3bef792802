"""About tells what a checkpoint's own files say, and nothing where they say nothing."""

import json

import pytest

from focal_app.explore.reading.checkpoint_card import FIGURES, Card, read_card
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.ui.about.tab import card_panel
from focal_app.ui.about.wording import NO_FIGURES

PLANTED = "<img src=x onerror=alert(1)>"
HUGE = '{"calibration": {"expected_error": ' + "9" * 400 + "}}"


def test_every_figure_of_the_embedded_checkpoint_is_shown():
    figures = json.loads((EMBEDDED / FIGURES).read_text())
    html = card_panel(read_card(EMBEDDED))
    assert "24,035 simulated recordings" in html and "other simulated" not in html
    assert "held-out patients" in html and "choices were made on these recordings" in html
    assert figures["zeroshot"]
    for name, task in figures["zeroshot"].items():
        auc = task["macro_auc"]
        assert name in html
        assert f"{auc['value']:.3f}" in html
        assert f"{auc['low']:.3f} to {auc['high']:.3f}" in html
    for counts in figures["data"]["sources"].values():
        assert f"{counts['train']:,} " in html


def test_what_a_second_encoder_learnt_from_otherwise_is_told(tmp_path):
    figures = json.loads((EMBEDDED / FIGURES).read_text())
    figures["data"]["second"] = {"sources": {"simulated": {"train": 7590, "validation": 410}}}
    (tmp_path / FIGURES).write_text(json.dumps(figures))
    html = card_panel(read_card(tmp_path))
    assert "7,590 other simulated recordings" in html and "24,035 simulated recordings" in html


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "[" * 100_000, '{"zeroshot": {"a": 1, "b": {}}}', HUGE]
)
def test_a_file_that_says_nothing_is_an_empty_card(tmp_path, text):
    (tmp_path / FIGURES).write_text(text)
    assert read_card(tmp_path) == Card()
    assert NO_FIGURES in card_panel(read_card(tmp_path))


def test_a_folder_without_figures_is_an_empty_card(tmp_path):
    assert read_card(tmp_path) == Card()


def test_names_in_the_file_are_escaped(tmp_path):
    auc = {"value": 0.5, "low": 0.4, "high": 0.6}
    figures = {
        "data": {"sources": {PLANTED: {"train": 3}}},
        "zeroshot": {PLANTED: {"macro_auc": auc, "classes": []}},
    }
    (tmp_path / FIGURES).write_text(json.dumps(figures))
    html = card_panel(read_card(tmp_path))
    assert "<img" not in html and html.count("&lt;img") == 2


def test_findings_of_the_embedded_checkpoint_have_held_out_figures():
    findings = read_card(EMBEDDED).findings
    assert findings["sinus rhythm"].positives == 70 and not findings["sinus rhythm"].few
    assert findings["premature atrial complex"].few
    assert all(0 <= one.auc <= 1 and one.positives for one in findings.values())
    assert Explorer.load().card.findings == findings
