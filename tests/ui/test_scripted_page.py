"""A script of ours in the page's head, and nothing of ours in any other answer."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from focal_app.ui.server.scripted_page import ScriptedPage

PAGE = "<html><head><script type='module'></script></head><body></head></body></html>"


def client(answer):
    routes = [Route("/", lambda _: answer), Route("/other", lambda _: answer)]
    gate = Middleware(ScriptedPage, script="const ours = 1;")
    return TestClient(Starlette(routes=routes, middleware=[gate]))


def test_the_script_stands_once_at_the_end_of_the_head_and_the_length_is_right():
    got = client(HTMLResponse(PAGE)).get("/")
    assert got.text == PAGE.replace("</head>", "<script>const ours = 1;</script></head>", 1)
    assert int(got.headers["content-length"]) == len(got.content)


@pytest.mark.parametrize(
    "answer",
    [
        JSONResponse({"said": "</head>"}),
        PlainTextResponse("</head>"),
        HTMLResponse(PAGE, status_code=500),
    ],
)
def test_what_is_no_page_is_sent_as_it_is(answer):
    got = client(answer).get("/")
    assert got.content == answer.body and got.status_code == answer.status_code


def test_other_addresses_are_sent_as_they_are():
    assert client(HTMLResponse(PAGE)).get("/other").text == PAGE
