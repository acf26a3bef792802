"""What each stage costs a record, at growing numbers of records: the figures of docs/scale.md.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.scale --records 250 1000
    OMP_NUM_THREADS=1 python -m tests.benchmarks.scale --records 250 1000 --memory

Seconds are those of one core at work (process time), so that a busy machine tells the same. With
--memory peaks of arrays that NumPy holds are told in their place, as tracing them doubles the time.
The archive is drawn, in MIMIC-IV-ECG's shape, and is read as one.
"""

import argparse
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import torch

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_prompt_sets
from focal_app.model.focal import Focal
from tests.benchmarks.options import at_least_one
from train.benchmark.embeddings import embed
from train.benchmark.prompts import Prompts
from train.benchmark.retrieval import direction
from train.benchmark.zeroshot import class_logits
from train.data.build import build
from train.data.mimic import MimicIvEcg
from train.data.mimic_fixture import Fixture, write_fixture
from train.data.prepared import PreparedStore
from train.enrich.backends.curated import Curated
from train.enrich.generate import enrich
from train.enrich.verify import Reading, verify

CHECKPOINT = Path(__file__).parents[2] / "assets" / "checkpoint"
RANKED, TAGS = (1000, 5000, 20_000), 200
Measured = Callable[[str, int], AbstractContextManager[None]]
FEATURES = ("inverted T waves", "ST depression", "wide QRS complex", "absent P waves")


@contextmanager
def timed(what: str, records: int) -> Iterator[None]:
    """Print the core time a record of what is done inside."""
    start = time.process_time()
    yield
    each = 1000 * (time.process_time() - start) / records
    print(f"| {what} | {records:,} | {each:.2f} ms |", flush=True)


@contextmanager
def traced(what: str, records: int) -> Iterator[None]:
    """Print the peak of memory of what is done inside."""
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"| {what} | {records:,} | {peak / 1e6:.0f} MB |", flush=True)


def stages(records: int, folder: Path, measured: Measured = timed) -> None:
    """Archive to shards, read and prepare, keep, enrich, verify, evaluate."""
    raw = folder / "raw"
    write_fixture(raw, Fixture(records))
    with measured("archive to shards", records):
        shards = build(MimicIvEcg(raw), folder / "shards", workers=1)
    few = min(len(shards), 500)
    with measured("read and prepare", few):
        for row in range(few):
            prepare(shards.ecg(row), SignalSpec())
    with measured("keep prepared", len(shards)):
        kept = PreparedStore.make(shards, SignalSpec(), folder / "prepared", workers=1)
    with measured("read what is kept", len(shards)):
        for row in range(len(kept)):
            _ = kept[row]
    with measured("enrich by the lexicon", records):
        enrich(shards.tags, Curated(), out=folder / "candidates")
    model = Focal.load(CHECKPOINT)
    asked = {frozenset(tags): FEATURES for tags in shards.tags}
    with measured("verify, four features a record", len(shards)):
        verify(model, [shards], asked, folder / "verified", score="probability")
    PreparedStore.make(shards, model.config.signal, folder / "prepared", workers=1)
    with measured("the same from kept signals", len(shards)):
        ready = Reading(prepared=folder / "prepared")
        verify(model, [shards], asked, folder / "ready", score="probability", reading=ready)
    headers = sorted(raw.rglob("*.hea"))
    prompts = Prompts(tuple((prompt,) for prompt in load_prompt_sets()["ptbxl-super"].prompts))
    with measured("evaluate zero-shot, five classes", len(headers)):
        class_logits(model, embed(model, headers), prompts)


def ranks(records: int, measured: Measured = timed) -> None:
    """Both directions of retrieval over made-up similarities, a description for four ECGs."""
    rng = np.random.default_rng(0)
    texts = records // 4
    similarity = rng.normal(size=(records, TAGS)).astype(np.float32)
    weights = (rng.random((TAGS, texts)) < 0.02).astype(np.float32)
    own, every = rng.integers(0, texts, records), np.arange(texts)
    own[:texts] = every
    with measured("retrieval, both directions", records):
        direction(similarity, weights, own, every)
        direction(weights.T, similarity.T, every, own)


def main() -> None:
    """Every stage at every number of records, as a Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale", description=__doc__)
    parser.add_argument("--records", type=at_least_one, nargs="+", default=[250, 1000], metavar="N")
    parser.add_argument("--memory", action="store_true", help="peaks of arrays, and no times")
    asked = parser.parse_args()
    measured, told = (traced, "peak of arrays") if asked.memory else (timed, "core time a record")
    torch.set_num_threads(1)
    print(f"| stage | records | {told} |\n|---|---|---|")
    for count in asked.records:
        with tempfile.TemporaryDirectory() as folder:
            stages(count, Path(folder), measured)
    for count in RANKED:
        ranks(count, measured)


if __name__ == "__main__":
    main()
