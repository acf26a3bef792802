"""JSON of others: bounded, shallow, and nothing but numbers where numbers are."""

import json
import time

import pytest

from focal_app.untrusted import DEEPEST, parse_json, read_json


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"a": ' + "[" * DEEPEST + "]" * DEEPEST + "}",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1, "a": 2}',
        '{"a": ' + "1" * 5_000 + "}",
        '{"a": ' + "9" * 400 + "}",
        "[]",
        "5",
        "",
        '{"a": "',
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        '"' * 50_000,
        "\\" * 50_000,
    ],
)
def test_what_is_no_plain_object_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)


def test_brackets_inside_texts_are_no_levels():
    values = {"a": "[{" * 100, 'b"[': ["\\", '\\"[[[' * 50]}
    assert parse_json(json.dumps(values)) == values


@pytest.mark.parametrize("text", ['\\"' * 40_000, '{"a": "' + '\\"' * 40_000])
def test_a_text_without_an_end_is_looked_through_once(text):
    start = time.process_time()
    with pytest.raises(ValueError):
        parse_json(text)
    assert time.process_time() - start < 2.0


def test_a_file_is_read_no_further_than_its_limit(tmp_path):
    (tmp_path / "a").write_bytes(b"{" + b" " * 1_000 + b"}")
    assert read_json(tmp_path / "a", most_bytes=2_000) == {}
    for content, most in ((b"{" + b" " * 1_000 + b"}", 1_000), (b"\xff\xfe", 9)):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(ValueError):
            read_json(tmp_path / "a", most_bytes=most)
