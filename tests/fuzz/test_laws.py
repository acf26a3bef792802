"""Laws of every parser, on inputs that Hypothesis makes: no other error than ours, and in time.

Nothing that is typed, sent or set may raise anything but a `FocalError`, and a longer text may
not take more than its length says.
"""

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focal_app.ecg.files import read_recording
from focal_app.ecg.header import parse_header
from focal_app.errors import FocalError
from focal_app.explore.cases.gallery.manifest import Manifest
from focal_app.explore.cases.gallery.table import facts_of
from focal_app.explore.cases.query import LONGEST_QUERY, parse
from focal_app.explore.cases.teaching import TeachingSet
from focal_app.explore.reading.prompts import cleaned, group_of, read_as
from focal_app.explore.report.candidates import lexicon_candidates
from focal_app.explore.report.language_model import server_from
from focal_app.llm.answers import parse_features
from focal_app.model.config import FocalConfig
from focal_app.ui.server.settings import read_settings
from focal_app.words.statements import LONGEST_REPORT, report_tags, typed_tag
from tests.fuzz.odd import FIELDS, NUMBERS, PATHS, VALUES, WORDS

SLOWEST_S = 1.0
"""Of 10,000 characters, on a busy machine; a law that grows faster than the text takes minutes."""
TRIES = 4
"""What else the machine does only adds; types that are checked at every call make it near."""

anything = st.text(st.characters(exclude_categories=()), max_size=300)
said = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=60).map(" ".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | anything | st.sampled_from(VALUES),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=20,
)


def _refused_or_done(call, *arguments):
    """What came of it; any other error than ours goes on up."""
    try:
        return call(*arguments)
    except FocalError as error:
        assert str(error)
        return None


@given(anything | said)
def test_a_report_gives_tags_that_candidates_are_found_for(text):
    tags = _refused_or_done(report_tags, text)
    assert lexicon_candidates(tags or ()) is not None
    assert [tag.tag for tag in tags or ()] == list(dict.fromkeys(tag.tag for tag in tags or ()))
    _refused_or_done(typed_tag, text)


@given(anything | said)
def test_a_query_is_understood_or_refused(text):
    found = _refused_or_done(parse, text)
    assert found is None or (found.terms and found.understood)


@given(st.lists(anything, max_size=8))
def test_prompts_are_asked_tidily_or_refused(prompts):
    for prompt in _refused_or_done(cleaned, prompts) or ():
        assert prompt == " ".join(prompt.split())
        assert read_as(prompt) and group_of(prompt)


@given(anything | said | values.map(lambda one: json.dumps(one)))
def test_an_answer_of_a_language_model_is_features_or_none(text):
    features = parse_features(text)
    assert features is None or all(isinstance(feature, str) for feature in features)


@given(anything | values.map(lambda one: json.dumps(one)))
def test_a_teaching_set_is_read_or_refused(text):
    _refused_or_done(TeachingSet.from_json, text)
    _refused_or_done(TeachingSet.from_link, text)


keys = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)
titles = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(titles, titles, st.dictionaries(keys, st.none() | titles, min_size=1, max_size=20))
def test_a_teaching_set_comes_back_from_its_file_and_its_link(title, note, noted):
    remarks = {key: remark for key, remark in noted.items() if remark is not None}
    taught = TeachingSet(title, note, tuple(noted), remarks)
    assert TeachingSet.from_json(taught.to_json()) == taught
    assert TeachingSet.from_link(taught.to_link()) == taught


names = st.sampled_from(
    [
        *("FOCAL_AUTH", "FOCAL_EXPIRE_MIN", "FOCAL_ALLOWED_HOSTS", "GRADIO_SERVER_NAME"),
        *("GRADIO_SERVER_PORT", "FOCAL_LLM_BASE_URL", "FOCAL_LLM_MODEL", "SPACE_ID"),
    ]
)
words = anything | st.sampled_from([*NUMBERS, *PATHS, "http://[::1", "http://h:99999/v1"])


@given(st.dictionaries(names, words))
def test_settings_are_usable_or_refused(environment):
    made = _refused_or_done(read_settings, environment)
    assert made is None or (0 < made.port < 65_536 and made.expire_s > 0)
    server = _refused_or_done(server_from, environment)
    assert server is None or server.host


@given(values)
def test_a_manifest_or_a_case_of_a_gallery_is_refused(tmp_path, value):
    (tmp_path / "gallery.json").write_text(json.dumps(value))
    assert _refused_or_done(Manifest.read, tmp_path) is None
    assert _refused_or_done(facts_of, json.dumps(value).encode()) is None


@given(st.data())
def test_a_checkpoints_config_with_another_value_is_refused_or_made(data):
    config = json.loads(json.dumps(FocalConfig().to_dict()))
    part = data.draw(
        st.sampled_from([config, *(v for v in config.values() if isinstance(v, dict))])
    )
    part[data.draw(st.sampled_from([*part, "other"]))] = data.draw(values)
    _refused_or_done(FocalConfig.from_dict, config)


LINE = ["rec.dat", "16", "1000(0)/mV", "16", "0", "0", "0", "0", "I"]
fields = st.sampled_from([*FIELDS, *NUMBERS, *PATHS]) | st.text(max_size=10)


@given(st.data())
def test_a_header_is_parsed_or_refused(data):
    first, line = ["rec", "1", "500", "5000"], [*LINE]
    for part in (first, line):
        for _ in range(data.draw(st.integers(0, 2))):
            part[data.draw(st.integers(0, len(part) - 1))] = data.draw(fields)
    header = _refused_or_done(parse_header, f"{' '.join(first)}\n{' '.join(line)}\n")
    assert header is None or 50 <= header.frame_rate_hz <= 10_000


@given(st.data())
def test_a_recording_of_any_bytes_is_read_or_refused_and_nothing_is_touched(tmp_path, data):
    shape = data.draw(st.sampled_from(["16", "212", "310", "311", "80", "61", "24", "32", "516"]))
    header = (
        f"rec 2 500 600\nrec.dat {shape} 10/mV 12 0 0 0 0 I\nrec.dat {shape} 10/mV 12 0 0 0 0 II\n"
    )
    size, seed = data.draw(st.integers(0, 6000)), data.draw(st.integers(0, 2**32 - 1))
    paths = tmp_path / "rec.hea", tmp_path / "rec.dat"
    paths[0].write_text(header)
    paths[1].write_bytes(np.random.default_rng(seed).bytes(size))
    before = sorted(tmp_path.rglob("*"))
    ecg = _refused_or_done(read_recording, paths)
    assert sorted(tmp_path.rglob("*")) == before
    assert ecg is None or (ecg.signal_mv.shape == (2, 600) and ecg.signal_mv.dtype == np.float32)


@pytest.mark.parametrize("named", [*PATHS, "../rec.dat", "sub/rec.dat"])
def test_a_header_reads_no_file_outside_its_folder(tmp_path, named):
    inside = tmp_path / "sub"
    inside.mkdir()
    (tmp_path / "rec.dat").write_bytes(np.arange(1200, dtype="<i2").tobytes())
    header = inside / "rec.hea"
    header.write_text(f"rec 1 500 1200\n{named} 16 1000/mV 16 0 0 0 0 I\n", "utf-8", "replace")
    assert _refused_or_done(read_recording, [header]) is None


pieces = st.lists(
    st.sampled_from(
        ["no", ",", "or", "and", "possible", "a", "?", ";", ".", "absent", "[", '"', "{"]
    )
    | st.sampled_from(WORDS),
    min_size=1,
    max_size=4,
).map(" ".join)
endings = st.sampled_from(["", " or", " but", "?", '"', "]", " ruled out"])


@pytest.fixture(scope="module")
def vocabulary():
    """The tables of all names, which are made by the first text that is read."""
    report_tags("sinus rhythm; 140 ms, some words in V1-V3 that name nothing")


def _seconds(call, text):
    begun = time.thread_time()
    _refused_or_done(call, text)
    return time.thread_time() - begun


@pytest.mark.usefixtures("vocabulary")
@pytest.mark.parametrize(
    ("call", "longest"),
    [
        (report_tags, LONGEST_REPORT),
        (parse, LONGEST_QUERY),
        (parse_features, 50_000),
        (typed_tag, 10_000),
        (TeachingSet.from_json, 100_000),
        (TeachingSet.from_link, 8_000),
    ],
    ids=lambda one: getattr(one, "__qualname__", ""),
)
@settings(max_examples=settings.default.max_examples // 4)
@given(piece=pieces, ending=endings, beginning=st.sampled_from(["", "[", "<think>", "no "]))
def test_a_repeated_text_takes_no_longer_than_its_length_says(
    call, longest, piece, ending, beginning
):
    room = longest - len(beginning) - len(ending)
    text = beginning + (piece + " ") * (room // (len(piece) + 1)) + ending
    took = (_seconds(call, text) for _ in range(TRIES))
    assert any(seconds < SLOWEST_S for seconds in took)
