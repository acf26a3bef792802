"""A quiz: each case is answered once, told, and counted; what is shown before tells nothing."""

import json

import pytest

from focal_app.errors import GalleryError, PromptError
from focal_app.explore.cases.differential import Differential, Held, Relative
from focal_app.explore.cases.gallery import Case, Facts
from focal_app.explore.cases.quiz import Scored, score
from focal_app.ui.cases import wording as case_wording
from focal_app.ui.teach import quiz_html as html
from focal_app.ui.teach import quiz_state as quizzes
from focal_app.ui.teach import quiz_tab
from focal_app.ui.teach import quiz_wording as wording
from focal_app.ui.teach.prints import quiz_of
from focal_app.ui.teach.quiz_state import Given, Quiz
from focal_app.ui.teach.state import Lesson

PLANTED = "<img src=x onerror=alert(1)>'\""
RIGHT, PART, WRONG = Scored(1.0), Scored(0.5), Scored(0.0)
LABEL = "left bundle branch block"
CASE = Case(
    0,
    Facts(
        key="simulated-0007",
        labels=(LABEL,),
        report="Simulated: LBBB.",
        sex="female",
        age_years=61,
        source="made",
        licence="MIT",
    ),
)
CLOSE = Differential(((LABEL, 0.93),), (Relative("RBBB", "wide", 0.1),), (Held("AF", 0.4, False),))


def through(*scores):
    quiz = Quiz(tuple(f"k{n}" for n in range(len(scores))))
    for scored in scores:
        quiz = quizzes.next_case(quizzes.answered(quiz, "said", scored))
    return quiz


def test_a_case_is_answered_once_and_the_next_one_comes_when_asked():
    quiz = Quiz(("a", "b"))
    told = quizzes.answered(quiz, "LBBB", RIGHT)
    assert told.key == "a" and told.told
    with pytest.raises(PromptError):
        quizzes.answered(told, "RBBB", WRONG)
    second = quizzes.next_case(told)
    assert second.key == "b" and not second.over
    assert quizzes.next_case(second) == second  # nothing was answered yet


def test_the_end_counts_points_and_what_was_missed():
    quiz = through(RIGHT, PART, WRONG)
    assert quiz.over and quiz.key is None
    assert (quiz.points, quiz.right, quiz.partly) == (1.5, 1, 1)
    assert quiz.missed == ("k1", "k2")
    assert quizzes.again(quiz).keys == ("k1", "k2")
    with pytest.raises(PromptError):
        quizzes.answered(quiz, "more", RIGHT)
    assert not Quiz().over and Quiz().key is None


def test_before_the_answer_nothing_tells_it():
    shown = html.progress(Quiz(("simulated-0007", "b")), CASE, "hard") + html.asked()
    for telling in ("bundle branch block,", "simulated-0007", "Simulated", "report"):
        assert telling not in shown
    assert "1 of 2" in shown and "61 years" in shown and "hard" in shown


def test_after_the_answer_all_is_told():
    given = Given("RBBB", score("RBBB", (LABEL,), (LABEL,)))
    shown = html.told(given, CLOSE, remark="See V1.", tinted="the tint")
    for part in (wording.WRONG, LABEL, "See V1.", "93 %", "RBBB", "wide", "AF 40 %", "the tint"):
        assert part in shown
    assert "not labelled in this ECG" in shown
    assert wording.ASKED in html.told(Given("", WRONG), CLOSE)
    assert case_wording.TRAINED not in shown
    assert case_wording.TRAINED in html.told(given, CLOSE, trained=True)


def test_what_was_not_answered_is_summed_up_as_that():
    quiz = Quiz(("a", "b"), (Given("", WRONG), Given("RBBB", WRONG)))
    results = [html.Result("", given, (LABEL,)) for given in quiz.given]
    shown = html.summary(quiz, results)
    assert "0 of 2 points: 0 right, 0 partly right, 1 missed, 1 not answered." in shown
    assert shown.count(wording.UNANSWERED) == 1 and shown.count(f">{wording.WRONG}<") == 1
    assert wording.ASKED not in shown


def test_choices_are_told_by_their_place_and_none_is_marked():
    shown = html.asked((("AF",), ("LBBB", "old MI")))
    assert 'data-number="1">LBBB, old MI</button>' in shown
    assert shown.count('class="choice"') == 2


def test_nothing_foreign_reaches_a_quiz_as_markup():
    quiz = Quiz((PLANTED,), (Given(PLANTED, WRONG),), told=True)
    close = Differential(((PLANTED, None),), (Relative(PLANTED, PLANTED, None),), ())
    shown = html.told(quiz.given[0], close, remark=PLANTED, tinted=PLANTED) + html.asked(
        ((PLANTED,),)
    )
    shown += html.summary(quiz, [html.Result("", quiz.given[0], (PLANTED,))])
    assert "<img" not in shown and "&lt;img" in shown


def test_answers_that_are_handed_in_are_summed_up_at_once():
    quiz = quizzes.handed_in(("a", "b"), ("LBBB", ""), (RIGHT, WRONG))
    assert quiz.over and quiz.points == 1 and quiz.missed == ("b",)


class Bare:
    """A gallery of one case with a label and one without."""

    title = "Bare"

    def __init__(self):
        bare = Facts(key="bare", source="made", licence="MIT")
        self.held = (CASE, Case(1, bare))

    def __getitem__(self, number):
        return self.held[number]

    def number(self, key):
        return next((case.number for case in self.held if case.key == key), None)


def test_a_set_with_a_case_without_a_label_is_no_quiz_and_says_which(parts):
    """Nothing can be asked of it: the quiz broke when it came to that case."""
    handlers = quiz_tab.Handlers(parts, lambda: None, Bare)
    lesson = Lesson(keys=(CASE.key, "bare"))
    told = {"kind": "focal-quiz-answers", "set": lesson.taught.identity, "answers": ["AF", "x"]}
    handed = type("Told", (), {"text": json.dumps(told)})
    for by in (wording.TYPING, wording.CHOOSING):
        updates = handlers.quiz_set(Quiz(), lesson, by)
        assert "no label on case 2" in updates[parts.trouble] and parts.quiz not in updates
    assert "no label on case 2" in handlers.hand_in(Quiz(), lesson, handed)[parts.trouble]
    with pytest.raises(GalleryError, match="no label on case 2"):
        quiz_of(lesson, Bare())
