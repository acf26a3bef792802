"""Strangers hear one word; the reason of a failure is for the host and for who has signed in."""

import threading
import time

import httpx
import pytest
from running import health, started

from focal_app.errors import CheckpointError
from focal_app.ui.server.health import status
from focal_app.ui.server.model_source import Lazy

BROKEN = {"FOCAL_CHECKPOINT": "/nowhere", "FOCAL_AUTH": "ann:word"}
PROXIED = {"X-Forwarded-For": "203.0.113.9"}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("health"), **BROKEN) as running:
        while health(running)["status"] != "failed":
            time.sleep(0.2)
        yield running


def test_a_stranger_hears_one_word(app):
    answer = httpx.get(f"{app.url}/health", headers=PROXIED, timeout=30)
    assert (answer.status_code, answer.json()) == (503, {"status": "failed"})


def test_the_host_hears_the_reason(app):
    told = health(app)
    assert told["model"] == "failed" and "found no folder" in told["reasons"]["model"]


def test_who_has_signed_in_hears_the_reason(app):
    with httpx.Client(base_url=app.url, headers=PROXIED, timeout=30) as client:
        client.post("/login", data={"username": "ann", "password": "word"})
        assert "reasons" in client.get("/health").json()


def test_a_part_that_failed_is_failed_while_it_is_tried_again():
    begun, go_on, tries = threading.Event(), threading.Event(), []

    def load():
        tries.append(1)
        if len(tries) == 1:
            raise CheckpointError("found no weights; run the training.")
        begun.set()
        assert go_on.wait(10)
        return "model"

    part = Lazy(load)
    assert status({"model": part}) == "starting"
    with pytest.raises(CheckpointError):
        part()
    assert (status({"model": part}), part.reason) == (
        "failed",
        "found no weights; run the training.",
    )
    again = threading.Thread(target=part)
    again.start()
    assert begun.wait(10)
    assert status({"model": part}) == "failed"
    go_on.set()
    again.join(10)
    assert (status({"model": part}), part.reason) == ("ok", "")


def test_of_an_error_that_nobody_foresaw_only_its_kind_is_told():
    def load():
        raise KeyError("Jane Doe")

    part = Lazy(load)
    with pytest.raises(KeyError):
        part()
    assert part.reason == "KeyError"
