"""What a verifying process spends on a record before the model sees it: with readers and without,
and from signals that were kept.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.reading_ahead --records 1000 --workers 2

Core time of that process alone, so that a busy machine tells the same: it is what an accelerator
waits for. The readers' own time is that of reading a record, shared among them. Wall time beside it
holds for the machine as it was.
"""

import argparse
import tempfile
import time
from pathlib import Path

from focal_app.ecg.signal_spec import SignalSpec
from train.data.build import build
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.enrich.reading_ahead import Part, read_ahead

BATCH = 64


def handed_over(
    shards: Shards, workers: int, store: PreparedStore | None = None
) -> tuple[float, float]:
    """Core milliseconds of this process and ECG/s on the clock, after the readers have started."""
    rows = [range(n, min(n + BATCH, len(shards))) for n in range(0, len(shards), BATCH)]
    parts = [Part(shards, some, (True,) * len(some), store) for some in rows]
    ahead = read_ahead(parts, SignalSpec(), workers=workers)
    next(ahead)
    clock, core, count = time.perf_counter(), time.process_time(), 0
    for records in ahead:
        count += len(records)
    seconds = time.perf_counter() - clock
    return 1000 * (time.process_time() - core) / count, count / seconds


def main() -> None:
    """Without readers, then with so many, in one run."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.reading_ahead", description=__doc__
    )
    parser.add_argument("--records", type=int, default=1000, metavar="N")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    asked = parser.parse_args()
    print("| readers | core time a record of the process that computes | ECG/s on the clock |")
    print("|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        shards = build(Simulation(asked.records), Path(folder) / "simulated")
        kept = PreparedStore.make(shards, SignalSpec(), Path(folder) / "prepared")
        for store, of in ((None, ""), (kept, ", kept signals")):
            for workers in (0, asked.workers):
                core, speed = handed_over(shards, workers, store)
                print(f"| {workers}{of} | {core:.2f} ms | {speed:.0f} |", flush=True)


if __name__ == "__main__":
    main()
