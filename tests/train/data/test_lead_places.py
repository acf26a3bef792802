"""Recordings of which nobody drew places are taught the leads of the lexicon, where asked for."""

from pathlib import Path

import pytest

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_lexicon
from train.__main__ import main
from train.data.corpus import Corpus
from train.data.places import LeadPlaces
from train.data.shards import Shards
from train.fit.soft_targets import Vocabulary

RECIPE = """
signal: {{normalisation: millivolt, sampling_rate_hz: 100, window_samples: 100}}
encoder: {{width: 16, depth: 1, heads: 2, stem: linear}}
text: {{name: {text}, pooling: mean, max_tokens: 16}}
tuning: {{steps: 0}}
objective: {{routing: cross, targets: lexicon, place_weight: 1}}
coarse: {{steps: 1, batch: 4, bf16: false}}
embed_dim: 8
"""
SPEC = SignalSpec(sampling_rate_hz=100, window_samples=100, normalisation="millivolt")


def test_reports_teach_the_leads_of_what_they_state_only_where_that_is_asked_for(
    archive_shards: Shards,
) -> None:
    words, lexicon = Vocabulary.of({*archive_shards.vocabulary}, None), load_lexicon()
    silent, taught = (
        next(Corpus([archive_shards], SPEC, numbers=words.numbers, by_leads=asked).batches(12))
        for asked in (None, LeadPlaces(words.names))
    )
    assert not len(silent.shown) and len(taught.shown) and taught.hedged.any()
    rows = zip(taught.owner, taught.tags, taught.hedged, strict=True)
    said = {(int(e), words.names[t]) for e, t, suspected in rows if not suspected}
    placed = {(e, tag) for e, tag in said if tag in lexicon and lexicon[tag].leads}
    shown = list(zip(taught.shown_in.tolist(), taught.shown.tolist(), taught.places, strict=True))
    assert {(e, words.names[tag]) for e, tag, _ in shown} == placed
    for _, tag, patches in shown:
        leads = patches.view(len(LEADS), -1).any(1)
        assert [lead for lead, on in zip(LEADS, leads, strict=True) if on] == [
            lead for lead in LEADS if lead in lexicon[words.names[tag]].leads
        ]


def test_verified_features_show_in_the_leads_of_the_lexicon_too(archive_shards: Shards) -> None:
    feature = "Q waves in inferior leads (II, III, aVF)"
    words = Vocabulary.of({*archive_shards.vocabulary, feature}, None)
    corpus = Corpus(
        [archive_shards],
        SPEC,
        numbers=words.numbers,
        more=dict.fromkeys(archive_shards.keys, (feature,)),
        by_leads=LeadPlaces(words.names),
    )
    batch = next(corpus.batches(3))
    shown = batch.places[batch.shown == words.numbers([feature])[0]]
    assert len(shown) == 3
    for one in shown:
        on = one.view(len(LEADS), -1).any(1)
        assert [lead for lead, here in zip(LEADS, on, strict=True) if here] == ["II", "III", "aVF"]


def test_a_weight_of_places_that_nobody_knows_is_refused(
    archive_shards: Shards, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "tiny.yaml"
    recipe.write_text(RECIPE.format(text=text))
    given = ["--config", str(recipe), "--shards", str(archive_shards.folder), "--workers", "0"]
    train = ["coarse", *given, "--out", str(tmp_path / "run")]
    assert main(train) == 2
    assert "--set objective.places=leads" in capsys.readouterr().err
    assert main([*train, "--set", "objective.places=leads"]) == 0
