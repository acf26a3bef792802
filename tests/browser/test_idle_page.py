"""A page that lies open asks next to nothing of its visitor's computer."""

from steps import DESKTOP

LOADED_MS, OPEN_MS, MOST_FRAMES = 6_000, 2_000, 40
"""Where each frame asks for the next there are 120 of them in that time."""


def test_it_does_not_ask_for_one_frame_after_the_other(open_page):
    page = open_page(DESKTOP)
    page.wait_for_timeout(
        LOADED_MS
    )  # the first sign of loading ends its round, though out of sight
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
    assert sum(event["name"] == "FireAnimationFrame" for event in events) < MOST_FRAMES
