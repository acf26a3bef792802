"""Answers as models word them, to features."""

import pytest

from focal_app.llm.answers import parse_features

TWO = ("absent P waves", "wide QRS")
ITEM = '["absent P waves", "wide QRS"]'


@pytest.mark.parametrize(
    "answer",
    [
        '{"features": ["absent P waves", "wide QRS"]}',
        ITEM,
        "['absent P waves', 'wide QRS']",
        "('absent P waves', 'wide QRS')",
        f"Here is the list:\n{ITEM}\nI hope this helps.",
        f"```python\nwaveform_features = {ITEM}\n```",
        f"```json\n{ITEM}\n```",
        f"Sure!\n```\n{ITEM}\n```\nThese [1] are typical.",
        f'<think>Maybe ["tall R waves"]?</think>\n{ITEM}',
        f"the template opened the thought: 1. tall R waves\n</think>{ITEM}",
        f"<think>\n</think>\n\n{ITEM}",
        "Features:\n1. absent P waves\n2. wide QRS\n",
        "Features:\n1) absent P waves\n2) wide QRS",
        "- absent P waves\n- wide QRS",
        "* absent P waves\n\n* wide QRS  ",
        "• absent P waves\n• wide QRS",
        '[{"feature": "absent P waves"}, {"feature": "wide QRS"}]',
        '{"list": ["absent P waves", "wide QRS"], "count": 2}',
        '[\n  "absent P waves",  \n  "wide QRS",\n]',
        "As in [II, V1], the list is ['absent P waves', 'wide QRS'].",
    ],
)
def test_two_features_are_read_however_they_are_written(answer: str) -> None:
    assert parse_features(answer) == TWO


def test_a_backslash_is_a_backslash() -> None:
    assert parse_features(r"['R\S ratio']") == (r"R\S ratio",)


def test_a_line_break_inside_a_text_is_text() -> None:
    assert parse_features('{"features": ["absent\nP waves"], "sure": true}') == ("absent\nP waves",)


def test_quotes_and_brackets_inside_a_feature_are_text() -> None:
    assert parse_features("It's [\"RSR' in V1 [wide]\", 'Q wave']") == (
        "RSR' in V1 [wide]",
        "Q wave",
    )


@pytest.mark.parametrize("answer", ["[]", '{"features": []}', "```json\n[]\n```"])
def test_a_list_of_nothing_is_an_answer(answer: str) -> None:
    assert parse_features(answer) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot help with that.",
        "<think>1. absent P waves\n2. wide QRS",
        '{"features": ["absent P waves", "wide Q',
        '["absent P waves", 3]',
        "[1, 2, 3]",
        '{"a": ["x"], "b": ["y"]}',
        "{}",
        "42",
        "[" * 10_000,
        "(" * 10_000 + ")" * 10_000,
        "[" * 5_000 + "]" * 5_000,
        "\x00\x01",
    ],
)
def test_what_lists_no_features_is_malformed(answer: str) -> None:
    assert parse_features(answer) is None


def test_nothing_is_evaluated() -> None:
    attack = "[__import__('os').system('touch /tmp/evaluated'), 'x' * 10**9]"
    assert parse_features(attack) is None


def test_a_long_answer_is_read_in_bounded_time() -> None:
    assert parse_features(f"{ITEM}\n" + "[{'\"" * 500_000) == TWO
