"""Write every table and figure of some results into a folder; which, their tasks' entries say."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from train.benchmark.apart import named_apart
from train.benchmark.results import Result, read_results
from train.benchmark.table import WRITERS, Table, markdown, page
from train.benchmark.task import Picture
from train.benchmark.tasks import TASKS

DPI = 130


def render(folders: Sequence[Path], out: Path) -> list[Path]:
    """Tables as Markdown, CSV and LaTeX, figures as PNG, and all of it on one HTML page."""
    results = [result for folder in folders for result in read_results(folder)]
    out.mkdir(parents=True, exist_ok=True)
    tables, written = tables_of(results), []
    for table in tables:
        for suffix, write in WRITERS.items():
            path = out / f"{re.sub(r'[^A-Za-z0-9.]+', '-', table.name)}.{suffix}"
            path.write_text(write(table), encoding="utf-8")
            written.append(path)
    pictures = write_pictures(results, out)
    every = out / "results.md"
    every.write_text("\n".join(map(markdown, tables)), encoding="utf-8")
    whole = out / "index.html"
    whole.write_text(page(tables, pictures), encoding="utf-8")
    return [*written, *(out / name for name in pictures), every, whole]


def tables_of(results: Sequence[Result]) -> list[Table]:
    """The tables of every task that has results."""
    made: list[Table] = []
    for name, task in TASKS.items():
        found = named_apart([result for result in results if result.task == name])
        for number, group in enumerate(_by_options(found) if task.several else [found], start=1):
            if task.tables and group:
                made += [_numbered(one, number) for one in task.tables(group)]
    return made


def _by_options(results: Sequence[Result]) -> list[list[Result]]:
    """Results of one task that may share a table: judged under the same options."""
    options = [one.config for one in results]
    kinds = [one for place, one in enumerate(options) if one not in options[:place]]
    return [[one for one in results if one.config == kind] for kind in kinds]


def _numbered(table: Table, number: int) -> Table:
    """The table under a name and a title of its own, where it is not the first of its task."""
    if number == 1:
        return table
    title = f"{table.title}, other options ({number})"
    return replace(table, name=f"{table.name}-{number}", title=title)


def write_pictures(results: Sequence[Result], folder: Path) -> dict[str, str]:
    """Draw what the results hold; titles by file name."""
    made: dict[str, str] = {}
    for name, task in TASKS.items():
        for picture in task.pictures:
            found = named_apart([result for result in results if result.task == name])
            for number, group in enumerate(_groups(found, picture)):
                file = f"{picture.title.lower().replace(' ', '-')}-{number + 1}.png"
                picture.draw(group).savefig(folder / file, dpi=DPI)
                dataset = "" if picture.together else group[0].dataset
                shown = f"{group[0].name}, {dataset}" if dataset else group[0].name
                made[file] = f"{picture.title} ({shown})"
    return made


def _groups(results: Sequence[Result], picture: Picture) -> list[list[Result]]:
    if not picture.together:
        return [[one] for one in results]
    by_row: dict[str, list[Result]] = {}
    for one in results:
        row = f"{one.name} {one.figures['mode']} {one.figures['read_by']}"
        by_row.setdefault(row, []).append(one)
    return list(by_row.values())
