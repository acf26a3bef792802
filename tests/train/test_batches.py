"""Claims about batches: what is drawn, how parts are joined, what augmentation may change."""

import numpy as np
import pytest
import torch

from train.batches import (
    Batch,
    Pool,
    augmented,
    forget_hidden,
    gather,
    joined,
    section,
    shifted,
)


@pytest.fixture
def pool(make_records, maker) -> Pool:
    return Pool(make_records(12, places=True), maker)


def same(one: Batch, other: Batch) -> bool:
    return all(
        torch.equal(torch.as_tensor(a), torch.as_tensor(b))
        for a, b in zip(vars(one).values(), vars(other).values(), strict=True)
    )


def test_a_batch_holds_the_rows_asked_for(pool):
    rows = np.array([7, 0, 7])
    batch = gather(pool, rows)
    assert batch.signal.dtype == torch.float32
    np.testing.assert_array_equal(batch.signal.numpy(), pool.records.signals[rows])
    np.testing.assert_array_equal(batch.seen.numpy(), pool.records.seen[rows])
    np.testing.assert_array_equal(batch.present.numpy(), pool.targets.present[rows])
    np.testing.assert_array_equal(batch.known.numpy(), pool.targets.known[rows])


def test_places_are_ones_on_their_patches(pool):
    batch = gather(pool, np.array([5, 2]))
    index = pool.maker.index
    assert batch.pairs.tolist() == [
        [0, index["atrial fibrillation"]],
        [1, index["complete left bundle branch block"]],
    ]
    assert [row.nonzero().flatten().tolist() for row in batch.places] == [[5, 40], [2, 40]]


def test_every_place_belongs_to_a_statement_that_is_present(pool):
    batch = gather(pool, np.arange(12))
    assert batch.present[batch.pairs[:, 0], batch.pairs[:, 1]].all()


def test_joining_equals_gathering_at_once(pool):
    parts = [gather(pool, rows) for rows in (np.array([3]), np.array([1, 4]), np.array([9]))]
    assert same(joined(parts), gather(pool, np.array([3, 1, 4, 9])))


def test_joining_keeps_the_places_of_a_part_behind_one_without_places(pool, make_records, maker):
    plain = Pool(make_records(4), maker)
    batch = joined([gather(plain, np.arange(3)), gather(pool, np.array([5]))])
    assert batch.pairs.tolist() == [[3, maker.index["atrial fibrillation"]]]
    assert batch.places.shape == (1, 48)


def test_draws_stay_within_the_rows_and_repeat_with_the_seed(make_records, maker):
    pool = Pool(make_records(12), maker, rows=[1, 5, 6])
    first, second = (pool.draw(np.random.default_rng(3), 200) for _ in range(2))
    assert set(first.tolist()) == {1, 5, 6}
    np.testing.assert_array_equal(first, second)


def test_rare_statements_come_more_often_but_at_most_eight_times(make_records, maker):
    records = make_records(200)
    for tags in records.tags:
        tags[:] = ["sinus rhythm"]
    records.tags[17][:] = ["atrial fibrillation"]
    weights = Pool(records, maker).weights
    assert weights.sum() == pytest.approx(1)
    assert weights[17] / weights[0] == pytest.approx(8, rel=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_augmentation_hides_what_it_masks_and_shows_nothing_new(pool, spec, seed):
    batch = gather(pool, np.arange(12))
    changed = augmented(batch, spec, np.random.default_rng(seed))
    hidden = ~changed.seen.repeat_interleave(spec.window_samples, dim=2)
    assert not changed.signal[hidden].any()
    assert not (changed.seen & ~batch.seen).any()
    assert changed.seen.flatten(1).any(1).all()


def test_augmentation_leaves_the_targets_and_its_input_alone(pool, spec):
    batch, before = gather(pool, np.arange(12)), gather(pool, np.arange(12))
    changed = augmented(batch, spec, np.random.default_rng(0))
    assert same(batch, before)
    for name in ("present", "known", "pairs", "places"):
        assert torch.equal(getattr(changed, name), getattr(batch, name))


def test_augmentation_repeats_with_the_seed(pool, spec):
    batch = gather(pool, np.arange(12))
    one, two, other = (augmented(batch, spec, np.random.default_rng(s)) for s in (4, 4, 5))
    assert same(one, two) and not same(one, other)


def test_augmentation_keeps_einthoven_and_the_size_of_the_signal(pool, spec):
    """On signals of volts the noise is nothing: only the gains are left to see."""
    plain = gather(pool, np.arange(12))
    large = Batch(**{**vars(plain), "signal": torch.full((12, 12, 400), 1e4)})
    changed = augmented(large, spec, np.random.default_rng(0))
    seen = changed.seen.repeat_interleave(spec.window_samples, dim=2)
    gain = torch.where(seen, changed.signal / 1e4, torch.nan)
    assert gain[seen].min() > 0.85 and gain[seen].max() < 1.17
    for record in gain:
        limb = record[:6][~record[:6].isnan()]
        assert limb.max() - limb.min() < 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_a_shifted_record_is_the_same_signal_later(make_records, maker, spec, seed):
    batch = gather(Pool(make_records(6), maker), np.arange(6))
    late = np.random.default_rng(seed).integers(0, spec.window_samples, 6)
    moved = shifted(batch, spec, np.random.default_rng(seed))
    for record in range(6):
        for lead in range(12):
            for window in range(spec.windows):
                start = window * spec.window_samples
                patch = moved.signal[record, lead, start : start + spec.window_samples]
                begin = start + int(late[record])
                source = batch.signal[record, lead, begin : begin + spec.window_samples]
                if moved.seen[record, lead, window]:
                    assert torch.equal(patch, source)
                    assert batch.seen[record, lead, window : window + 2].all()
                else:
                    assert not patch.any()
    assert not moved.seen[:, :, -1].any()


@pytest.mark.parametrize("seed", range(4))
def test_a_section_is_a_piece_of_the_recordings_and_of_their_places(pool, spec, seed):
    batch = gather(pool, np.arange(12))
    part = section(batch, spec, 2, np.random.default_rng(seed))
    first = part.first_window
    samples = slice(first * spec.window_samples, (first + 2) * spec.window_samples)
    assert torch.equal(part.signal, batch.signal[:, :, samples])
    assert torch.equal(part.seen, batch.seen[:, :, first : first + 2])
    whole = batch.places.view(-1, 12, spec.windows)[:, :, first : first + 2]
    assert torch.equal(part.places, whole.reshape(len(whole), -1))


def test_a_finding_that_is_hidden_becomes_unknown_and_no_other(pool):
    batch = gather(pool, np.arange(8))
    row, statement = batch.pairs[3].tolist()
    batch.seen[row].view(-1)[batch.places[3] > 0] = False
    left = forget_hidden(batch)
    assert left.known[row, statement] == 0
    assert (left.known != batch.known).sum() == batch.known[row, statement]
    assert left.pairs.tolist() == [p for i, p in enumerate(batch.pairs.tolist()) if i != 3]
    assert (left.places.sum(1) > 0).all()


def test_a_pool_without_rows_is_empty_and_not_an_error(make_records, maker):
    assert len(Pool(make_records(3), maker, rows=[]).rows) == 0
