"""Write every table and figure of some results into a folder."""

import re
from collections.abc import Sequence
from pathlib import Path

from train.benchmark.pictures import write_pictures
from train.benchmark.results import read_results
from train.benchmark.table import WRITERS, markdown, page
from train.benchmark.tables import tables_of


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
