"""Mixtures: a draw depends on seed and position alone, shares hold, no row is missed."""

from collections import Counter

import numpy as np
import pytest

from focal_app.errors import ConfigError
from train.data.mixture import Draw, Mixture
from train.data.shards import Shards

ROWS = {"large": np.arange(100, 190), "small": np.arange(10)}


def mixture(seed: int = 0, **weights: float) -> Mixture:
    return Mixture(ROWS, weights or {"large": 0.7, "small": 0.3}, seed)


def draws(drawn: Mixture, first: int, count: int) -> list[Draw]:
    """The records at `count` positions from `first` on."""
    return [drawn.draw(position) for position in range(first, first + count)]


def test_a_draw_depends_on_seed_and_position_alone() -> None:
    forwards = draws(mixture(), 0, 500)
    backwards = [mixture().draw(position) for position in reversed(range(500))]
    assert backwards[::-1] == forwards
    assert draws(mixture(seed=1), 0, 500) != forwards


def test_a_resumed_run_draws_what_the_killed_one_would_have() -> None:
    whole = draws(mixture(), 0, 300)
    assert [*draws(mixture(), 0, 137), *draws(mixture(), 137, 163)] == whole


def test_processes_that_take_turns_share_one_stream() -> None:
    drawn = mixture()
    apart = [[drawn.draw(2 * n + rank) for n in range(60)] for rank in (0, 1)]
    together = [draw for pair in zip(*apart, strict=True) for draw in pair]
    assert together == draws(drawn, 0, 120)


@pytest.mark.parametrize("cycle", [0, 1, 7])
def test_shares_hold_exactly_over_a_cycle(cycle: int) -> None:
    drawn = mixture()
    assert drawn.cycle_length == 100
    found = Counter(d.source for d in draws(drawn, 100 * cycle, 100))
    assert found == {"large": 70, "small": 30}


def test_every_row_comes_once_before_any_comes_twice() -> None:
    drawn = draws(mixture(), 0, 1000)
    for name, rows in ROWS.items():
        of_it = [draw.row for draw in drawn if draw.source == name]
        for start in range(0, len(of_it) - len(rows) + 1, len(rows)):
            assert sorted(of_it[start : start + len(rows)]) == list(rows)


def test_rounds_come_in_different_orders() -> None:
    of_it = [draw.row for draw in draws(mixture(), 0, 200) if draw.source == "small"]
    assert of_it[:10] != of_it[10:20]


def test_relative_weights_are_enough() -> None:
    assert draws(mixture(large=7, small=3), 0, 50) == draws(mixture(large=0.7, small=0.3), 0, 50)


def test_a_rare_source_still_comes_once_a_cycle() -> None:
    drawn = mixture(large=1.0, small=1e-9)
    assert Counter(d.source for d in draws(drawn, 0, drawn.cycle_length))["small"] == 1


def test_only_tagged_records_of_the_split_are_drawn(archive_shards: Shards) -> None:
    drawn = draws(Mixture.of({"mimic": archive_shards}, split="validation"), 0, 30)
    assert {draw.row for draw in drawn} == set(archive_shards.rows("validation"))
    assert {archive_shards.splits[draw.row] for draw in drawn} == {"validation"}


def test_sources_without_a_weight_share_the_rest_by_size(archive_shards: Shards) -> None:
    three = {"a": archive_shards, "b": archive_shards, "c": archive_shards}
    weights = Mixture.of(three, weights={"a": 0.5}).weights
    assert weights == pytest.approx({"a": 0.5, "b": 0.25, "c": 0.25})


def test_what_cannot_be_drawn_is_refused(archive_shards: Shards) -> None:
    with pytest.raises(ConfigError, match="no record to draw in mimic"):
        Mixture.of({"mimic": archive_shards}, split="absent")
    with pytest.raises(ConfigError, match="weight for other"):
        Mixture.of({"mimic": archive_shards}, weights={"other": 1.0})
    with pytest.raises(ConfigError, match="none for b"):
        Mixture.of({"a": archive_shards, "b": archive_shards}, weights={"a": 1.0})
    with pytest.raises(ConfigError, match="weight of 0 or less"):
        mixture(large=1.0, small=0.0)
    with pytest.raises(ConfigError, match="the same sources"):
        Mixture({}, {})


def test_the_stream_of_one_source_is_a_shuffle_of_it() -> None:
    drawn = draws(Mixture({"one": np.arange(50)}, {"one": 1.0}), 0, 50)
    assert sorted(draw.row for draw in drawn) == list(range(50))
    assert drawn != [Draw("one", row) for row in range(50)]
