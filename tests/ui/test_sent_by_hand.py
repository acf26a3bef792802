"""What the page never sends, sent to its handlers by hand: an answer or a sentence each time."""

import json
import random

import httpx
import pytest
from running import once_loaded, started
from visiting import Refused, Visit

from focal_app.ui import wording
from focal_app.ui.server import wording as server_wording

pytestmark = pytest.mark.slow
TRIES = 3
"""Of every handler, each with other values."""
ODD = (
    *(None, True, -1, 1e308, 10**400, "", "x", "NaN", "1e999", "II", "LBBB", "x" * 20_000),
    *([], [None], {}, {"a": {"b": []}}, [[1]], {"__type__": "update"}),
)
TOLD = ("start", "name", "value", "prompt", "text", "on", "key", "kind", "query", "tag")
"""What scripts of the page tell of an event."""


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("by-hand")) as running:
        yield once_loaded(running)


def sent(visit, event, held, chance):
    """One event with values as they come; those of states are never taken from a visitor."""
    values = [None if held[one] == "state" else chance.choice(ODD) for one in event["inputs"]]
    told = {name: chance.choice(ODD) for name in chance.sample(TOLD, chance.randrange(len(TOLD)))}
    data = chance.choice([told, told, None, "x", [1]])
    return {"data": values, "fn_index": event["id"], "session_hash": visit.name, "event_data": data}


def heard(visit, body):
    """The error in an answer, "" where there is none; it raises where no answer comes."""
    content, kind = json.dumps(body), {"Content-Type": "application/json"}
    joined = visit.http.post("/gradio_api/queue/join", content=content, headers=kind)
    if not joined.is_success:
        return joined.json()["detail"]
    where = {"session_hash": visit.name}
    for line in visit.http.get("/gradio_api/queue/data", params=where).text.splitlines():
        said = json.loads(line[5:]) if line.startswith("data:") else {}
        if said.get("msg") == "process_completed":
            return "" if said["success"] else str(said["output"]["error"] or "no sentence")
    raise Refused("no answer came")


def test_every_handler_answers_what_is_sent_by_hand_or_says_why_not(app):
    chance, found = random.Random(11), set()
    with Visit(app.url) as visit:
        visit.open()
        page = visit.http.get("/config").json()
        known, held = page["dependencies"], {one["id"]: one["type"] for one in page["components"]}
        for event in TRIES * [one for one in known if one["backend_fn"]]:
            said = heard(visit, sent(visit, event, held, chance))
            if said in ("no sentence", wording.BROKEN):
                found.add(event["api_name"])
        assert "sinus rhythm" in json.dumps(visit.do("first_reading", None))
    assert not found
    assert not [line for line in app.log if line["level"] == "error"]
    assert app.process.poll() is None


def test_half_a_character_is_refused_before_anything_is_asked(app):
    """It cannot be told again: the answer that repeats it broke off without a word."""
    with Visit(app.url) as visit:
        for path in ("queue/join", "call/search", "cancel"):
            for text in ("\ud800", "\udfff AF", "AF \udc00\ud800"):
                content = json.dumps({"data": [text], "fn_index": 4, "session_hash": "a"})
                kind = {"Content-Type": "application/json"}
                answer = visit.http.post(f"/gradio_api/{path}", content=content, headers=kind)
                assert answer.status_code == httpx.codes.BAD_REQUEST
                assert answer.json()["detail"] == server_wording.NO_JSON
        assert visit.ask("search", "LBBB \U0001fac0", 3, [], "", 0, 120, "")["hits"]
