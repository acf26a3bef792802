"""Laws of scoring an answer over the whole lexicon; what else was close; how hard a case is."""

from collections import Counter
from dataclasses import replace

import pytest

from focal_app.errors import GalleryError, PromptError
from focal_app.explore.cases.differential import choices, differential, relatives, tint_of
from focal_app.explore.cases.difficulty import LEVELS, Wish, difficulty, drawn, probabilities
from focal_app.explore.cases.gallery import Case, Facts, Gallery
from focal_app.explore.cases.gallery.gallery import EMBEDDED
from focal_app.explore.cases.quiz import PARTLY, TOO_GENERAL, asked_of, graded, score, score_or_none
from focal_app.explore.reading.explorer import Explorer
from focal_app.lexicon import load_lexicon

LEXICON = load_lexicon()
STATEMENTS = [one for one in LEXICON if one.tag not in TOO_GENERAL]


def facts(*labels):
    return Facts(key="a", labels=labels, source="made", licence="MIT")


def alone(answer, tag):
    """The score of an answer to an ECG that shows one thing."""
    return score(answer, (tag,), (tag,))


@pytest.fixture(scope="module")
def explorer():
    return Explorer.load()


@pytest.fixture(scope="module")
def embedded(explorer):
    return Gallery.open(EMBEDDED, explorer.model)


def test_every_name_of_a_statement_scores_full():
    names = [(name, one.tag) for one in STATEMENTS for name in one.names]
    assert len(names) > 1500
    assert [pair for pair in names if not alone(*pair).right] == []


def test_every_more_general_statement_scores_partly():
    for one in STATEMENTS:
        for general in LEXICON.ancestors(one.tag) - TOO_GENERAL:
            scored = alone(general, one.tag)
            assert scored.credit == PARTLY and scored.near == (general,)
            assert scored.missed == (one.tag,)


def test_every_unrelated_statement_scores_nothing():
    for one in STATEMENTS:
        line = {one.tag, *LEXICON.ancestors(one.tag), *LEXICON.descendants(one.tag)}
        others = [other.tag for other in STATEMENTS if other.tag not in line]
        assert [x for x in others if graded((x,), (one.tag,), (one.tag,)).credit] == []


def test_what_is_more_specific_than_the_label_scores_partly_and_fully_where_it_is_labelled():
    assert alone("complete LBBB", "left bundle branch block").credit == PARTLY
    labels = ("atrial flutter with 2:1 conduction",)
    assert score("flutter 2:1", ("atrial flutter",), labels).right
    assert score("AFL", ("atrial flutter",), labels).right


@pytest.mark.parametrize(
    "answer", ["banana", "qwerty", "I don't know", "no LBBB", "", "…", "rate 75", "x" * 201]
)
def test_words_that_are_no_finding_are_refused(answer):
    with pytest.raises(PromptError):
        alone(answer, "left bundle branch block")


def test_an_answer_that_cannot_be_asked_again_earns_nothing_where_it_names_nothing():
    tag = "left bundle branch block"
    assert score_or_none("LBBB", (tag,), (tag,)).right
    for nothing in ("", "banana", "no LBBB", "x" * 500):
        assert score_or_none(nothing, (tag,), (tag,)).missed == (tag,)


def test_that_something_is_abnormal_is_no_answer():
    with pytest.raises(PromptError, match="say what it is"):
        alone("abnormal ECG", "left bundle branch block")


def test_an_answer_of_several_findings_is_worth_the_share_that_is_there():
    wanted = ("left anterior fascicular block", "right bundle branch block")
    assert score("RBBB and LAFB", wanted, wanted).right
    half = score("RBBB", wanted, wanted)
    assert half.credit == 0.5 and half.missed == ("left anterior fascicular block",)


def test_the_age_of_an_infarction_counts():
    wanted = ("inferior myocardial infarction", "old myocardial infarction")
    assert score("old inferior MI", wanted, wanted).right
    assert score("inferior MI", wanted, wanted).credit == 0.5
    assert score("acute inferior MI", wanted, wanted).credit == 0
    acute = ("anterolateral myocardial infarction", "acute myocardial infarction")
    assert score("acute anterolateral infarction", acute, acute).right


def test_naming_many_findings_so_that_one_fits_is_worth_half_or_nothing():
    tag = "left bundle branch block"
    assert alone("LBBB and AF", tag).credit == PARTLY
    assert alone("LBBB, AF and WPW", tag).credit == 0
    assert alone("LBBB, no AF, no WPW", tag).right


def test_a_sign_of_what_is_asked_is_neither_right_nor_wrong():
    scored = alone("wide QRS", "left bundle branch block")
    assert scored.credit == 0 and scored.beside == ("wide QRS complex",) and not scored.wrong
    both = alone("wide QRS, LBBB", "left bundle branch block")
    assert both.right


def test_the_most_specific_diagnoses_are_asked():
    labels = ("complete left bundle branch block", "sinus rhythm", "wide QRS complex")
    assert asked_of(facts(*labels, "bundle branch block")) == (labels[0],)
    assert asked_of(facts("sinus rhythm", "normal ECG")) == ("normal ECG",)
    assert asked_of(facts("sinus rhythm", "sinus bradycardia")) == ("sinus bradycardia",)
    assert asked_of(facts("first degree AV block", "bradycardia")) == ("first degree AV block",)
    assert asked_of(facts("narrow QRS complex")) == ("narrow QRS complex",)
    assert asked_of(facts()) == ()
    made_for = replace(
        facts("left ventricular hypertrophy", "ST depression"), shows=("ST depression",)
    )
    assert asked_of(made_for) == ("ST depression",)


def test_relatives_are_mirror_images_and_siblings_never_kin():
    assert relatives("atrial fibrillation")[0] == "atrial flutter"
    assert "right bundle branch block" in relatives("complete left bundle branch block")
    for one in STATEMENTS:
        kin = {one.tag, *LEXICON.ancestors(one.tag), *LEXICON.descendants(one.tag)}
        assert not kin & {*relatives(one.tag)}


def test_of_the_answers_to_choose_from_exactly_one_is_right(embedded):
    for case in embedded:
        offered, wanted = choices(case), asked_of(case.facts)
        labels = case.facts.labels
        assert len(offered) == len({*offered}) == 4 and wanted in offered
        assert [one for one in offered if graded(one, wanted, labels).right] == [wanted]
    first = Counter(choices(case).index(asked_of(case.facts)) for case in embedded)
    assert max(first.values()) < len(embedded) / 2  # the place tells nothing


def test_what_the_model_holds_beside_the_answer_says_whether_it_is_labelled(embedded):
    case = embedded.case("simulated-0010")
    close = differential(embedded, case)
    found = probabilities(embedded, case)
    assert [tag for tag, _ in close.asked] == [*asked_of(case.facts)]
    for one in close.held:
        assert one.probability == found[one.tag] >= 0.1
        assert one.tag not in asked_of(case.facts)


def test_the_tint_is_where_the_model_looks_for_the_answer(explorer, embedded):
    case = next(c for c in embedded if "complete left bundle branch block" in c.facts.labels)
    tag, weights = tint_of(explorer, embedded, case)
    assert tag == asked_of(case.facts)[0] and weights.shape == (12, 10)
    again = explorer.read(embedded.ecg(case.number), [tag]).findings[0].weights
    assert abs(weights - again).max() < 0.2 * again.max()  # patches are stored in whole steps


def test_every_level_has_cases_and_a_quiz_holds_what_was_wished(embedded):
    levels = Counter(difficulty(embedded, case) for case in embedded)
    assert all(levels[level] >= 30 for level in LEVELS)
    for level in LEVELS:
        cases = drawn(embedded, Wish(8, level=level), seed=3)
        assert [difficulty(embedded, case) for case in cases] == [level] * 8
    blocks = drawn(embedded, Wish(5, finding="bundle branch block"), seed=3)
    for case in blocks:
        assert {"bundle branch block"} & {
            x for tag in case.facts.labels if tag in LEXICON for x in (tag, *LEXICON.ancestors(tag))
        }


def test_a_quiz_is_drawn_by_its_seed_and_asks_nothing_twice(embedded):
    one, same, other = (drawn(embedded, Wish(10), seed=seed) for seed in (1, 1, 2))
    assert one == same and one != other
    assert len({asked_of(case.facts) for case in one}) == len(one) == 10


def test_a_wish_that_no_case_meets_is_refused(embedded):
    with pytest.raises(GalleryError, match="asystole"):
        drawn(embedded, Wish(5, finding="asystole"), seed=1)


def test_a_surely_found_lone_diagnosis_is_easy_and_a_case_of_many_is_hard(embedded):
    for case in embedded:
        sure = min(probabilities(embedded, case)[tag] for tag in asked_of(case.facts))
        if difficulty(embedded, case) == "easy":
            assert sure >= 0.7
        if sure < 0.3:
            assert difficulty(embedded, case) == "hard"
    many = ("atrial fibrillation", "left bundle branch block", "first degree AV block")
    many += ("left ventricular hypertrophy", "old myocardial infarction")
    assert difficulty(embedded, Case(0, facts(*many))) == "hard"
