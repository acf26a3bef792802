"""One model for all visitors."""

import pytest

from focal_app.errors import CheckpointError
from focal_app.ui.source import LazyReader


def test_reader_is_loaded_once_and_shared(reader):
    loads = []
    source = LazyReader(lambda: loads.append(1) or reader)
    assert source() is source()
    assert len(loads) == 1


def test_a_failed_load_is_tried_again(reader):
    tries = []

    def load():
        tries.append(1)
        if len(tries) == 1:
            raise CheckpointError("found no weights; run the training.")
        return reader

    source = LazyReader(load)
    with pytest.raises(CheckpointError):
        source()
    assert source() is reader
