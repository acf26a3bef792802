"""One model for all visitors."""

import threading

import pytest

from focal_app.errors import CheckpointError
from focal_app.ui.server.model_source import Lazy


def test_reader_is_loaded_once_and_shared(reader):
    loads = []
    source = Lazy(lambda: loads.append(1) or reader)
    assert source() is source()
    assert len(loads) == 1


def test_a_failed_load_is_tried_again(reader):
    tries = []

    def load():
        tries.append(1)
        if len(tries) == 1:
            raise CheckpointError("found no weights; run the training.")
        return reader

    source = Lazy(load)
    assert source.state == "waiting"
    with pytest.raises(CheckpointError):
        source()
    assert source.state == "failed"
    assert source() is reader
    assert source.state == "ready"


def test_who_comes_while_it_loads_waits_for_the_same_one(reader):
    begun, go_on = threading.Event(), threading.Event()
    loads = []

    def load():
        loads.append(1)
        begun.set()
        assert go_on.wait(10)
        return reader

    source, got = Lazy(load), []
    visitors = [threading.Thread(target=lambda: got.append(source())) for _ in range(4)]
    for visitor in visitors:
        visitor.start()
    assert begun.wait(10)
    assert source.state == "loading"
    go_on.set()
    for visitor in visitors:
        visitor.join(10)
    assert got == [reader] * 4 and len(loads) == 1
