"""Opening and reading a file of every format, in the reading process with its limits."""

import tempfile
from pathlib import Path

from focal_app.ecg.leads import completed
from focal_app.ecg.readers import READERS
from focal_app.ecg.tables.question import SignalUnknown
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.reading.prompts import prompt_set
from tests.benchmarks.timing import Row, best_ms
from tests.hospital_files import CLINICAL, TABLES

AIM_MS = 1000


def rows() -> list[Row]:
    """Time from the file to the findings, of a bundled case of 10 s in each format."""
    if not EMBEDDED.is_dir():
        return [Row("Open and read, every format", "skipped: no embedded checkpoint in assets/")]
    explorer, prompts = Explorer.load(), prompt_set("everyday").prompts
    READERS.start()
    with tempfile.TemporaryDirectory() as folder:
        return [_row(name, Path(folder), explorer, prompts) for name in {**CLINICAL, **TABLES}]


def _row(name: str, folder: Path, explorer: Explorer, prompts: tuple[str, ...]) -> Row:
    path = folder / "recording"
    path.write_bytes({**CLINICAL, **TABLES}[name](load_case("normal")))

    def opened():
        try:
            return completed(READERS.read([path]))
        except SignalUnknown as unknown:
            return completed(unknown.table.answered(unknown.table.guess))

    runs = {"open": opened, "both": lambda: explorer.read(opened(), prompts)}
    times = best_ms(runs, rounds=5)
    found = f"{times['both']:.0f} ms, of which opening {times['open']:.0f} ms"
    return Row(f"{name}: open and read 10 s", found, f"{AIM_MS} ms", times["both"] <= AIM_MS)
