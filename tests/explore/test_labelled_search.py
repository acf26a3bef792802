"""Claims about searches and labels: each hit says whether it is labelled so, and others can go."""

import json

import pytest
from gallery_cases import CASES

from focal_app.__main__ import main
from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.cases.gallery.gallery import EMBEDDED
from focal_app.explore.cases.search import (
    NO_CASE_SHOWN,
    NO_LABEL_OF_VALUES,
    NO_LABEL_OF_WORDS,
    NONE_LABELLED,
    NOT_TELLABLE,
    search,
)
from focal_app.explore.reading.explorer import Explorer


@pytest.fixture(scope="module")
def real():
    """The embedded model and gallery."""
    explorer = Explorer.load()
    return explorer, Gallery.open(EMBEDDED, explorer.model)


def labelled(hit, tag):
    return tag in hit.case.facts.labels


@pytest.mark.parametrize("text", ["complete heart block", "third degree AV block in women"])
def test_the_likeliest_case_need_not_be_labelled_so_and_says_it(real, text):
    hits = search(*real, text, top=12).hits
    assert {hit.labelled for hit in hits} == {True, False}
    assert all(hit.labelled == labelled(hit, "third degree AV block") for hit in hits)
    alone = search(*real, text, top=12, only_labelled=True).hits
    assert alone and all(labelled(hit, "third degree AV block") for hit in alone)
    assert [hit.score for hit in alone] == sorted((hit.score for hit in alone), reverse=True)


def test_what_is_not_wanted_counts_by_its_label_too(explorer, gallery):
    hits = search(explorer, gallery, "no AF", top=CASES, at_least=0.0).hits
    assert {hit.labelled for hit in hits} == {True, False}
    assert all(hit.labelled != labelled(hit, "atrial fibrillation") for hit in hits)


def test_of_places_and_of_numbers_labels_say_nothing(explorer, gallery):
    placed = search(explorer, gallery, "AF in V1", top=3, at_least=0.0, only_labelled=True)
    assert len(placed.hits) == 3 and placed.warnings[-1] == NOT_TELLABLE
    assert {hit.labelled for hit in placed.hits} == {None}
    assert {hit.labelled for hit in search(explorer, gallery, "age over 30").hits} == {None}


@pytest.mark.parametrize(
    ("text", "why"),
    [("slurred terminal S", NO_LABEL_OF_WORDS), ("age over 30", NO_LABEL_OF_VALUES)],
)
def test_why_labels_cannot_tell_is_said_as_it_is(explorer, gallery, text, why):
    found = search(explorer, gallery, text, only_labelled=True)
    assert found.hits and found.warnings[-1] == why and NOT_TELLABLE not in found.warnings
    assert why not in search(explorer, gallery, text).warnings


def test_where_labels_cannot_tell_and_no_case_shows_it_nothing_is_said_of_labels(real):
    for only_labelled in (False, True):
        found = search(*real, "delta wave in II", only_labelled=only_labelled)
        assert found.hits == () and found.warnings == (NO_CASE_SHOWN,)


def test_that_no_case_is_labelled_so_is_said(explorer, gallery):
    found = search(explorer, gallery, "wolff-parkinson-white", at_least=0.0, only_labelled=True)
    assert found.hits == () and found.warnings == (NONE_LABELLED,)


def test_the_command_tells_and_leaves_out(capsys):
    assert main(["search", "complete heart block", "--top", "6", "--json"]) == 0
    told = [hit["labelled"] for hit in json.loads(capsys.readouterr().out)["hits"]]
    assert False in told
    assert main(["search", "complete heart block", "--top", "3", "--labelled", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert [hit["labelled"] for hit in hits] == [True] * 3
