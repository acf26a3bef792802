"""A finding has one probability, whatever name it is asked by."""

import numpy as np
import pytest
import torch

from focal_app.ecg.recording import LEADS
from focal_app.errors import PromptError
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.document import document
from focal_app.explore.reading.prompts import read_as
from focal_app.lexicon import load_lexicon, normalize_name

LBBB = "left bundle branch block"


def test_all_names_of_a_statement_get_one_probability(explorer):
    for statement in load_lexicon():
        tags = explorer.tags([*statement.names, statement.tag.upper()])
        assert torch.equal(tags, tags[:1].expand_as(tags)), statement.tag


def test_two_names_of_one_statement_stay_two_findings_that_agree(explorer):
    reading = explorer.read(load_case("normal"), ["LBBB", LBBB])
    ours, theirs = reading.findings
    assert (ours.prompt, theirs.prompt) == ("LBBB", LBBB)
    assert ours.probability == theirs.probability
    np.testing.assert_array_equal(ours.weights, theirs.weights)
    written = document(reading, heatmap=False)["findings"]
    assert [(f["prompt"], f["read_as"]) for f in written] == [("LBBB", LBBB), (LBBB, LBBB)]


@pytest.mark.parametrize("words", ["LBBB with notches", "wide LBBB", "slurred terminal S"])
def test_words_that_are_no_name_are_scored_as_typed(explorer, words):
    assert read_as(words) == words
    typed, known = explorer.tags([words, "LBBB"])
    assert not torch.equal(typed, known)
    assert torch.equal(typed, explorer.model.encode_tags([words.lower()])[0])


def test_only_the_letters_and_digits_of_a_whole_name_count():
    for statement in load_lexicon():
        for name in statement.names:
            assert read_as(f" {name.swapcase()}. ") == statement.tag
            assert read_as(f"{name} asdf") == f"{name} asdf"
            assert normalize_name(name) not in {"", "no", "not"}


def test_a_finding_in_some_leads_is_looked_for_in_these_alone(explorer):
    prompts = ["ST elevation in V2 and V3", "ST elevation V2-3", "ST elevation"]
    here, there, anywhere = explorer.read(load_case("normal"), prompts).findings
    assert here.probability == there.probability != anywhere.probability
    seen = np.isfinite(here.weights).any(axis=1)
    assert [LEADS[row] for row in np.flatnonzero(seen)] == ["V2", "V3"]
    assert np.nanmean(here.weights) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("prompt", ["no LBBB", "banana split", "PR 160 ms"])
def test_what_is_no_affirmed_finding_is_never_scored(explorer, prompt):
    with pytest.raises(PromptError, match=r"denies a finding|no ECG term|a measurement"):
        explorer.read(load_case("normal"), ["AF", prompt])
