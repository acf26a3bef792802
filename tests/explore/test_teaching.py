"""Claims about teaching sets and their worksheets."""

import base64
import hashlib
import json
import random
import re
import zlib
from dataclasses import replace

import pytest

from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery.gallery import EMBEDDED
from focal_app.explore.cases.gallery.table import facts_of
from focal_app.explore.cases.label_order import diagnoses, telling_first
from focal_app.explore.cases.limits import MOST_CASES
from focal_app.explore.cases.quiz import asked_of
from focal_app.explore.cases.teaching import TeachingSet
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.figures.quiz_page import quiz_page, read_answers
from focal_app.figures.worksheet import Sheet, file_name, worksheet
from focal_app.lexicon import load_lexicon
from focal_app.teaching_lines import line_of, usual_patient

TAUGHT = TeachingSet("Blöcke & <b>", "Name the block.\nThen the rate.", ("case-03", "case-01"))


def link_of(values: object) -> str:
    packed = zlib.compress(json.dumps(values).encode())
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def test_a_set_survives_json_and_a_link():
    assert TeachingSet.from_json(TAUGHT.to_json()) == TAUGHT
    assert TeachingSet.from_link(TAUGHT.to_link()) == TAUGHT


def test_notes_on_cases_survive_json_and_a_link():
    noted = TeachingSet("t", "", ("case-03", "case-01"), {"case-01": "Sieh V1 an.\n<b>"})
    assert TeachingSet.from_json(noted.to_json()) == noted
    assert TeachingSet.from_link(noted.to_link()) == noted


def test_sets_that_were_saved_before_notes_still_open():
    old = {"kind": "focal-teaching-set", "title": "t", "note": "n", "cases": ["case-03", "case-01"]}
    same = TeachingSet("t", "n", ("case-03", "case-01"))
    assert TeachingSet.from_json(json.dumps(old)) == same
    assert TeachingSet.from_link(link_of(["t", "n", "case-03", "case-01"])) == same
    assert json.loads(same.to_json()) == old  # and what has no notes is written as before


def test_a_set_of_which_notes_no_link_can_hold_is_refused_as_a_link_alone():
    keys = tuple(f"case-{n}" for n in range(MOST_CASES))
    chance = random.Random(5)
    noted = {key: "".join(chance.choices("abcdefghijklmnop", k=600)) for key in keys}
    full = TeachingSet("t", "", keys, noted)
    assert TeachingSet.from_json(full.to_json()) == full
    with pytest.raises(GalleryError, match="save it as a file"):
        full.to_link()


def test_the_identity_of_a_set_is_its_cases_in_their_order_and_tells_none():
    one, two = (TeachingSet("t", "", keys) for keys in (("a", "b"), ("b", "a")))
    assert one.identity == TeachingSet("other", "n", ("a", "b"), {"a": "x"}).identity
    assert one.identity != two.identity and len(one.identity) == 16


def test_a_link_needs_no_escaping_and_fits_an_address():
    many = TeachingSet(
        "t" * 120, "n" * 2000, tuple(f"simulated-{i:04d}" for i in range(MOST_CASES))
    )
    assert re.fullmatch(r"[\w-]+", many.to_link(), re.ASCII)
    assert len(many.to_link()) < 1500


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "{", '{"kind": "focal-teaching-set"}', "[" * 5000]
    + [
        json.dumps({"kind": "focal-teaching-set", "title": "", "note": "", "cases": cases})
        for cases in ([], ["../x"], ["<script>"], [1], ["a", "a"], ["a"] * 61, "abc", {"a": 1})
    ]
    + [
        json.dumps(
            {"kind": "focal-teaching-set", "title": "", "note": "", "cases": ["a"], "notes": notes}
        )
        for notes in (["a"], "a", None, {"b": "x"}, {"a": 1}, {"a": "x" * 601})
    ],
)
def test_other_json_is_refused(text):
    with pytest.raises(GalleryError):
        TeachingSet.from_json(text)


@pytest.mark.parametrize(
    "value",
    ["", "!", "abc", "ä", "A" * 9000]
    + [
        link_of(values)
        for values in (
            [],
            {},
            {"t": 1, "n": 2, "a": 3},
            ["t", "n", "../x"],
            [1, 2, "case-01"],
            ["x" * 121, "", "a"],
            "a" * 10_000_000,
            ["t", "n", ["a", 1]],
            ["t", "n", ["a", "b", "c"]],
            ["t", "n", [["a"], "b"]],
            ["t", "n", ["a", "x" * 601]],
        )
    ],
)
def test_other_links_are_refused(value):
    with pytest.raises(GalleryError):
        TeachingSet.from_link(value)


def test_half_a_character_is_no_part_of_a_set_or_an_answer():
    """It could be held, but not be told or saved: the page broke."""
    written = {"kind": "focal-teaching-set", "title": "\ud800", "note": "", "cases": ["a"]}
    with pytest.raises(GalleryError):
        TeachingSet.from_json(json.dumps(written))
    for values in (["\ud800", "", "a"], ["t", "\udfff", "a"], ["t", "", ["a", "\ud800"]]):
        with pytest.raises(GalleryError):
            TeachingSet.from_link(link_of(values))
    told = {"kind": "focal-quiz-answers", "set": "a", "answers": ["\ud800"]}
    with pytest.raises(GalleryError):
        read_answers(json.dumps(told))
    whole = TeachingSet("\U0001fac0", "", ("a",))
    assert TeachingSet.from_link(link_of(["\U0001fac0", "", "a"])) == whole


def test_a_set_gives_its_cases_in_order_and_names_missing_ones(gallery):
    assert [case.key for case in TAUGHT.cases(gallery)] == ["case-03", "case-01"]
    with pytest.raises(GalleryError, match="elsewhere-7"):
        TeachingSet("t", "", ("case-01", "elsewhere-7")).cases(gallery)


@pytest.fixture(scope="module")
def sheets() -> list[Sheet]:
    nasty = "<script>alert(1)</script>"
    return [Sheet(load_case("normal"), ("50 years", nasty), ("normal ECG", nasty), f"told {nasty}")]


def test_answers_stand_on_the_answer_sheet_alone(sheets):
    without, with_ = (worksheet("T", "N", sheets, answers=a) for a in (False, True))
    assert "normal ECG" not in without
    assert "told" not in without
    assert "normal ECG" in with_
    assert "told" in with_


def test_line_and_note_stand_on_the_answer_sheet_alone(sheets):
    noted = [replace(sheets[0], line="QRS is wide.", remark="See V1.")]
    for answers in (False, True):
        html = worksheet("T", "N", noted, answers=answers)
        assert ("QRS is wide." in html) == ("See V1." in html) == answers


def test_a_quiz_page_holds_no_answer_and_sends_nothing(sheets):
    noted = [replace(sheets[0], line="QRS is wide.", remark="See V1.")]
    html = quiz_page("T", "Name it.", noted, identity="0123456789abcdef")
    for telling in ("normal ECG", "told", "QRS is wide.", "See V1.", "case-0"):
        assert telling not in html.replace("const told =", "").replace("stringify(told", "")
    assert html.count("<input") == 1 and "50 years" in html and "Name it." in html
    assert "default-src 'none'" in html and html.count("<script>") == 1
    addresses = set(re.findall(r"https?://[^\"'\s]+", html))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "<img" not in quiz_page("<img src=x>", "<img>", noted, identity="<img>")


def test_the_script_of_a_quiz_page_is_the_one_that_its_policy_lets_run(sheets):
    html = quiz_page("T", "", sheets, identity="a")
    script = re.search(r"<script>(.*)</script>", html, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html.replace("&#43;", "+")


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "[" * 5000, '{"kind": "focal-quiz-answers"}', "x" * 200_000]
    + [
        json.dumps({"kind": "focal-quiz-answers", "set": "a", "answers": answers})
        for answers in ("abc", [1], {"a": 1}, ["a"] * 61)
    ]
    + [json.dumps({"kind": "other", "set": "a", "answers": []})],
)
def test_other_files_are_no_answers(text):
    with pytest.raises(GalleryError):
        read_answers(text)


def test_a_worksheet_runs_nothing_and_fetches_nothing(sheets):
    html = worksheet("<img src=x onerror=alert(1)>", "<i>", sheets, answers=True)
    assert "<script" not in html
    assert "<img" not in html
    assert "<i>" not in html
    assert not re.search(r"(src|href)=", html.replace("src=x", ""))
    addresses = set(re.findall(r"https?://[^\"'\s]+", html))
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_the_diagnosis_stands_first_and_the_licence_is_called_one():
    labels = ("narrow QRS complex", "sinus rhythm", "complete right bundle branch block")
    sheet = Sheet(load_case("normal"), ("50 years", "licence MIT"), labels)
    html = worksheet("T", "", [sheet], answers=True)
    assert '<p class="first">complete right bundle branch block, sinus rhythm</p>' in html
    assert html.index("sinus rhythm") < html.index("narrow QRS complex")
    assert "50 years · licence MIT" in html


def test_labels_are_told_as_a_cardiologist_tells_them():
    labels = ("upright T waves", "sinus rhythm", "hypertrophy", "atrial flutter", "own words")
    told = telling_first((*labels, "inferior myocardial infarction"))
    assert told[:4] == (
        "inferior myocardial infarction",
        "atrial flutter",
        "hypertrophy",
        "sinus rhythm",
    )
    assert told[-1] == "own words"
    assert diagnoses(labels) == ("atrial flutter", "hypertrophy", "sinus rhythm")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("RSR' — tutorial <b>1</b>", "rsr-tutorial-b-1-b"),
        ("../../etc/passwd", "etc-passwd"),
        ("Blöcke", "blöcke"),
        ("心电图", "心电图"),
        ("…", "worksheet"),
        ("x" * 120, "x" * 60),
    ],
)
def test_a_sheet_is_named_by_its_title(title, name):
    assert file_name(title) == name


def test_every_embedded_case_has_a_line_and_a_patient_whom_its_disease_fits():
    held = [facts_of(line) for line in (EMBEDDED / "cases.jsonl").read_bytes().splitlines()]
    lexicon = load_lexicon()
    for facts in held:
        assert asked_of(facts) == facts.shows and line_of(facts.shows).source
        youngest, oldest = usual_patient(facts.shows).ages
        assert youngest <= facts.age_years <= oldest and facts.sex
        labels = {*facts.labels}.union(*(lexicon.ancestors(tag) for tag in facts.labels))
        assert {*facts.shows} <= labels
    women = [usual_patient(facts.shows).women for facts in held]
    drawn = sum(facts.sex == "female" for facts in held)
    spread = sum(share * (1 - share) for share in women) ** 0.5
    assert abs(drawn - sum(women)) < 3 * spread
