"""Claims about what training sees: numbered tags, places that move with the record, sections."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from train.data.augment import Augmentation, Augmented, augment, section, shifted
from train.data.batch import Batch
from train.data.corpus import Corpus, Sections
from train.data.mixture import Mixture
from train.data.places import LeadPlaces, on_patches
from train.data.prepared import PreparedStore
from train.data.shard_index import PLACE
from train.data.shards import Shards
from train.fit.soft_targets import Vocabulary

SPEC = SignalSpec(sampling_rate_hz=100, window_samples=100, normalisation="millivolt")
OFF = Augmentation(gain=0, lead_gain=0, noise=0, wander=0, dropout=0, shift=0)


@pytest.fixture(scope="module")
def opened(shards: Path) -> Shards:
    return Shards.open(shards)


def corpus(opened: Shards, **choices) -> Corpus:
    words = Vocabulary.of({*opened.vocabulary, "verified feature"}, None)
    return Corpus([opened], SPEC, numbers=words.numbers, **choices)


def same(one: Batch, other: Batch) -> bool:
    pairs = zip(vars(one).values(), vars(other).values(), strict=True)
    return all(torch.equal(torch.as_tensor(a), torch.as_tensor(b)) for a, b in pairs)


def test_tags_are_numbered_and_verified_ones_are_added_once(opened):
    first, second = opened.keys[0], opened.keys[1]
    more = {first: ("verified feature",), second: (opened.tags[1][0],)}
    numbered = corpus(opened, more=more).tags[opened.name]
    names = Vocabulary.of({*opened.vocabulary, "verified feature"}, None).names
    assert [names[i] for i in numbered[0]] == [*opened.tags[0], "verified feature"]
    assert [names[i] for i in numbered[1]] == list(opened.tags[1])
    assert [names[i] for i in numbered[2]] == list(opened.tags[2])


def test_a_batch_is_a_function_of_its_number_alone(opened):
    drawn = corpus(opened, augmentation=Augmentation(hidden_patches=0.5, shorter=0.5))
    sections = Sections(windows=4, until=2)
    whole = drawn.batches(3, sections=sections)
    batches = [next(whole) for _ in range(3)]
    assert [batch.seen.shape[2] for batch in batches] == [4, 4, 10]
    for number in (2, 0):
        again = next(drawn.batches(3, first=number, sections=sections))
        assert same(again, batches[number])
    assert not torch.equal(batches[0].signal, batches[1].signal)


def test_processes_share_one_stream(opened):
    drawn = corpus(opened)
    alone = drawn.batches(4)
    wide = [next(alone) for _ in range(2)]
    halves = [drawn.batches(2, rank=rank, processes=2) for rank in (0, 1)]
    for one in wide:
        apart = [next(half) for half in halves]
        assert torch.equal(one.signal, torch.cat([part.signal for part in apart]))
        assert one.tags.tolist() == [tag for part in apart for tag in part.tags.tolist()]


def test_prepared_signals_are_those_that_are_filtered_anew(opened, tmp_path):
    store = PreparedStore.make(opened, SPEC, tmp_path, workers=1)
    assert PreparedStore.made(opened, SPEC, tmp_path) is not None
    sent = next(corpus(opened, prepared={opened.name: store}).batches(4))
    kept, anew = sent.to(torch.device("cpu")), next(corpus(opened).batches(4))
    assert sent.signal.dtype == torch.float16, "half the bytes from process to process"
    assert torch.equal(kept.signal, sent.signal.float()), "and not a bit lost on the way"
    torch.testing.assert_close(kept.signal, anew.signal, rtol=2e-3, atol=2e-3)
    assert torch.equal(kept.seen, anew.seen) and torch.equal(kept.places, anew.places)


class Wider(PreparedStore):
    """A store that gives its signals in float32."""

    def __getitem__(self, i: int):
        signal, seen = super().__getitem__(i)
        return signal.astype(np.float32), seen


def test_what_chance_changes_is_changed_in_float32_whatever_its_store_holds(opened, tmp_path):
    store = PreparedStore.make(opened, SPEC, tmp_path, workers=1)
    wider = Wider(store.folder, store.shards)
    noisy = Augmentation(shift=1, noise=0.1)
    kept, wide = (
        next(corpus(opened, augmentation=noisy, prepared={opened.name: one}).batches(4))
        for one in (store, wider)
    )
    assert kept.signal.dtype == torch.float32 and torch.equal(kept.signal, wide.signal)


def test_every_place_belongs_to_a_tag_of_its_recording(opened):
    batch = next(corpus(opened).batches(8))
    owned = set(zip(batch.owner.tolist(), batch.tags.tolist(), strict=True))
    shown = list(zip(batch.shown_in.tolist(), batch.shown.tolist(), strict=True))
    assert shown and set(shown) <= owned
    assert (batch.places.sum(1) > 0).all()


def places(*rows: tuple[int, tuple[str, ...], float, float]) -> np.ndarray:
    bits = [(t, sum(1 << LEADS.index(lead) for lead in leads), s, e) for t, leads, s, e in rows]
    return np.array(bits, PLACE)


def plain(windows: int = 10, **moved) -> Augmented:
    shape = (12, windows * SPEC.window_samples)
    return Augmented(np.zeros(shape, np.float32), np.ones((12, windows), bool), **moved)


def touched(rows: np.ndarray, record: Augmented) -> dict[int, set[tuple[str, int]]]:
    """The patches of every tag, as leads and windows."""
    windows = record.seen.shape[1]
    return {
        tag: {(LEADS[n // windows], int(n % windows)) for n in patches.nonzero()[0]}
        for tag, patches in on_patches(rows, record, SPEC)
    }


def test_a_place_shows_on_patches_that_it_covers_by_a_fifth_or_lies_in_by_half():
    rows = places((5, ("V1", "V2"), 1.9, 3.3), (6, ("II",), 4.95, 5.03), (6, ("aVF",), 0.0, 0.1))
    found = touched(rows, plain())
    assert found[5] == {(lead, window) for lead in ("V1", "V2") for window in (2, 3)}
    assert found[6] == {("II", 4), ("aVF", 0)}


def test_places_move_with_a_later_start_a_slower_tempo_and_a_section():
    rows = places((1, ("I",), 3.0, 4.0))
    assert touched(rows, plain(late_samples=100))[1] == {("I", 2)}
    assert touched(rows, plain(tempo=1.1))[1] == {("I", 3), ("I", 4)}
    assert touched(rows, plain(windows=4, first_window=2))[1] == {("I", 1)}
    assert touched(rows, plain(windows=4, first_window=5)) == {}


def test_by_the_lexicon_a_finding_shows_in_its_leads_all_the_time_and_others_have_no_place():
    vocabulary = ("Inferior infarct", "some words of a report", "normal ECG")
    rows = LeadPlaces(vocabulary).rows(np.array([2, 0, 1]))
    inferior = {(lead, window) for lead in ("II", "III", "aVF") for window in range(10)}
    assert touched(rows, plain()) == {0: inferior}
    assert touched(rows, plain(tempo=1.1, late_samples=100)) == {0: inferior}


def test_places_that_were_drawn_stay_what_they_are(opened):
    asked = corpus(opened, by_leads=LeadPlaces(opened.vocabulary))
    assert same(next(asked.batches(3)), next(corpus(opened).batches(3)))


def test_the_place_of_a_spike_follows_the_spike_through_every_change(opened):
    """A finding drawn as one sample is found where its place says, whatever is done to it."""
    signal = np.zeros((12, 1000), np.float32)
    signal[7, 655] = 1
    record = Augmented(signal, np.ones((12, 10), bool))
    rows = places((3, (LEADS[7],), 6.5, 6.6))
    settings = Augmentation(gain=0, lead_gain=0, noise=0, wander=0, dropout=0, shift=1)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        moved = shifted(record, settings, rng, spec=SPEC)
        moved = augment(section(moved, seed % 5, 5, spec=SPEC), OFF, rng, spec=SPEC)
        windows = set(np.flatnonzero(moved.signal[7]) // SPEC.window_samples)
        found = {window for _, window in touched(rows, moved).get(3, set())}
        assert windows <= found or not windows


@pytest.mark.parametrize("seed", range(4))
def test_hidden_patches_are_silent_and_some_always_stay(seed):
    record = Augmented(np.ones((12, 1000), np.float32), np.ones((12, 10), bool))
    changes = Augmentation(
        gain=0, lead_gain=0, noise=0, wander=0, dropout=0, shift=0, hidden_patches=1, shorter=1
    )
    changed = augment(record, changes, np.random.default_rng(seed), spec=SPEC)
    hidden = ~np.repeat(changed.seen, SPEC.window_samples, axis=1)
    assert not changed.signal[hidden].any() and changed.signal[~hidden].all()
    assert 0.3 < changed.seen.mean() < 0.9
    assert not changed.seen[:, -1].any()


def test_rare_tags_come_more_often_but_at_most_so_many_times(opened):
    drawn = Mixture.of({opened.name: opened}, rarity=4)
    rows, counts = np.unique(drawn.rows[opened.name], return_counts=True)
    assert rows.tolist() == opened.rows("train").tolist()
    assert counts.min() >= 1 and counts.max() <= 4
    every = [tag for row in rows for tag in opened.tags[row]]
    share = {tag: every.count(tag) / len(rows) for tag in every}
    rarest = [min(share[tag] for tag in opened.tags[row]) for row in rows]
    assert counts[np.argmin(rarest)] == counts.max() > counts[np.argmax(rarest)]


def test_a_corpus_travels_to_another_process_by_its_folders(opened):
    drawn = corpus(opened)
    assert len(pickle.dumps(drawn)) < 20_000
    ahead = drawn.batches(2, workers=1)
    assert same(next(ahead), next(drawn.batches(2)))


def test_a_batch_moves_whole_to_a_device(opened):
    batch = next(corpus(opened).batches(2)).to(torch.device("meta"))
    assert {v.device.type for v in vars(batch).values() if torch.is_tensor(v)} == {"meta"}
