"""Whose turn it is: one of a visit, never all of an address, and who has waited longest first."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import SimpleNamespace

import gradio as gr
import pytest
from fastapi import HTTPException
from gradio import queueing, state_holder
from gradio.data_classes import PredictBodyInternal

from focal_app.ui.server import fairness
from focal_app.ui.server.fairness import (
    AT_ONCE,
    ENOUGH,
    LANE,
    OF_ONE_ADDRESS,
    OF_ONE_VISIT,
    REMEMBERED,
    REST_S,
    FairQueue,
    LightVisit,
    RecentTime,
)

ROOM = 40


class Loop:
    """An event loop in a thread of its own: Playwright leaves a running one in the test's."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.runner = self.thread.submit(asyncio.Runner).result()

    def run(self, coroutine):
        return self.thread.submit(self.runner.run, coroutine).result()

    def close(self) -> None:
        self.thread.submit(self.runner.close).result()
        self.thread.shutdown()


@pytest.fixture(scope="module")
def loop():
    with closing(Loop()) as loop:
        yield loop


@pytest.fixture(scope="module")
def page(loop):
    async def made():
        with gr.Blocks() as blocks:
            box = gr.Textbox()
            box.submit(lambda text: text, box, box, **LANE)
        return blocks

    return loop.run(made())


@pytest.fixture
def queue(page, loop):
    async def made():
        return FairQueue(True, 40, 1.0, ROOM, page, default_concurrency_limit=1)

    queue = loop.run(made())
    queue.active_jobs, queue.loop = [None] * 40, loop
    return queue


def join(queue, address, visit=None):
    body = PredictBodyInternal(data=["x"], fn_index=0, session_hash=visit)
    request = SimpleNamespace(client=SimpleNamespace(host=address))
    return queue.loop.run(queue.push(body, request, None))


def begin(queue):
    """The event that runs next, as (address, visit)."""
    taken = queue.get_events()
    if taken is None:
        return None
    (event,), _, name = taken
    queue.active_jobs[queue.active_jobs.index(None)] = [event]
    queue.event_queue_per_concurrency_id[name].current_concurrency += 1
    return event.request.client.host, event.session_hash


def end(queue, begun):
    for place, job in enumerate(queue.active_jobs):
        if job and (job[0].request.client.host, job[0].session_hash) == begun:
            queue.active_jobs[place] = None
            queue.event_queue_per_concurrency_id[LANE["concurrency_id"]].current_concurrency -= 1
            return


def all_turns(queue):
    """Everybody's turns, when each event ends before the next begins."""
    turns = []
    while begun := begin(queue):
        turns.append(begun)
        end(queue, begun)
    return turns


def test_of_one_visit_one_event_runs_at_a_time_and_in_its_order(queue):
    for _ in range(3):
        join(queue, "a", "one")
    waiting = list(queue.event_queue_per_concurrency_id[LANE["concurrency_id"]].queue)
    ran = []
    for _ in range(3):
        begun = begin(queue)
        assert begun == ("a", "one") and begin(queue) is None
        ran += [job[0] for job in queue.active_jobs if job]
        end(queue, begun)
    assert ran == waiting


def test_where_nobody_comes_the_queue_rests_and_the_next_event_wakes_it(queue, monkeypatch):
    least, most = REST_S
    join(queue, "a")
    begin(queue)
    assert queue.sleep_when_free == least
    an_hour_later = time.monotonic() + 3_600
    monkeypatch.setattr(fairness, "time", SimpleNamespace(monotonic=lambda: an_hour_later))
    assert queue.sleep_when_free == most
    join(queue, "a")
    assert queue.sleep_when_free == least


def test_the_queue_never_rests_for_long_while_an_event_waits(queue, monkeypatch):
    join(queue, "a")
    an_hour_later = time.monotonic() + 3_600
    monkeypatch.setattr(fairness, "time", SimpleNamespace(monotonic=lambda: an_hour_later))
    assert queue.sleep_when_free == REST_S[0]


def test_one_address_never_takes_every_place(queue):
    for number in range(AT_ONCE):
        join(queue, "a", f"visit {number}")
    assert [begin(queue) for _ in range(AT_ONCE)].count(None) == AT_ONCE - OF_ONE_ADDRESS
    join(queue, "b", "another")
    assert begin(queue) == ("b", "another")


def test_who_comes_later_does_not_wait_for_all_of_a_crowd(queue):
    for _ in range(12):
        join(queue, "crowd")
    join(queue, "b", "late")
    assert ("b", "late") in all_turns(queue)[:2]


def test_a_page_does_not_wait_for_all_calls_of_a_program_beside_it(queue):
    for _ in range(12):
        join(queue, "a")
    join(queue, "a", "page")
    assert ("a", "page") in all_turns(queue)[:2]


def test_visits_take_turns(queue):
    for visit in ("one", "two", "three"):
        for _ in range(3):
            join(queue, "a", visit)
    turns = [visit for _, visit in all_turns(queue)]
    assert turns == ["one", "two", "three"] * 3


def test_a_visit_with_too_many_events_is_told_when_to_come_again(queue):
    for _ in range(OF_ONE_VISIT):
        join(queue, "a", "one")
    with pytest.raises(HTTPException) as refused:
        join(queue, "a", "one")
    seconds = refused.value.headers["Retry-After"]
    assert refused.value.status_code == 429
    assert f"Try again in {seconds} s" in refused.value.detail
    assert join(queue, "a", "two")[0]


def test_an_address_leaves_places_in_line_to_others(queue):
    taken = 0
    with pytest.raises(HTTPException) as refused:
        for _ in range(ROOM):
            join(queue, "a")
            taken += 1
    assert taken == 3 * ROOM // 4 and "try again in" in refused.value.detail
    assert join(queue, "b")[0]


def test_a_line_that_is_full_says_so(queue):
    for number in range(ROOM):
        join(queue, f"address {number}")
    with pytest.raises(HTTPException, match="429: Busy: 40 requests are waiting"):
        join(queue, "one more")


def test_a_line_that_would_take_too_long_is_full(queue):
    for _ in range(4):
        join(queue, "a")
    (fn,) = queue.blocks.fns.values()
    for _ in range(ENOUGH):
        queue.process_time_per_fn[fn].add(31.0)
    with pytest.raises(HTTPException) as refused:
        join(queue, "b")
    assert refused.value.headers["Retry-After"] == "60"


def test_one_slow_start_closes_the_line_to_nobody():
    recent = RecentTime()
    recent.add(60.0)
    assert recent.avg_time == fairness.USUAL_S
    for _ in range(ENOUGH):
        recent.add(0.2)
    assert recent.avg_time == pytest.approx(0.2)


def test_only_so_many_visitors_are_remembered(queue):
    for number in range(REMEMBERED):
        join(queue, f"address {number}")
        end(queue, begin(queue))
    assert len(queue._turns) == REMEMBERED


def test_while_nobody_may_begin_nothing_is_looked_through(queue, monkeypatch):
    join(queue, "a", "one")
    join(queue, "a", "one")
    begin(queue)
    assert begin(queue) is None
    monkeypatch.setattr(queue, "_next", lambda *_: pytest.fail("looked through again"))
    assert begin(queue) is None


def test_a_visit_describes_no_part_of_the_page(page):
    visit = LightVisit(page)
    assert not visit.config_values and visit.blocks_config.blocks
    visit._update_value_in_config(next(iter(page.blocks)), "x")
    assert not visit.config_values


def test_gradio_has_what_is_changed_in_it():
    """Its queue and its visits are replaced by their names, and changed in these methods."""
    for name in ("push", "get_events", "compute_analytics_summary", "broadcast_estimations"):
        assert callable(getattr(queueing.Queue, name))
    for name in ("_update_config", "_update_value_in_config"):
        assert callable(getattr(state_holder.SessionState, name))
    assert {"process_time", "count", "avg_time"} <= vars(queueing.ProcessTime()).keys()
