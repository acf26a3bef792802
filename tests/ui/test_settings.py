"""What a host sets is checked before anything starts, and passwords never show."""

import re
from pathlib import Path

import pytest

from focal_app.errors import ConfigError, FocalError, LLMError
from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.report.language_model import server_from
from focal_app.model.focal import Focal
from focal_app.ui.server.settings import (
    EVERYWHERE,
    HERE,
    NAMES,
    PORT,
    read_settings,
    refuse_arguments,
    unknown_names,
)

ROOT = Path(__file__).parents[2]
SERVER = {"FOCAL_LLM_BASE_URL": "http://127.0.0.1:8000/v1", "FOCAL_LLM_MODEL": "tiny"}
ACTS = {
    "FOCAL_CHECKPOINT": ("org/name", read_settings),
    "FOCAL_AUTH": ("bob:secret", read_settings),
    "FOCAL_ALLOWED_HOSTS": ("ecg.example.org", read_settings),
    "FOCAL_EXPIRE_MIN": ("5", read_settings),
    "GRADIO_SERVER_NAME": ("0.0.0.0", read_settings),
    "GRADIO_SERVER_PORT": ("8000", read_settings),
    "FOCAL_LLM_BASE_URL": ("http://127.0.0.1:9000/v1", server_from),
    "FOCAL_LLM_MODEL": ("larger", server_from),
    "FOCAL_LLM_API_KEY": ("key", server_from),
}
"""A value of every variable, and what reads it; the gallery's has a test of its own."""


def test_every_variable_that_the_code_names_is_a_setting_and_is_documented():
    text = "".join(path.read_text("utf-8") for path in (ROOT / "focal_app").rglob("*.py"))
    assert set(re.findall(r'"((?:FOCAL|GRADIO_SERVER)_[A-Z_]+)"', text)) == set(NAMES)
    documented = (ROOT / "docs/hosting.md").read_text("utf-8")
    assert not [name for name in NAMES if f"`{name}`" not in documented]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "FOCAL_GALLERY"])
def test_every_variable_acts(name):
    value, read = ACTS[name]
    assert read({**SERVER, name: value}) != read(SERVER)


def test_the_gallery_is_the_one_that_is_named(tiny_checkpoint, monkeypatch):
    monkeypatch.setenv("FOCAL_GALLERY", "no gallery")
    with pytest.raises(FocalError, match="no gallery"):
        Gallery.configured(Focal.load(tiny_checkpoint))


@pytest.mark.parametrize("name", ["FOCAL_LLM_MODEL", "FOCAL_LLM_API_KEY"])
def test_a_setting_of_a_server_without_a_server_is_refused_by_name(name):
    with pytest.raises(LLMError, match=f"found {name} without FOCAL_LLM_BASE_URL"):
        server_from({name: "secret"})


def test_a_mistyped_variable_is_found_and_others_programs_variables_are_left_alone():
    assert unknown_names({"FOCAL_AUHT": "bob:secret", "PATH": "", **SERVER}) == ["FOCAL_AUHT"]


def test_arguments_of_the_app_are_refused():
    refuse_arguments([])
    with pytest.raises(ConfigError, match="found 2 argument"):
        refuse_arguments(["--port", "8000"])
    assert "main(sys.argv[1:])" in (ROOT / "app.py").read_text("utf-8")


def test_without_any_variable_the_page_stays_on_this_machine():
    settings = read_settings({})
    assert (settings.host, settings.port, settings.public) == (HERE, PORT, False)
    assert settings.auth == () and settings.checkpoint is None


def test_a_space_listens_everywhere():
    settings = read_settings({"SPACE_ID": "org/name"})
    assert settings.host == EVERYWHERE and settings.public


def test_pairs_are_divided_by_commas_and_a_password_may_hold_colons():
    auth = read_settings({"FOCAL_AUTH": "ann:a:b, bob:secret ,"}).auth
    assert auth == (("ann", "a:b"), ("bob", "secret"))


def test_no_password_shows_where_settings_are_printed():
    assert "secret" not in repr(read_settings({"FOCAL_AUTH": "bob:secret"}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOCAL_AUTH", "bob"),
        ("FOCAL_AUTH", "bob:"),
        ("FOCAL_AUTH", ":secret"),
        ("GRADIO_SERVER_PORT", "0"),
        ("GRADIO_SERVER_PORT", "http"),
        ("FOCAL_EXPIRE_MIN", "-1"),
        ("FOCAL_EXPIRE_MIN", "nan"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name_and_is_not_repeated(name, value):
    with pytest.raises(ConfigError, match=name) as refused:
        read_settings({name: value})
    assert "secret" not in str(refused.value)


def test_uploads_expire_after_the_minutes_that_were_set():
    assert read_settings({"FOCAL_EXPIRE_MIN": "5"}).expire_s == 300
