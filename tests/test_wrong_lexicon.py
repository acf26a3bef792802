"""A wrong lexicon or prompt set is refused, with all that is wrong in it."""

from pathlib import Path

import pytest

from focal_app.errors import LexiconError
from focal_app.lexicon import load_lexicon, load_prompt_sets

WRONG = """
weather:
  - {tag: rain, description: It rains., synonyms: [drizzle], parents: [water]}
rhythm:
  - {tag: one, description: One., synonyms: [Same-Name], parents: [two], scp: [A_]}
  - {tag: two, description: Two., synonyms: [same name], parents: [one], scp: [a]}
  - {tag: one, description: Again.}
  - {tag: mute, colour: red}
  - {tag: loose, description: Loose., leads: [V9], snomed: [12], features: [rain]}
  - {description: Nobody.}
device: 3
"""


def test_every_problem_of_a_wrong_lexicon_is_listed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG)
    with pytest.raises(LexiconError) as caught:
        load_lexicon(path)
    message = str(caught.value)
    wanted = [
        "found group 'weather'",
        "'rain': parents name 'water'",
        "'Same-Name' of 'one', 'same name' of 'two'",
        "the scp code 'A' belongs to more than one statement",
        "'one' is its own ancestor",
        "'two' is its own ancestor",
        "'one' stands twice",
        "'mute' has no description",
        "'mute' has an unknown field 'colour'",
        "'loose': found lead 'V9'",
        "'loose': snomed must be a list of texts",
        "'loose': feature 'rain' is of group 'weather'",
        "statement 6 of group 'rhythm' has no tag",
        "group 'device' holds no list",
    ]
    assert [text for text in wanted if text not in message] == []
    assert f"holds {len(wanted)} problem(s)" in message
    assert str(tmp_path) not in message


@pytest.mark.parametrize(
    ("relations", "clash"),
    [
        ("parents: [head], excludes: [head]", "'head'"),
        ("parents: [head, rival]", "'rival'"),
        ("parents: [head], features: [rival]", "'rival'"),
    ],
)
def test_a_statement_that_implies_what_it_excludes_is_refused(
    tmp_path: Path, relations: str, clash: str
) -> None:
    path = tmp_path / "clash.yaml"
    path.write_text(
        "rhythm:\n  - {tag: head, description: A., excludes: [rival]}\n"
        f"  - {{tag: rival, description: B.}}\n  - {{tag: below, description: C., {relations}}}\n"
    )
    with pytest.raises(LexiconError, match=f"'below' excludes {clash}, which it implies"):
        load_lexicon(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"rhythm: [unclosed", "no readable YAML"),
        (b"rhythm: []\nrhythm: []\n", "found rhythm twice in line 1"),
        (b"- a list\n", "holds no mapping"),
        (b"", "holds no mapping"),
        (b"\xff\xfe\x00", "no readable YAML"),
    ],
)
def test_a_file_that_is_no_lexicon_says_so(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    for load in (load_lexicon, load_prompt_sets):
        with pytest.raises(LexiconError, match=said):
            load(path)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match=r"absent\.yaml is missing; reinstall"):
        load_lexicon(tmp_path / "absent.yaml")


def test_every_problem_of_a_wrong_prompt_set_is_listed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "sets.yaml"
    path.write_text(
        "empty: {title: Empty, description: Nothing.}\n"
        "bare: {prompts: [sinus rhythm, Sinus-Rhythm]}\n"
        "odd: {title: Odd, description: Odd., classes: {YES: 3}}\n"
    )
    with pytest.raises(LexiconError) as caught:
        load_prompt_sets(path)
    message = str(caught.value)
    for text in (
        "prompt set 'empty' has no prompts",
        "prompt set 'bare' has no title",
        "prompt set 'bare' has no description",
        "prompt set 'bare' asks 'sinusrhythm' twice",
        "prompt set 'odd': prompts must be a list of texts",
    ):
        assert text in message
