"""Claims about what tags say of the statements of the lexicon."""

import random

import pytest
import torch

from focal_app.lexicon import load_lexicon
from train.fit.soft_targets import (
    CLASSES,
    SIGNS_OF_ST_T,
    Knowledge,
    Relation,
    Speech,
    Vocabulary,
    of_rows,
    present_and_known,
)

LEXICON = load_lexicon()
STATEMENTS = tuple(LEXICON.statements)
INDEX = {tag: i for i, tag in enumerate(STATEMENTS)}
SIGNS = SIGNS_OF_ST_T | {s.tag for s in LEXICON if s.group == "waveform"}
ONE = ["complete left bundle branch block"]
SIGN, CLASS = "inverted T waves", "ST-T change"


def made(records, spoken=(), *, classes_stated: bool = True):
    """Present and known (R, S) of records whose source speaks of these statements."""
    knowledge = Knowledge(LEXICON, [Speech(spoken, classes_stated)])
    entries = [[INDEX[tag] for tag in tags] for tags in records]
    return present_and_known(knowledge, entries, 0, range(len(STATEMENTS)))


def stated(tags, spoken=(), **options) -> dict[str, str]:
    """Every statement's state for one record: present, absent or unknown."""
    present, known = made([tags], spoken, **options)
    states = {(True, True): "present", (False, True): "absent", (False, False): "unknown"}
    pairs = zip(present[0].tolist(), known[0].tolist(), strict=True)
    return dict(zip(STATEMENTS, (states[pair] for pair in pairs), strict=True))


def relation(rows, columns, speech: Speech | None = None) -> Relation:
    """What each of some tags says, alone, of some columns; by default of a source of free words."""
    vocabulary = Vocabulary.of([*rows, *columns], LEXICON)
    knowledge = Knowledge(LEXICON, [speech or Speech()])
    entries = torch.from_numpy(vocabulary.entries)
    alone = torch.arange(len(rows))
    return knowledge.of(
        entries[vocabulary.numbers(rows)],
        alone,
        torch.zeros_like(alone),
        entries[vocabulary.numbers(columns)],
    )


def test_a_tag_implies_every_more_general_statement():
    state = stated(ONE)
    for tag in (*ONE, "left bundle branch block", "bundle branch block", "conduction disturbance"):
        assert state[tag] == "present"


def test_a_tag_denies_what_it_excludes():
    state = stated(ONE)
    assert state["normal ECG"] == state["incomplete left bundle branch block"] == "absent"


def test_a_silent_source_leaves_everything_else_open():
    state = stated(ONE)
    assert state["atrial fibrillation"] == state["hypertrophy"] == "unknown"


def test_what_the_source_could_have_named_and_did_not_is_absent():
    state = stated(ONE, ["atrial fibrillation", "inferior myocardial infarction"])
    assert state["atrial fibrillation"] == "absent"
    assert state["myocardial infarction"] == "absent"
    assert state["anterior myocardial infarction"] == "unknown"


def test_a_more_specific_statement_stays_open():
    state = stated(["left bundle branch block"])
    assert state["complete left bundle branch block"] == "unknown"


def test_a_sign_never_asserts_a_class_of_diagnoses():
    for sign in sorted(SIGNS):
        state = stated([sign])
        assert not [group for group in CLASSES if state[group] == "present"], sign


def test_a_sign_asserts_more_general_signs():
    assert stated([SIGN])["T wave abnormality"] == "present"


def test_a_class_at_which_only_a_sign_hints_is_absent_if_the_source_names_classes():
    assert stated([SIGN], [CLASS])[CLASS] == "absent"


def test_a_class_at_which_only_a_sign_hints_is_open_if_the_source_does_not():
    assert stated([SIGN], [CLASS], classes_stated=False)[CLASS] == "unknown"
    assert stated(ONE, [CLASS], classes_stated=False)[CLASS] == "absent"


def test_a_named_class_is_present_whatever_the_signs():
    for classes_stated in (True, False):
        state = stated([SIGN, CLASS], [CLASS], classes_stated=classes_stated)
        assert state[CLASS] == "present"


@pytest.mark.parametrize("seed", range(20))
def test_laws_hold_for_any_tags(seed):
    rng = random.Random(seed)
    tags = rng.sample(STATEMENTS, rng.randint(1, 6))
    vocabulary = rng.sample(STATEMENTS, 60)
    for classes_stated in (True, False):
        options = {"classes_stated": classes_stated}
        present, known = made([tags], vocabulary, **options)
        assert (present <= known).all()
        assert all(present[0, INDEX[tag]] for tag in tags)
        again = made([tags[::-1], tags * 2], vocabulary[::-1], **options)
        assert (again[0] == present).all() and (again[1] == known).all()
        more, _ = made([[*tags, rng.choice(STATEMENTS)]], vocabulary, **options)
        assert (more >= present).all()
        silent = made([tags], (), **options)
        assert (silent[0] == present).all() and (silent[1] <= known).all()


def test_records_do_not_see_each_other():
    together = made([ONE, [SIGN]], [CLASS])
    alone = made([[SIGN]], [CLASS])
    assert (together[0][1] == alone[0][0]).all() and (together[1][1] == alone[1][0]).all()


def test_a_tag_of_free_words_speaks_for_what_it_implies_and_is_silent_about_what_is_below():
    columns = [
        "myocardial infarction",
        "inferior myocardial infarction",
        "inferior MI",
        "atrial fibrillation",
        "a finding of no lexicon",
    ]
    found = relation(["inferior myocardial infarction"], columns)
    assert found.similarity.tolist() == [[1, 1, 1, 0, 0]]
    assert found.known.tolist() == [[1, 1, 1, 1, 1]]
    general = relation(["myocardial infarction"], columns[:2])
    assert general.similarity.tolist() == [[1, 0]] and general.known.tolist() == [[1, 0]]


def test_words_of_no_lexicon_are_present_where_they_are_said_in_any_case():
    found = relation(["Odd finding"], ["odd finding ", "another", "sinus rhythm"])
    assert found.similarity.tolist() == [[1, 0, 0]] and found.known.tolist() == [[1, 1, 1]]
    limited = relation(["odd finding"], ["Odd finding", "another"], Speech(["sinus rhythm"]))
    assert limited.known.tolist() == [[1, 0]]


def test_a_report_says_the_most_that_one_of_its_tags_says():
    rows = torch.tensor([[0.2, 1.0], [0.7, 0.0], [0.5, 0.5]])
    owner = torch.tensor([0, 0, 1])
    assert of_rows(rows, owner, 2).tolist() == [[pytest.approx(0.7), 1.0], [0.5, 0.5]]


def test_without_a_lexicon_a_tag_says_nothing_but_itself():
    names = ["myocardial infarction", "inferior myocardial infarction"]
    vocabulary = Vocabulary.of(names, None)
    entries = torch.from_numpy(vocabulary.entries)
    one = torch.zeros(1, dtype=torch.long)
    said = Knowledge(None, [Speech(["sinus rhythm"])]).of(entries[:1], one, one, entries)
    assert said.similarity.tolist() == [[1, 0]] and said.known.tolist() == [[1, 1]]


def test_what_is_asked_is_all_of_which_a_source_speaks_or_a_tag_says_something():
    knowledge = Knowledge(LEXICON, [Speech(["sinus rhythm"]), Speech(())])
    asked = {STATEMENTS[i] for i in knowledge.asked(Vocabulary.of(ONE, LEXICON))}
    assert {"sinus rhythm", "bundle branch block", "normal ECG", *ONE} <= asked
    assert "atrial fibrillation" not in asked
