"""No text takes more than its length: a visitor's report must not stop the others."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hostile import HOSTILE, READERS, hostile

from focal_app.errors import FocalError
from focal_app.words.reach import denied, suspected

LOOK_UP = ("tags of a report", "a query", "a prompt")
"""They look up windows of words at every word, so that a tenth of the text is enough."""
SHORT, LONG = 150, 600
NOT_EVEN = 1.3
"""A few lines more in proportion: the square of the length would be four times as many."""


def lines_run(read: Callable[[str], object], text: str) -> int:
    """How many lines of Python a reading takes: the same on every machine."""
    count = 0

    def counting(frame, event, _arg):
        nonlocal count
        count += event == "line"
        return counting

    before = sys.gettrace()
    sys.settrace(counting)
    try:
        with suppress(FocalError):
            read(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("reader", READERS)
def test_four_times_the_text_takes_four_times_the_lines(reader):
    read = READERS[reader]
    read("AF in V1")  # fills caches
    for how in HOSTILE:
        short, long = (lines_run(read, hostile(how, n)) for n in (SHORT, LONG))
        assert long <= NOT_EVEN * LONG / SHORT * short + 200, how


@pytest.mark.parametrize("reader", READERS)
def test_ten_times_the_text_takes_about_ten_times_the_time(reader):
    """What lines do not count, expressions and sets. The square would take a hundred times it."""
    read, looks_up = READERS[reader], reader in LOOK_UP
    short, long = (200, 2_000) if looks_up else (1_000, 10_000)
    for how in HOSTILE:
        allowed = max(0.05, 40 * process_s(read, hostile(how, short)))
        assert any(process_s(read, hostile(how, long)) <= allowed for _ in range(3)), how


@pytest.mark.parametrize("piece", [["no", ","], ["possible", "a", ","]])
def test_where_a_denial_or_a_hedge_ends_is_found_in_one_pass(piece):
    """Words looked at, counted by themselves: once for the list, not once for every denial."""

    def looked_at(words: int) -> int:
        text = Counting([*piece * (words // len(piece)), "or"])
        hedges = [(at, at + 1) for at in range(0, words - len(piece), len(piece))]
        denied(text, frozenset())
        suspected(text, hedges, name_at={}, saying=lambda at: text[at] != "a")
        return text.looked_at

    assert looked_at(4_000) <= 4.1 * looked_at(1_000)


class Counting(list):
    """A list that counts how many of its items are taken."""

    looked_at = 0

    def __getitem__(self, place):
        """An item, or several at once."""
        found = super().__getitem__(place)
        self.looked_at += len(found) if isinstance(place, slice) else 1
        return found

    def __iter__(self):
        """All items."""
        self.looked_at += len(self)
        return super().__iter__()


def process_s(read: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    with suppress(FocalError):
        read(text)
    return time.process_time() - start
