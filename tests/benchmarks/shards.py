"""What opening 800,000 records costs a process, and how fast recordings are read for training.

The records are made up: reports as `tests.benchmarks.enrichment` draws them, keys and patients as
MIMIC-IV-ECG numbers them, and signals that are holes in files, for they are not read. The loader
reads simulated recordings, from shards (prepared again each time) and from a prepared store, of
which training makes batches, as they are kept and augmented.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from torch.utils.data import DataLoader, Dataset

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from tests.benchmarks.enrichment import CENTRAL, REPEATED, REPORTS, reports
from tests.benchmarks.timing import Row
from train.data.augment import Augmentation
from train.data.build import build
from train.data.corpus import Corpus
from train.data.prepared import PreparedStore
from train.data.shard_files import write_index
from train.data.shard_index import line_of
from train.data.shards import MANIFEST, VERSION, Shards
from train.data.simulation import Simulation
from train.data.source import SPLITS
from train.fit.soft_targets import Vocabulary

SHARD, SAMPLES, PATIENTS = 2000, 5000, 161_352
OPEN_S, PRIVATE_MB, WORKERS = 2.0, 100.0, 2
DRAWN, LOADED, BATCH = 96, 1_920, 64

OPENED = """
import sys, time
from pathlib import Path
from train.data.shards import Shards

def private_mb():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    held = [line.split() for line in lines if line.startswith("Private_")]
    return sum(int(words[1]) for words in held) / 1024

before, start = private_mb(), time.perf_counter()
shards = Shards.open(Path(sys.argv[1]))
opened = time.perf_counter() - start
for row in shards.rows("train")[:20_000]:
    shards.tags[row], shards.keys[row]
print(opened, private_mb() - before)
"""


def rows() -> Iterator[Row]:
    """Opening first, then the loader."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made-up"
        write_made_up(made, reports(CENTRAL, repeated=REPEATED))
        seconds, private_mb = opening(made)
        what = f"Shards of {REPORTS:,} records:"
        yield Row(f"{what} open", f"{seconds:.2f} s", f"{OPEN_S:g} s", seconds <= OPEN_S)
        yield Row(
            f"{what} private memory of each of {WORKERS} processes that read 20,000 of them",
            *(f"{private_mb:.0f} MB", f"{PRIVATE_MB:g} MB", private_mb <= PRIVATE_MB),
        )
    with tempfile.TemporaryDirectory() as folder:
        drawn = build(Simulation(DRAWN), Path(folder) / "drawn", shard_records=DRAWN)
        store = PreparedStore.make(drawn, SignalSpec(), Path(folder))
        for name, source in (("shards", Prepared(drawn)), ("a prepared store", store)):
            for workers in (0, 1, 2):
                rate = ecgs_per_second(Repeated(source), workers)
                yield Row(f"Loader from {name}, {workers} workers", f"{rate:,.0f} ECG/s")
        for name, changes in (("as kept", None), ("augmented", Augmentation())):
            for workers in (0, 1, 2):
                rate = batched_per_second(drawn, store, changes, workers)
                yield Row(f"Batches for training {name}, {workers} workers", f"{rate:,.0f} ECG/s")


def write_made_up(folder: Path, tags: Iterable[tuple[str, ...]]) -> None:
    """A finished folder of records with these tags, whose signals are holes in files."""
    folder.mkdir()
    rest, shards = enumerate(tags), []
    while block := list(islice(rest, SHARD)):
        shards.append(_write_shard(folder, f"shard-{len(shards):05d}", block))
    index, vocabulary = write_index(folder, [shard["name"] for shard in shards])
    manifest = {
        **{"version": VERSION, "source": "made-up", "spoken": None, "classes_stated": True},
        **{"sampling_rate_hz": 500, "microvolts_per_step": 1.0, "leads": list(LEADS)},
        **{"vocabulary": vocabulary, "index": index, "shards": shards},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest))


def _write_shard(folder: Path, name: str, block: list[tuple[int, tuple[str, ...]]]) -> dict:
    paths = [folder / f"{name}.npy", folder / f"{name}.jsonl"]
    np.lib.format.open_memmap(paths[0], "w+", np.int16, (len(block), len(LEADS), SAMPLES))
    paths[1].write_text("".join(map(_line, block)))
    files = {path.name: {"bytes": path.stat().st_size, "sha256": ""} for path in paths}
    return {"name": name, "records": len(block), "files": files}


def _line(numbered: tuple[int, tuple[str, ...]]) -> str:
    number, tags = numbered
    said = {
        **line_of(str(40_000_000 + number), split=SPLITS[number % 20 % 3], tags=tags),
        **{"subject": str(10_000_000 + number % PATIENTS), "report": ". ".join(tags)},
        **{"hedged": list(tags[2:3]), "facts": {"age": 20 + number % 70, "sex": "female"}},
    }
    return json.dumps(said) + "\n"


def opening(folder: Path) -> tuple[float, float]:
    """Seconds to open a folder, and megabytes that only the process itself holds after it.

    The more of `WORKERS` that do so at once.
    """
    command = [sys.executable, "-c", OPENED, str(folder)]
    ask = partial(subprocess.run, command, stdout=subprocess.PIPE, text=True, check=True)
    with ThreadPoolExecutor(WORKERS) as pool:
        asked = [pool.submit(ask) for _ in range(WORKERS)]
    found = [one.result().stdout.split() for one in asked]
    seconds, private_mb = np.array(found, float).max(axis=0).tolist()
    return seconds, private_mb


class Prepared:
    """Recordings of shards, each prepared when it is asked for."""

    def __init__(self, shards: Shards) -> None:
        self.shards, self.spec = shards, SignalSpec()

    def __len__(self) -> int:
        return len(self.shards)

    def __getitem__(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        found = prepare(self.shards.ecg(i), self.spec)
        return found.signal, found.seen


class Repeated(Dataset):
    """`LOADED` recordings: those of a source again and again."""

    def __init__(self, source: Prepared | PreparedStore) -> None:
        self.source = source

    def __len__(self) -> int:
        return LOADED

    def __getitem__(self, position: int) -> tuple[np.ndarray, np.ndarray]:
        return self.source[position % len(self.source)]


def ecgs_per_second(dataset: Repeated, workers: int) -> float:
    """How many recordings a second a loader gives, from its first batch on."""
    loader = partial(DataLoader, dataset, BATCH, num_workers=workers)
    batches = iter(loader(multiprocessing_context="spawn") if workers else loader())
    next(batches)
    start = time.perf_counter()
    count = sum(len(signal) for signal, _ in batches)
    return count / (time.perf_counter() - start)


def batched_per_second(
    shards: Shards, store: PreparedStore, changes: Augmentation | None, workers: int
) -> float:
    """How many recordings a second come as batches of training, from the third on."""
    vocabulary = Vocabulary.of(shards.vocabulary, None)
    corpus = Corpus(
        [shards],
        SignalSpec(),
        numbers=vocabulary.numbers,
        augmentation=changes,
        prepared={shards.name: store},
    )
    batches = corpus.batches(BATCH, workers=workers)
    for _ in range(2):
        next(batches)
    start = time.perf_counter()
    count = sum(len(batch.signal) for batch in islice(batches, LOADED // BATCH))
    return count / (time.perf_counter() - start)
