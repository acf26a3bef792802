"""Nearest cases among ten thousand, a hundred thousand and a million: time, recall and memory.

python -m tests.benchmarks search

The vectors are mixtures of two embeddings of the embedded gallery with a little noise along their
principal directions. Searching runs in a process of its own, which has nothing else in memory.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from focal_app.explore.cases.gallery.gallery import EMBEDDED
from focal_app.explore.cases.gallery.index import Nearest, write_compressed
from focal_app.explore.cases.gallery.manifest import Manifest
from tests.benchmarks.timing import Row

SIZES = (10_000, 100_000, 1_000_000)
FLAT_UP_TO = 100_000
QUERIES, TOP = 200, 10
AIM_MS, AIM_RECALL, AIM_MB = 10, 0.95, 1000
NOISE = 0.25
"""Noise in units of the embeddings' spread along each principal direction."""


def rows() -> list[Row]:
    """A row a size and a kind of index."""
    if not EMBEDDED.is_dir():
        return [Row("Nearest cases", "skipped: no embedded gallery in assets/")]
    return [row for count in SIZES for row in _measured(count)]


def _measured(count: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _draw(folder, count)
        made = []
        if count <= FLAT_UP_TO:
            made.append(_row(f"Nearest of {count:,}, compared one by one", folder, ""))
        begun = time.perf_counter()
        write_compressed(_vectors(folder / "vectors"), folder / "index")
        took_s = time.perf_counter() - begun
        what = f"Nearest of {count:,}, in cells (built in {took_s:.0f} s)"
        return [*made, _row(what, folder, "index")]


def _row(what: str, folder: Path, index: str) -> Row:
    command = [sys.executable, "-m", "tests.benchmarks.search", str(folder), index]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    said = (
        f"p50 {found['p50_ms']:.1f} ms, p95 {found['p95_ms']:.1f} ms, "
        f"recall@{TOP} {found['recall']:.3f}, {found['mb']:.0f} MB"
    )
    if not index:
        return Row(what, said)
    met = found["p50_ms"] < AIM_MS and found["recall"] >= AIM_RECALL and found["mb"] < AIM_MB
    return Row(what, said, f"p50 {AIM_MS} ms, recall {AIM_RECALL}, {AIM_MB} MB", met)


def _draw(folder: Path, count: int) -> None:
    """Vectors, queries and, by plain products, the numbers of the nearest."""
    kind, shape = Manifest.read(EMBEDDED).shapes["vectors-whole.bin"]
    real = np.fromfile(EMBEDDED / "vectors-whole.bin", kind).reshape(shape).astype(np.float32)
    directions = np.linalg.svd(real - real.mean(0), full_matrices=False)
    spread = NOISE * directions.S[:, None] / np.sqrt(len(real)) * directions.Vh
    rng = np.random.default_rng(0)

    def mixtures(number: int) -> np.ndarray:
        share = rng.random((number, 1), np.float32)
        first, second = (real[rng.integers(len(real), size=number)] for _ in range(2))
        noise = rng.standard_normal((number, len(spread)), np.float32) @ spread
        mixed = share * first + (1 - share) * second + noise
        return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)

    queries = mixtures(QUERIES)
    best = np.full((QUERIES, TOP), -2, np.float32)
    nearest = np.zeros((QUERIES, TOP), np.int64)
    with (folder / "vectors").open("wb") as file:
        for first in range(0, count, 50_000):
            part = mixtures(min(50_000, count - first)).astype("<f2")
            file.write(part.tobytes())
            products = queries @ part.astype(np.float32).T
            both = np.concatenate([best, products], axis=1)
            numbers = np.concatenate(
                [nearest, np.broadcast_to(first + np.arange(len(part)), products.shape)], axis=1
            )
            order = np.argsort(-both, axis=1)[:, :TOP]
            best, nearest = (np.take_along_axis(a, order, axis=1) for a in (both, numbers))
    np.save(folder / "queries.npy", queries)
    np.save(folder / "nearest.npy", nearest)


def _vectors(file: Path) -> np.ndarray:
    dim = Manifest.read(EMBEDDED).dim
    return np.memmap(file, "<f2", "r").reshape(-1, dim)


def _searched(folder: Path, index: str) -> dict[str, float]:
    """Time, recall and the memory of this process."""
    queries, wanted = np.load(folder / "queries.npy"), np.load(folder / "nearest.npy")
    nearest = Nearest(_vectors(folder / "vectors"), folder / index if index else None)
    nearest.search(queries[0], top=TOP)
    took, found = [], []
    for query in queries:
        begun = time.perf_counter()
        found.append(nearest.search(query, top=TOP)[0])
        took.append(1e3 * (time.perf_counter() - begun))
    recall = np.mean([len({*f} & {*w}) / TOP for f, w in zip(found, wanted, strict=True)])
    p50, p95 = np.percentile(took, [50, 95])
    return {"p50_ms": p50, "p95_ms": p95, "recall": float(recall), "mb": _memory_mb()}


def _memory_mb() -> float:
    """The greatest memory of this process, mapped files that were touched included."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(_searched(Path(sys.argv[1]), [*sys.argv, ""][2])))
