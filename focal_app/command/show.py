"""Prints what came of every file; says whether all of them could be read."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from focal_app.command.copies import Copies
from focal_app.command.csv_file import CsvFile
from focal_app.command.read import Outcome, Question, read_files
from focal_app.command.table import table
from focal_app.command.trouble import complain, one_line
from focal_app.errors import FocalError, RecordingError
from focal_app.explore.reading.document import document


def show_json(outcomes: Iterable[Outcome], *, files: int, heatmap: bool) -> bool:
    """One object for one FILE, a list for several; a file that failed has an `error`."""
    entries = [_entry(o, files=files, heatmap=heatmap) for o in _counted(outcomes, files)]
    printed = entries[0] if files == 1 else entries
    print(json.dumps(printed, indent=None if heatmap else 2, allow_nan=False))
    return not any("error" in entry for entry in entries)


def show_tables(outcomes: Iterable[Outcome], *, files: int, heatmap: bool) -> bool:
    """A table a recording, printed as soon as it is read."""
    well = True
    for outcome in outcomes:
        if isinstance(outcome.result, FocalError):
            well = False
            complain(outcome.result, file=outcome.file if files > 1 else None)
            continue
        if files > 1:
            print(f"File {outcome.file} of {files}")
        print(table(outcome.result, heatmap=heatmap), end="\n\n" if files > 1 else "\n", flush=True)
    return well


def _entry(outcome: Outcome, *, files: int, heatmap: bool) -> dict[str, Any]:
    if isinstance(outcome.result, FocalError):
        complain(outcome.result, file=outcome.file if files > 1 else None)
        return {"file": outcome.file, "error": one_line(outcome.result)}
    return {"file": outcome.file, **document(outcome.result, heatmap=heatmap)}


def write_table(
    path: Path, found: Sequence[tuple[int, Path]], question: Question, copies: Copies
) -> bool:
    """A row a recording, and its copies before it: a row says that all of a recording is there."""
    table = CsvFile(path, question, heatmap=copies.heatmaps)
    if question.told:
        question.told.needed = table.with_tables
    copies.refuse_late(table.read)
    missing = [(number, file) for number, file in found if not table.has(file)]
    before, earlier = table.failed, len(found) - len(missing)
    with table.open(), _bar(len(found), earlier) as bar:
        for outcome in read_files(missing, question, whatever=True):
            copies.write(table.rows + 1, outcome)
            table.write(outcome.path, outcome.result)
            bar.update()
    if table.failed:
        told = f"{table.failed} of {table.rows} rows have no reading; the column `error` says why"
        complain(RecordingError(told))
    return table.failed == before and not copies.failed


def copied(outcomes: Iterable[Outcome], copies: Copies) -> Iterator[Outcome]:
    """The same outcomes, each after its copies have been written."""
    for outcome in outcomes:
        copies.write(outcome.file, outcome)
        yield outcome


def _counted(outcomes: Iterable[Outcome], files: int) -> Iterator[Outcome]:
    """The same outcomes; somebody who waits at a terminal for several sees a bar."""
    with _bar(files, 0) as bar:
        for outcome in outcomes:
            yield outcome
            bar.update()


def _bar(files: int, earlier: int) -> tqdm:
    """A bar on the error stream of a terminal, which is gone when all is done."""
    return tqdm(
        total=files,
        initial=earlier,
        unit=" ECG",
        disable=None if files > 1 else True,
        leave=False,
        dynamic_ncols=True,
    )
