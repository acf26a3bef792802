"""The set that is taught from: filled, shown, hidden and revealed."""

import random
from copy import deepcopy
from html.parser import HTMLParser

import pytest
from markupsafe import Markup

from focal_app.ecg.recording import LEADS
from focal_app.errors import GalleryError, PromptError
from focal_app.explore.cases.gallery import Case, Facts
from focal_app.explore.cases.limits import LONGEST_REMARK, MOST_CASES
from focal_app.explore.cases.teaching import TeachingSet
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.figures.thumbnail import thumbnail_svg
from focal_app.ui.cases import wording as case_wording
from focal_app.ui.teach import html, wording
from focal_app.ui.teach import state as lessons
from focal_app.ui.teach.state import Lesson

PLANTED = "<img src=x onerror=alert(1)>'\""
PICTURE = Markup("<svg></svg>")


def case(key="simulated-0001", **told):
    known = {
        "labels": ("wide QRS complex", "left bundle branch block", "sinus rhythm"),
        "report": "a report",
        "sex": "female",
        "age_years": 61,
        "source": "Somewhere (somebody 2020)",
        "licence": "CC BY 4.0",
    }
    return Case(0, Facts(key=key, **{**known, **told}))


def pictured(*cases):
    return [html.Drawn(one, PICTURE, "hard") for one in cases]


class Told(HTMLParser):
    """Everything that a page says: words, and what stands in attributes."""

    def __init__(self, page):
        super().__init__()
        self.said = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.said += [str(value) for _, value in attrs]

    def handle_data(self, data):
        self.said.append(data)


@pytest.fixture
def lesson():
    return Lesson("Blocks", "Name each.", ("a", "b", "c"))


def test_a_case_is_put_into_the_set_and_taken_out(lesson):
    assert lessons.kept(lesson, "d").keys == ("a", "b", "c", "d")
    assert lessons.kept(lesson, "b").keys == ("a", "c")
    assert lessons.dropped(lesson, 1).keys == ("a", "c")


def test_cases_of_a_quiz_follow_those_of_the_set_each_once(lesson):
    assert lessons.with_cases(lesson, ("b", "d")).keys == ("a", "b", "c", "d")
    many = tuple(f"case-{number}" for number in range(MOST_CASES))
    assert lessons.with_cases(Lesson(), many).keys == many
    with pytest.raises(PromptError, match="remove some"):
        lessons.with_cases(lesson, many)


def test_the_case_that_is_shown_stays_within_the_set(lesson):
    last = lessons.opened(lesson, 2)
    assert last.shown == "c" and lessons.dropped(last, 2).shown == "b"
    alone = Lesson(keys=("a",))
    assert lessons.dropped(alone, 0).shown is None
    for number in (-1, 3):
        with pytest.raises(PromptError):
            lessons.opened(lesson, number)


def test_a_full_set_and_an_empty_one_say_so():
    full = Lesson(keys=tuple(f"k{number}" for number in range(MOST_CASES)))
    with pytest.raises(PromptError, match=str(MOST_CASES)):
        lessons.kept(full, "one more")
    with pytest.raises(GalleryError):
        _ = Lesson().taught


def test_a_set_that_is_opened_hides_its_labels_until_they_are_revealed():
    opened = lessons.with_set(TeachingSet("Blocks", "Name each.", ("a", "b")))
    assert opened.hides("a") and opened.hides("b")
    told = lessons.revealed(opened, 1)
    assert told.shown == "b" and not told.hides("b") and told.hides("a")
    assert lessons.hiding(told, on=True).hides("b")


def test_a_hidden_card_tells_nothing_in_words_or_attributes():
    one, two = case(), case("simulated-0002")
    lesson = Lesson(keys=(one.key, two.key), hidden=True)
    said = " ".join(Told(html.cards(lesson, pictured(one, two)) + html.share(lesson)).said)
    for telling in ("bundle", "QRS", "rhythm", "report", one.key, two.key, lesson.taught.to_link()):
        assert telling not in said
    assert wording.case_number(1) in said and "61 years" in said


def test_a_card_names_what_is_asked_and_at_most_two_other_diagnoses():
    labels = ("wide QRS complex", "sinus rhythm", "atrial fibrillation", "left atrial enlargement")
    labels += ("first degree AV block", "left bundle branch block")
    full = case(labels=labels, shows=("left bundle branch block",))
    shown = html.cards(Lesson(keys=("simulated-0001",)), pictured(full))
    assert '<span class="name">left bundle branch block</span>' in shown
    assert shown.count('class="chip"') == html.MOST_CHIPS
    assert "sinus rhythm" not in shown and "wide QRS" not in shown
    bare = html.cards(Lesson(keys=("simulated-0001",)), pictured(case(labels=())))
    assert wording.NO_DIAGNOSIS in bare and "chip" not in bare


def test_cards_of_patients_whom_the_model_knows_say_so():
    lesson = Lesson(keys=("a", "b"), hidden=True)
    shown = html.cards(lesson, pictured(case("a", trained=True), case("b", trained=False)))
    assert shown.count(case_wording.TRAINED_BRIEF) == 1


def test_what_a_case_teaches_is_told_with_its_labels_alone():
    assert "120 ms" in html.taught(case(labels=("complete left bundle branch block",)))
    assert html.taught(case(labels=())) == ""


def test_a_revealed_card_alone_is_told():
    cases = [case("a"), case("b", labels=("atrial flutter",))]
    lesson = lessons.revealed(Lesson(keys=("a", "b"), hidden=True), 1)
    shown = html.cards(lesson, pictured(*cases))
    assert "atrial flutter" in shown and "bundle" not in shown
    assert shown.count(wording.REVEAL) == 2  # the word and the label of one button


def test_link_and_file_stand_where_labels_may_be_told(lesson):
    assert lesson.taught.to_link() in html.share(lesson)
    assert html.share(Lesson()) == ""


def test_a_note_on_a_case_goes_with_it_and_goes_when_it_goes(lesson):
    noted = lessons.remarked(lesson, 1, "  See V1.  ")
    assert noted.taught.remarks == {"b": "See V1."}
    assert lessons.dropped(noted, 1).remarks == {} == lessons.remarked(noted, 1, " ").remarks
    assert lessons.dropped(noted, 0).taught.remarks == {"b": "See V1."}
    assert len(lessons.remarked(lesson, 0, "x" * 5000).remarks["a"]) == LONGEST_REMARK
    with pytest.raises(PromptError):
        lessons.remarked(lesson, 7, "gone")


def test_a_note_is_written_where_labels_are_told_and_read_where_they_are_revealed():
    noted = Lesson(keys=("a", "b"), remarks={"a": "See V1."})
    assert "<textarea" in html.remark(noted) and "See V1." in html.remark(noted)
    hidden = lessons.with_set(noted.taught)
    assert html.remark(hidden) == ""
    told = html.remark(lessons.revealed(hidden, 0))
    assert "See V1." in told and "<textarea" not in told
    assert html.remark(Lesson()) == ""


def test_who_shares_notes_is_told_that_they_can_be_read():
    noted = Lesson(keys=("a",), remarks={"a": "See V1."})
    assert wording.NOTES_GO_ALONG in html.share(noted)
    assert wording.NOTES_GO_ALONG not in html.share(Lesson(keys=("a",)))


def test_notes_that_no_link_can_hold_leave_the_file():
    chance = random.Random(3)
    keys = tuple(f"k{n}" for n in range(60))
    long = {key: "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=600)) for key in keys}
    shown = html.share(Lesson(keys=keys, remarks=long))
    assert "data-link" not in shown and wording.SAVE_SET in shown and "save it as a file" in shown


def test_a_card_says_how_hard_the_case_is_and_the_list_by_which_rule():
    shown = html.cards(Lesson(keys=("simulated-0001",)), pictured(case()))
    assert "61 years, female · hard" in shown and "It is the model&#39;s measure" in shown


def test_nothing_foreign_reaches_the_cards_as_markup():
    planted = case(labels=(PLANTED,), source=PLANTED, licence=PLANTED, report=PLANTED)
    lesson = Lesson(PLANTED, PLANTED, (planted.key,), {planted.key: f"</textarea>{PLANTED}"})
    shown = html.cards(lesson, pictured(planted)) + html.heading(lesson) + html.remark(lesson)
    assert "<img" not in shown and "&lt;img" in shown


def test_a_picture_is_small_and_holds_no_word():
    picture = thumbnail_svg(load_case("inferior-infarction"))
    assert len(picture) < 12_000
    said = " ".join(Told(picture).said)
    assert not [lead for lead in LEADS if f"{lead} " in said.replace("M", "").replace("L", "")]
    assert "<text" not in picture and "aria-label" not in picture
    assert picture.count("M") == len(LEADS)


def test_a_gap_leaves_the_picture_open():
    ecg = deepcopy(load_case("normal"))
    ecg.signal_mv[1, 200:400] = float("nan")
    assert thumbnail_svg(ecg).count("M") == len(LEADS) + 1
