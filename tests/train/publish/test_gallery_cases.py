"""Simulated cases of a gallery: patients whom the disease fits, who show what they should."""

import json

import pytest

from focal_app.ecg.files import read_recording
from focal_app.errors import ConfigError
from focal_app.explore.cases.gallery.sources import folder_of_cases
from focal_app.lexicon import load_lexicon
from focal_app.teaching_lines import usual_patient
from train.publish.gallery_cases import shown_by, write_gallery_cases
from train.simulate import STATES

LEXICON = load_lexicon()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("cases")
    write_gallery_cases(made, count=len(STATES), seed=6)
    return made


def test_every_case_is_of_a_patient_whom_its_disease_fits_and_shows_it(folder):
    rows = [json.loads(line) for line in (folder / "cases.jsonl").read_text().splitlines()]
    assert len(rows) == len(STATES)
    for row, state in zip(rows, sorted(STATES), strict=True):
        usual = usual_patient(shown_by(state))
        assert usual.ages[0] <= row["age_years"] <= usual.ages[1]
        held = {*row["labels"]}.union(*(LEXICON.ancestors(tag) for tag in row["labels"]))
        assert {*row["shows"]} <= held and tuple(row["shows"]) == shown_by(state)


def test_the_recording_says_the_same_age_and_sex_as_the_list(folder):
    row = json.loads((folder / "cases.jsonl").read_text().splitlines()[0])
    facts = read_recording([folder / row["file"]]).source
    assert (facts.age_years, facts.sex) == (row["age_years"], row["sex"])


def test_what_a_case_stands_for_is_read_into_the_gallery(folder):
    first = next(folder_of_cases(folder))
    assert first.facts.shows == shown_by(sorted(STATES)[0])


def test_the_same_seed_gives_the_same_cases(folder, tmp_path):
    write_gallery_cases(tmp_path, count=len(STATES), seed=6)
    assert (tmp_path / "cases.jsonl").read_bytes() == (folder / "cases.jsonl").read_bytes()


def test_fewer_cases_than_states_are_refused(tmp_path):
    with pytest.raises(ConfigError):
        write_gallery_cases(tmp_path, count=3, seed=6)
