"""Opening, reading and drawing a file of every format, in the reading process with its limits."""

import tempfile
from pathlib import Path

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.readers import READERS
from focal_app.ecg.tables.question import SignalUnknown
from focal_app.ecg.writing.wfdb_file import wfdb_files
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.reading.prompts import prompt_set
from focal_app.figures.paper import ecg_svg
from tests.benchmarks.timing import Row, best_ms
from tests.hospital_files import CLINICAL, TABLES

AIM_MS = 1000


def rows() -> list[Row]:
    """Time from the file to findings and paper, of a bundled case of 10 s in each format."""
    if not EMBEDDED.is_dir():
        return [Row("Open, read and draw, every format", "skipped: no checkpoint in assets/")]
    explorer, prompts = Explorer.load(), prompt_set("everyday").prompts
    READERS.start()
    with tempfile.TemporaryDirectory() as folder:
        made = _written(Path(folder))
        return [_row(name, paths, explorer, prompts) for name, paths in made.items()]


def _written(folder: Path) -> dict[str, list[Path]]:
    """The files of the case by their format."""
    ecg, made = load_case("normal"), {}
    contents = {name: {name: write(ecg)} for name, write in {**CLINICAL, **TABLES}.items()}
    for name, files in {"WFDB": wfdb_files(ecg, name="recording"), **contents}.items():
        made[name] = [folder / file for file in files]
        for path, content in zip(made[name], files.values(), strict=True):
            path.write_bytes(content)
    return made


def _opened(paths: list[Path]) -> CompleteECG:
    try:
        return completed(READERS.read(paths))
    except SignalUnknown as unknown:
        return completed(unknown.table.answered(unknown.table.guess))


def _row(name: str, paths: list[Path], explorer: Explorer, prompts: tuple[str, ...]) -> Row:
    def all_three():
        ecg = _opened(paths)
        return explorer.read(ecg, prompts), ecg_svg(ecg)

    ecg = _opened(paths)
    runs = {"open": lambda: _opened(paths), "draw": lambda: ecg_svg(ecg), "all": all_three}
    times = best_ms(runs, rounds=5)
    parts = f"of which opening {times['open']:.0f} ms, drawing {times['draw']:.0f} ms"
    found, met = f"{times['all']:.0f} ms, {parts}", times["all"] <= AIM_MS
    return Row(f"{name}: open, read and draw 10 s", found, f"{AIM_MS} ms", met)
