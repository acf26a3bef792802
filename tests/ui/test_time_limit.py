"""A handler that takes too long: the visitor is told, and the place in line is free."""

import time
from contextvars import ContextVar
from threading import Event

import gradio as gr
import pytest

from focal_app.ui import wording
from focal_app.ui.server import time_limit
from focal_app.ui.server.model_source import Lazy
from focal_app.ui.server.time_limit import MOST_LATE, limited, not_counted


@pytest.fixture(autouse=True)
def threads(monkeypatch):
    """Threads of their own, so that what one test leaves behind is not counted by the next."""
    monkeypatch.setattr(time_limit, "_threads", time_limit._Threads())


def test_an_answer_in_time_is_passed_on_with_its_arguments():
    assert limited(lambda one, *, two: one + two, seconds=5)(1, two=2) == 3


def test_an_error_in_time_is_the_handlers_own():
    def fail():
        raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        limited(fail, seconds=5)()


def test_who_waits_too_long_is_told_and_free_again():
    ended = Event()
    with pytest.raises(gr.Error, match=r"No answer within 0\.2 s"):
        limited(ended.wait, seconds=0.2)()  # which would wait for ever
    ended.set()


def test_what_runs_too_long_never_piles_up():
    ended = Event()
    late = limited(ended.wait, seconds=0.01)
    for _ in range(MOST_LATE):
        with pytest.raises(gr.Error, match="No answer within"):
            late()
    with pytest.raises(gr.Error, match="Busy with earlier requests"):
        limited(lambda: "quick", seconds=5)()
    ended.set()
    for _ in range(1500):
        if not time_limit._threads.late:
            break
        time.sleep(0.02)
    assert limited(lambda: "quick", seconds=5)() == "quick"


def test_waiting_for_the_model_does_not_count():
    model = Lazy(lambda: Lazy(lambda: time.sleep(1.2) or "gallery")() and "model")
    assert limited(lambda: model(), seconds=1)() == "model"


def test_after_the_model_is_there_time_counts_again():
    def read():
        with not_counted():
            time.sleep(0.2)
        time.sleep(0.6)

    with pytest.raises(gr.Error, match="No answer within"):
        limited(read, seconds=0.3)()


def test_a_handler_knows_of_which_visit_it_is():
    """What Gradio keeps for the length of a call is there in the handler's thread too."""
    visit = ContextVar("visit", default="nobody")
    visit.set("mine")
    assert limited(visit.get, seconds=5)() == "mine"


def test_threads_are_used_again():
    made = [limited(lambda: __import__("threading").get_ident(), seconds=5)() for _ in range(20)]
    assert len(set(made)) < 5


def test_the_sentences_say_what_to_do():
    for said in (wording.late(30), wording.busy(9, 5), wording.busy_visit(9, 5)):
        assert "ry again in" in said
