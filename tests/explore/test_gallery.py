"""Claims about galleries: what is built is what is read, and nothing else is opened."""

import json
import os
import shutil
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from full_disk import full_disk
from gallery_cases import CASES, facts, records
from numpy.testing import assert_allclose

from focal_app.ecg.preprocess import prepare
from focal_app.errors import GalleryError, PromptError
from focal_app.explore.cases.gallery import Filters, Gallery
from focal_app.explore.cases.gallery.build import Plan, build
from focal_app.explore.cases.gallery.case import Facts
from focal_app.explore.cases.gallery.gallery import EMBEDDED
from focal_app.explore.cases.gallery.index import Nearest, write_compressed
from focal_app.explore.cases.gallery.manifest import MANIFEST, Manifest
from focal_app.explore.reading.explorer import EMBEDDED as CHECKPOINT
from focal_app.explore.reading.explorer import Explorer
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    """A copy of the gallery that may be spoilt."""
    return shutil.copytree(built, tmp_path / "copy")


def test_every_case_comes_back_with_its_facts(gallery):
    assert len(gallery) == CASES
    for number, case in enumerate(gallery):
        known = facts(number)
        assert (case.number, case.key, case.facts.labels) == (number, known.key, known.labels)
        assert (case.facts.sex, case.facts.age_years) == (known.sex or None, known.age_years)
        assert (case.facts.report, case.facts.source, case.facts.licence) == (
            known.report,
            known.source,
            known.licence,
        )
        assert gallery.case(case.key) == case


def test_cases_of_patients_whom_the_model_learnt_from_are_marked(tiny_checkpoint, tmp_path):
    checkpoint = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    whose = {"case-00": "learnt from", "case-01": "another"}
    named = [
        replace(one, patient=whose.get(one.facts.key))
        for one in islice(records(), 3)
        if one is not None
    ]
    Seen.of(["learnt from"], ["another"]).save(checkpoint)
    explorer = Explorer.load(checkpoint)
    made = build(named, explorer, tmp_path / "gallery", Plan(title="Some"))
    assert (made.cases, made.trained, made.unknown) == (3, 1, 1)
    gallery = Gallery.open(tmp_path / "gallery", explorer.model)
    assert [case.facts.trained for case in gallery] == [True, False, None]
    assert "in 1 of the 3 cases" in gallery.note
    Seen.of([], []).save(checkpoint)
    build(named, Explorer.load(checkpoint), tmp_path / "gallery", Plan(title="Some"))
    assert "trained" not in Gallery.open(tmp_path / "gallery", explorer.model).note


def test_a_case_keeps_its_signal(gallery, query):
    assert np.abs(gallery.ecg(3).signal_mv - query(3).signal_mv).max() < 0.00051


def test_embeddings_are_those_of_the_stored_signal(gallery, explorer):
    for number in (0, 7):
        prepared = prepare(gallery.ecg(number), explorer.spec)
        patches = explorer.patches(prepared)
        assert_allclose(gallery.patches([number]), patches, atol=2e-3)
        mean = patches[0].mean(0)
        assert_allclose(gallery.vectors("whole", [number])[0], mean / mean.norm(), atol=2e-3)
        reading = explorer.read(gallery.ecg(number), ["atrial fibrillation"])
        place = gallery.statements().index("atrial fibrillation")
        found = gallery.findings([number])[0, place]
        assert found == pytest.approx(reading.findings[0].probability, abs=2e-3)


def test_compact_patches_are_near_the_whole_ones(gallery, explorer, tmp_path):
    plan = Plan(title="Compact", rate_hz=250, patches="compact")
    build(records(), explorer, tmp_path / "compact", plan)
    compact = Gallery.open(tmp_path / "compact", explorer.model)
    numbers = range(CASES)
    cosine = (compact.patches(numbers) * gallery.patches(numbers)).sum(-1)
    assert cosine.min() > 0.999


def test_a_compressed_index_finds_what_the_exact_one_finds(tmp_path):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, 8))
    vectors = centres[rng.integers(50, size=1500)] + rng.normal(0, 0.2, (1500, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    write_compressed(vectors, tmp_path / "index")
    exact, compressed = Nearest(vectors), Nearest(vectors, tmp_path / "index")
    allowed = rng.random(1500) < 0.5
    for chosen in (None, allowed):
        query = vectors[7].astype(np.float32)
        wanted = exact.search(query, top=10, allowed=chosen)
        found = compressed.search(query, top=10, allowed=chosen)
        assert len({*found[0].tolist()} & {*wanted[0].tolist()}) >= 9
        assert_allclose(found[1], vectors[found[0]].astype(np.float32) @ query, atol=1e-6)
        assert chosen is None or chosen[found[0]].all()
    with pytest.raises(GalleryError, match="another gallery"):
        Nearest(vectors[1:], tmp_path / "index").search(vectors[0].astype(np.float32), top=1)
    whole = (tmp_path / "index").read_bytes()
    for spoilt in (b"", whole[:100], whole[: len(whole) // 2], whole[:-1]):
        (tmp_path / "index").write_bytes(spoilt)  # under the index that was opened before
        assert len(compressed.search(query, top=10)[0]) == 10
        with pytest.raises(GalleryError, match="cannot be read"):
            Nearest(vectors, tmp_path / "index").search(query, top=1)
    (tmp_path / "index").write_bytes(b"no index")
    with pytest.raises(GalleryError, match="cannot be read"):
        Nearest(vectors, tmp_path / "index").search(vectors[0].astype(np.float32), top=1)


def test_few_cases_are_compared_one_by_one_whatever_was_asked(explorer, tmp_path):
    build(records(), explorer, tmp_path / "few", Plan(title="Few", rate_hz=250, index="ivfpq"))
    assert Manifest.read(tmp_path / "few").index == "flat"


def test_the_nearest_are_those_of_a_plain_product(gallery):
    vectors = gallery.vectors("whole", range(CASES))
    found, products = gallery.nearest("whole").search(vectors[2], top=5)
    order = np.argsort(-(vectors @ vectors[2]), kind="stable")[:5]
    assert_allclose(products, (vectors @ vectors[2])[order], atol=1e-6)
    assert found[0] == 2


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        (Filters(labels=("AF",)), lambda f: "atrial fibrillation" in f.labels),
        (Filters(labels=("LBBB",)), lambda f: "complete left" in f.labels[0]),
        (Filters(labels=("AF", "LBBB")), lambda f: False),
        (Filters(sex="female"), lambda f: f.sex == "female"),
        (Filters(age_years=(30, 45)), lambda f: 30 <= f.age_years <= 45),
        (Filters(source="second"), lambda f: f.source == "second"),
        (
            Filters(labels=("AF",), age_years=(0, 40), source="first"),
            lambda f: "atrial" in f.labels[0] and f.age_years <= 40 and f.source == "first",
        ),
    ],
)
def test_filters_let_pass_what_they_say(gallery, filters, passes):
    assert gallery.allowed(filters).tolist() == [passes(facts(n)) for n in range(CASES)]
    assert gallery.allowed(filters).sum() == sum(passes(facts(n)) for n in range(CASES))


def test_a_label_counts_for_what_it_implies(gallery):
    counted = gallery.labels()
    assert counted["bundle branch block"] == counted["complete left bundle branch block"] == 5


@pytest.mark.parametrize(
    "ask",
    [
        lambda g: g.allowed(Filters(labels=("no such thing",))),
        lambda g: g.allowed(Filters(source="third")),
        lambda g: g.case("../case-00"),
    ],
)
def test_what_no_case_could_have_is_refused(gallery, ask):
    with pytest.raises(GalleryError):
        ask(gallery)


def test_filters_that_contradict_themselves_are_refused():
    for wrong in ({"sex": "x"}, {"age_years": (60, 40)}):
        with pytest.raises(PromptError):
            Filters(**wrong)


def test_another_checkpoint_is_refused(built, tiny_checkpoint):
    model = Focal.load(tiny_checkpoint)
    Gallery.open(built, model)
    with torch.no_grad():
        model.projection.bias[0] += 0.001
    with pytest.raises(GalleryError, match="another checkpoint"):
        Gallery.open(built, model)


@pytest.mark.parametrize(
    "name", [MANIFEST, "signals.bin", "patches.bin", "table.bin", "cases.jsonl"]
)
def test_a_truncated_file_is_refused(name, copy, explorer):
    file = copy / name
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(GalleryError):
        Gallery.open(copy, explorer.model)


def test_a_pickle_is_never_loaded(copy, explorer):
    """A pickle in the place of an array is other bytes of another size, or numbers; never code."""
    import pickle

    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(copy / "ran"),))

    for name in ("patches.bin", "table.bin", MANIFEST):
        other = shutil.copytree(copy, copy.with_name(f"bomb-{name}"))
        size = (other / name).stat().st_size
        (other / name).write_bytes(pickle.dumps(Bomb()).ljust(size, b"\0")[:size])
        try:
            one = Gallery.open(other, explorer.model)
            one.patches([0])
            one.case("case-00")
        except GalleryError:
            pass
    assert not (copy / "ran").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"count": 10**12},
        {"count": True},
        {"dim": "8"},
        {"dim": -8},
        {"patches": "../../etc/passwd"},
        {"index": "pickle"},
        {"sizes": {"../outside": 1}},
        {"statements": []},
        {"surprise": 1},
        {"rate_hz": 10**9},
        {"step_uv": 10**9},
        {"key_bytes": 10**9},
        {"rate_hz": True},
        {"simulated": 1},
        {"sizes": [1]},
    ],
)
def test_a_manifest_that_is_off_is_refused(change, copy, explorer):
    values = json.loads((copy / MANIFEST).read_text())
    (copy / MANIFEST).write_text(json.dumps({**values, **change}))
    with pytest.raises(GalleryError):
        Gallery.open(copy, explorer.model)


@pytest.mark.parametrize(
    "content", (b"[]", b"5", b"\xff", b"[" * 100_000, b'{"a":' * 100_000, b'{"count": NaN}')
)
def test_a_manifest_that_is_no_plain_object_is_refused(content, copy, explorer):
    (copy / MANIFEST).write_bytes(content)
    with pytest.raises(GalleryError, match=MANIFEST):
        Gallery.open(copy, explorer.model)


def test_a_link_that_leaves_the_folder_is_refused(copy, explorer, tmp_path):
    outside = shutil.move(copy / "cases.jsonl", tmp_path / "outside.jsonl")
    (copy / "cases.jsonl").symlink_to(outside)
    with pytest.raises(GalleryError):
        Gallery.open(copy, explorer.model)


def test_a_table_that_points_outside_is_refused(copy, explorer):
    manifest = Manifest.read(copy)
    table = np.fromfile(copy / "table.bin", manifest.table_dtype)
    table["signal"][0] = 2**40
    table.tofile(copy / "table.bin")
    with pytest.raises(GalleryError, match="points outside"):
        Gallery.open(copy, explorer.model).ecg(0)


def test_a_hub_cache_may_keep_its_files_as_blobs(built, explorer, tmp_path):
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "a"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    for number, file in enumerate(sorted(built.iterdir())):
        shutil.copy(file, blobs / str(number))
        (snapshot / file.name).symlink_to(blobs / str(number))
    assert len(Gallery.open(snapshot, explorer.model)) == CASES


@pytest.mark.parametrize("spoil", [shutil.rmtree, lambda f: (f / "patches.bin").write_bytes(b"")])
def test_a_gallery_that_goes_away_says_so_and_comes_back(spoil, copy, built, explorer):
    """Reading on from a shortened memory map would end the whole process."""
    gallery = Gallery.open(copy, explorer.model)
    spoil(copy)
    for ask in (lambda: gallery.patches([0]), lambda: gallery.nearest("whole"), gallery.check):
        with pytest.raises(GalleryError):
            ask()
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(built, copy)
    assert Gallery.open(copy, explorer.model).case("case-03").number == 3


@pytest.mark.parametrize("key", ["", "../x", "a/b", "a b", "<script>", "x" * 65, ".hidden"])
def test_a_key_is_no_path_and_no_markup(key):
    with pytest.raises(GalleryError):
        Facts(key=key, source="s", licence="l")


def test_building_leaves_a_folder_of_something_else_alone(explorer, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(GalleryError, match="neither empty nor a gallery"):
        build(records(), explorer, tmp_path, Plan(title="x"))
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_build_that_fails_keeps_the_old_gallery(copy, explorer):
    def failing():
        yield next(records())
        raise GalleryError("the list ends here")

    with pytest.raises(GalleryError, match="ends here"):
        build(failing(), explorer, copy, Plan(title="x", rate_hz=250))
    assert len(Gallery.open(copy, explorer.model)) == CASES
    assert not copy.with_name("copy.making").exists()


@pytest.mark.parametrize("room", [10, 20_000])
def test_a_full_disk_is_a_sentence_and_keeps_the_old_gallery(room, copy, explorer):
    with full_disk(room), pytest.raises(GalleryError, match="found no room on the disk"):
        build(records(), explorer, copy, Plan(title="x", rate_hz=250))
    assert len(Gallery.open(copy, explorer.model)) == CASES
    assert not copy.with_name("copy.making").exists()


def test_the_variable_names_the_gallery(copy, explorer, monkeypatch):
    monkeypatch.setenv("FOCAL_GALLERY", str(copy))
    assert Gallery.configured(explorer.model).title == "Small"
    monkeypatch.setenv("FOCAL_GALLERY", str(copy / "missing"))
    with pytest.raises(GalleryError, match="org/name@revision"):
        Gallery.configured(explorer.model)


@pytest.mark.skipif(not CHECKPOINT.is_dir(), reason="no embedded checkpoint")
def test_the_embedded_gallery_fits_the_embedded_checkpoint_and_its_limits():
    gallery = Gallery.open(EMBEDDED, Explorer.load().model)
    assert len(gallery) >= 300
    assert gallery.simulated
    assert {case.facts.licence for case in gallery} == {"MIT"}
    assert sum(file.stat().st_size for file in EMBEDDED.iterdir()) < 10_000_000
    assert gallery.ecg(0).duration_s == 10.0


@pytest.mark.skipif(not CHECKPOINT.is_dir(), reason="no embedded checkpoint")
def test_no_embedded_case_carries_labels_that_exclude_each_other():
    lexicon = load_lexicon()
    for case in Gallery.open(EMBEDDED, Explorer.load().model):
        labels = frozenset(case.facts.labels)
        assert not any(lexicon.exclusions(label) & labels for label in labels), case.key
        assert not {"sinus arrhythmia", "regular RR intervals"} <= labels, case.key
