"""A page that lies open asks nothing of its visitor's computer."""

import time

from steps import DESKTOP, LONGEST_MS

OPEN_MS = 2_000


def test_it_comes_to_rest_and_asks_for_no_frame(open_page):
    page = open_page(DESKTOP)
    until = time.monotonic() + LONGEST_MS / 1_000
    while drawn := _frames(page):  # what moves while it is opened
        assert time.monotonic() < until, drawn
    assert _frames(page) <= 1, "a single one may follow from what came late"


def _frames(page) -> int:
    events, ended = [], []
    session = page.context.new_cdp_session(page)
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda said: ended.append(said))
    kinds = {"includedCategories": ["devtools.timeline"]}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": kinds})
    page.wait_for_timeout(OPEN_MS)
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    session.detach()
    assert events
    return sum(event["name"] == "FireAnimationFrame" for event in events)
