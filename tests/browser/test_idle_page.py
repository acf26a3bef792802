"""A page that lies open asks nothing of its visitor's computer."""

from steps import DESKTOP

LOADED_MS, OPEN_MS = 6_000, 2_000


def test_it_asks_for_no_frame(open_page):
    page = open_page(DESKTOP)
    page.wait_for_timeout(LOADED_MS)  # what moves while it is opened has come to rest
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
    assert events
    assert [event for event in events if event["name"] == "FireAnimationFrame"] == []
