"""What a host sets is checked before anything starts, and passwords never show."""

import pytest

from focal_app.errors import ConfigError
from focal_app.ui.server.settings import EVERYWHERE, HERE, PORT, read_settings


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
