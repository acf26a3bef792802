"""Putting a run into the app: nothing is replaced before the new one is whole."""

import json
import shutil

import pytest

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.data.fingerprint import fingerprint, refuse_another
from train.publish import embedded_checkpoint
from train.publish.embedded_checkpoint import ASSETS, Trained, card, embed
from train.recipe import load_recipe


def test_a_run_without_a_model_leaves_the_shipped_checkpoint_alone(tmp_path):
    shipped = tmp_path / "checkpoint"
    shipped.mkdir()
    (shipped / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match="train coarse"):
        embed(Trained(load_recipe("embedded"), tmp_path / "run"), [], None, shipped)
    assert (shipped / "config.json").read_text() == "{}"


def test_a_new_checkpoint_tells_what_was_made_for_the_one_that_it_replaces(
    tiny_checkpoint, tmp_path, monkeypatch, capsys
):
    run, target = tmp_path / "run", tmp_path / "checkpoint"
    shutil.copytree(tiny_checkpoint, run / "coarse" / "model")
    (run / "coarse" / "used.json").write_text("{}")
    shutil.copytree(tiny_checkpoint, target)
    (target / "zones.json").write_text("of the one before")
    monkeypatch.setattr(embedded_checkpoint, "measure", lambda *_: {})
    monkeypatch.setattr(embedded_checkpoint, "card", lambda *_: "")
    embed(Trained(load_recipe("embedded"), run), [], None, target)
    said = capsys.readouterr().out
    assert not (target / "zones.json").exists()
    for command in ("ruler", "combine", "verify-zones"):
        assert f"python -m train {command}" in said


@pytest.mark.parametrize(
    ("first", "second", "real", "taught"),
    [
        ("leads", None, True, True),
        ("leads", None, False, False),
        ("drawn", None, True, False),
        ("drawn", "leads", True, True),
    ],
)
def test_the_card_says_that_real_recordings_were_taught_the_lexicons_leads_where_they_were(
    tiny_checkpoint, tmp_path, first, second, real, taught
):
    figures = json.loads((ASSETS / "figures.json").read_text())
    if not real:
        figures["data"] = {"sources": {"simulated": figures["data"]["sources"]["simulated"]}}
        figures["zeroshot"] = {}
    recipe = load_recipe("embedded", changes={"objective.places": first})
    other = second and load_recipe("second-reader", changes={"objective.places": second})
    made = card(Focal.load(tiny_checkpoint), Trained(recipe, tmp_path, other), figures)
    assert ("taught, not that they found it" in made) == taught
    assert ("how far heatmaps keep to\nthe leads of a finding" in made) != taught


def test_a_fingerprint_follows_values_and_contents_and_nothing_else(tmp_path):
    file = tmp_path / "lexicon.yaml"
    file.write_text("a")
    recipe = load_recipe("embedded")
    first = fingerprint(recipe, 1, files=[file])
    assert first == fingerprint(load_recipe("embedded"), 1, files=[file])
    assert first != fingerprint(recipe, 2, files=[file])
    file.write_text("b")
    assert first != fingerprint(recipe, 1, files=[file])


def test_a_part_made_from_something_else_is_refused(tmp_path):
    noted = tmp_path / "made_from"
    old, new = fingerprint("old"), fingerprint("new")
    noted.write_text(old)
    refuse_another(noted, old, "tag encoder", "recipe")
    with pytest.raises(ConfigError, match=r"tag encoder .* was made by another recipe"):
        refuse_another(noted, new, "tag encoder", "recipe")
    for spoilt in (old[:7].encode(), b"\xff\xfe of no kind"):
        noted.write_bytes(spoilt)
        with pytest.raises(ConfigError, match="has no whole note made_from"):
            refuse_another(noted, old, "tag encoder", "recipe")
