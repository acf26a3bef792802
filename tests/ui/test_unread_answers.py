"""Answers that nobody fetches do not fill the memory."""

import asyncio
import json
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradio.queueing import Queue
from gradio.server_messages import ProcessCompletedMessage, ProcessStartsMessage

from focal_app.ui.server.unread_answers import Messages, forget_unread, weight


def answered(text):
    return ProcessCompletedMessage(output={"data": [text]}, success=True)


@pytest.fixture
def queue():
    """A queue as far as messages go, without its threads and locks."""
    queue = Queue.__new__(Queue)
    queue.pending_messages_per_session, queue.pending_event_ids_session = {}, {}
    queue.event_ids_to_events = {}
    return queue


def wait(queue, visit, *messages):
    """A visit one event of which has ended, and what was sent to it."""
    queue.pending_event_ids_session[visit] = {f"event-of-{visit}"}
    line = queue.pending_messages_per_session[visit] = Messages()
    for message in messages:
        line.put_nowait(message)
    return line


def test_what_is_fetched_weighs_nothing_any_more():
    line = Messages()
    for message in (ProcessStartsMessage(eta=1), answered("x" * 1000)):
        line.put_nowait(message)
    assert 1000 < line.size < 1500 and line.since is not None
    line.get_nowait(), line.get_nowait()
    assert line.size == 0 and line.since is None


def test_an_answer_weighs_at_least_what_its_json_takes():
    for answer in ("", "x" * 99, {"a": [1.5, None, {"b": "long" * 50}]}, [[0.123456789] * 12] * 9):
        assert weight(answer) >= len(json.dumps(answer))


def test_the_longest_waiting_answers_go_where_all_come_to_too_much(queue):
    for number in range(10):
        wait(queue, f"visit-{number}", answered("x" * 1000))
    forget_unread(queue, 60.0, most_bytes=3500)
    assert [*queue.pending_messages_per_session] == ["visit-7", "visit-8", "visit-9"]
    assert queue.pending_event_ids_session.keys() == queue.pending_messages_per_session.keys()


def test_an_answer_that_waits_too_long_goes_and_one_under_way_does_not(queue):
    late = wait(queue, "late", answered("x"))
    late._held = deque((size, came - 61) for size, came in late._held)
    wait(queue, "waits for its answer", ProcessStartsMessage(eta=1))
    wait(queue, "fresh", answered("x"))
    forget_unread(queue, 60.0)
    assert [*queue.pending_messages_per_session] == ["waits for its answer", "fresh"]


def test_of_visits_that_wait_for_nothing_nothing_is_held(queue):
    wait(queue, "over")
    queue.pending_event_ids_session["over"].clear()
    wait(queue, "running")
    queue.event_ids_to_events["event-of-running"] = object()
    forget_unread(queue, 60.0)
    assert [*queue.pending_messages_per_session] == ["running"]
    assert [*queue.pending_event_ids_session] == ["running"]


def test_a_line_to_which_a_page_listens_stays_though_nothing_is_to_come(queue):
    line = wait(queue, "listens")
    queue.pending_event_ids_session["listens"].clear()

    async def listen():
        heard = asyncio.create_task(line.get())
        await asyncio.sleep(0)
        forget_unread(queue, 60.0)
        assert queue.pending_messages_per_session == {"listens": line}
        line.put_nowait(answered("x"))
        assert (await heard).success

    with ThreadPoolExecutor(1) as beside:  # a browser's tests leave a loop running in this one
        beside.submit(asyncio.run, listen()).result()
    line._left -= 2
    forget_unread(queue, 60.0)
    assert not queue.pending_messages_per_session
