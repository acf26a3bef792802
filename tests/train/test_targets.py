"""Claims about what tags say of the statements of the lexicon."""

import random

import numpy as np
import pytest

from train.targets import CLASSES, TargetMaker

ONE = ["complete left bundle branch block"]
SIGN, CLASS = "inverted T waves", "ST-T change"


def stated(maker: TargetMaker, tags, vocabulary=(), **options) -> dict[str, str]:
    """Every statement's state for one record: present, absent or unknown."""
    targets = maker.make([tags], vocabulary, **options)
    states = {(1, 1): "present", (0, 1): "absent", (0, 0): "unknown"}
    pairs = zip(targets.present[0].tolist(), targets.known[0].tolist(), strict=True)
    return dict(zip(maker.statements, (states[pair] for pair in pairs), strict=True))


def test_a_tag_implies_every_more_general_statement(maker):
    state = stated(maker, ONE)
    for tag in (*ONE, "left bundle branch block", "bundle branch block", "conduction disturbance"):
        assert state[tag] == "present"


def test_a_tag_denies_what_it_excludes(maker):
    state = stated(maker, ONE)
    assert state["normal ECG"] == state["incomplete left bundle branch block"] == "absent"


def test_a_silent_source_leaves_everything_else_open(maker):
    state = stated(maker, ONE)
    assert state["atrial fibrillation"] == state["hypertrophy"] == "unknown"


def test_what_the_source_could_have_named_and_did_not_is_absent(maker):
    state = stated(maker, ONE, ["atrial fibrillation", "inferior myocardial infarction"])
    assert state["atrial fibrillation"] == "absent"
    assert state["myocardial infarction"] == "absent"
    assert state["anterior myocardial infarction"] == "unknown"


def test_a_more_specific_statement_stays_open(maker):
    state = stated(maker, ["left bundle branch block"])
    assert state["complete left bundle branch block"] == "unknown"


@pytest.mark.parametrize("group", sorted(CLASSES))
def test_a_sign_never_asserts_a_class_of_diagnoses(maker, group):
    for sign in maker.signs:
        assert stated(maker, [sign])[group] != "present"


def test_a_sign_asserts_more_general_signs(maker):
    assert stated(maker, [SIGN])["T wave abnormality"] == "present"


def test_a_class_at_which_only_a_sign_hints_is_absent_if_the_source_names_classes(maker):
    assert stated(maker, [SIGN], [CLASS])[CLASS] == "absent"


def test_a_class_at_which_only_a_sign_hints_is_open_if_the_source_does_not(maker):
    assert stated(maker, [SIGN], [CLASS], classes_stated=False)[CLASS] == "unknown"
    assert stated(maker, ONE, [CLASS], classes_stated=False)[CLASS] == "absent"


def test_a_named_class_is_present_whatever_the_signs(maker):
    for classes_stated in (True, False):
        state = stated(maker, [SIGN, CLASS], [CLASS], classes_stated=classes_stated)
        assert state[CLASS] == "present"


@pytest.mark.parametrize("seed", range(20))
def test_laws_hold_for_any_tags(maker, seed):
    rng = random.Random(seed)
    tags = rng.sample(maker.statements, rng.randint(1, 6))
    vocabulary = rng.sample(maker.statements, 60)
    for classes_stated in (True, False):
        options = {"classes_stated": classes_stated}
        base = maker.make([tags], vocabulary, **options)
        assert set(np.unique([base.present, base.known])) <= {0, 1}
        assert (base.present <= base.known).all()
        assert all(base.present[0, maker.index[tag]] for tag in tags)
        again = maker.make([tags[::-1], tags * 2], vocabulary[::-1], **options)
        assert (again.present == base.present).all() and (again.known == base.known).all()
        more = maker.make([[*tags, rng.choice(maker.statements)]], vocabulary, **options)
        assert (more.present >= base.present).all()
        silent = maker.make([tags], (), **options)
        assert (silent.present == base.present).all() and (silent.known <= base.known).all()


def test_records_do_not_see_each_other(maker):
    together = maker.make([ONE, [SIGN]], [CLASS])
    alone = maker.make([[SIGN]], [CLASS])
    assert (together.present[1] == alone.present[0]).all()
    assert (together.known[1] == alone.known[0]).all()
