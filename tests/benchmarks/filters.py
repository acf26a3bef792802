"""Which cases pass a filter: the gallery's bits in a memory map, against sqlite3 with indexes.

python -m tests.benchmarks filters

This is why a gallery is files of arrays and no database: every search asks for all the numbers
that pass, which a database has to hand over one by one.
"""

import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from focal_app.explore.cases.gallery.gallery import EMBEDDED
from focal_app.explore.cases.gallery.manifest import Manifest
from focal_app.explore.cases.gallery.table import Filters, passing
from focal_app.lexicon import load_lexicon
from tests.benchmarks.timing import Row, best_ms

SIZES = (340, 20_000, 1_000_000)
LABEL, SHARE = "atrial fibrillation", 0.03
FILTERS = Filters(labels=(LABEL,), sex="female", age_years=(40, 80))


def rows() -> list[Row]:
    """A row a size: the time of a filter by label, sex and age, both ways."""
    return [_row(count) for count in SIZES]


def _row(count: int) -> Row:
    with tempfile.TemporaryDirectory() as name:
        manifest = replace(Manifest.read(EMBEDDED), count=count)
        table = _table(Path(name) / "table.bin", manifest)
        ask = _database(Path(name) / "cases.sqlite", table, manifest)
        load_lexicon()
        runs = {"bits": lambda: passing(table, FILTERS, manifest), "sqlite": ask}
        assert np.array_equal(runs["bits"](), ask())
        took = best_ms(runs)
    said = f"{took['bits']:.2f} ms, sqlite3 {took['sqlite']:.2f} ms"
    return Row(f"Filter of {count:,} cases", f"{said}: {took['sqlite'] / took['bits']:.1f} times")


def _table(file: Path, manifest: Manifest) -> np.ndarray:
    rng = np.random.default_rng(0)
    table = np.zeros(manifest.count, manifest.table_dtype)
    table["sex"] = rng.integers(0, 3, manifest.count)
    table["age_years"] = rng.integers(-1, 100, manifest.count)
    held = rng.random(manifest.count) < SHARE
    bit = manifest.statements.index(LABEL)
    table["labels"][held, bit >> 3] |= 128 >> (bit & 7)
    table.tofile(file)
    return np.memmap(file, table.dtype, "r")


def _database(file: Path, table: np.ndarray, manifest: Manifest) -> Callable[[], np.ndarray]:
    """The same facts with an index for the filter, and the filter as a question to them."""
    base = sqlite3.connect(file)
    base.execute("CREATE TABLE facts (number INTEGER PRIMARY KEY, sex INT, age INT)")
    base.execute(
        "CREATE TABLE holds (tag INT, number INT, PRIMARY KEY (tag, number)) WITHOUT ROWID"
    )
    facts = zip(range(len(table)), table["sex"].tolist(), table["age_years"].tolist(), strict=True)
    base.executemany("INSERT INTO facts VALUES (?, ?, ?)", facts)
    bit = manifest.statements.index(LABEL)
    held = np.flatnonzero(table["labels"][:, bit >> 3] & 128 >> (bit & 7))
    base.executemany("INSERT INTO holds VALUES (?, ?)", ((bit, int(one)) for one in held))
    base.execute("CREATE INDEX people ON facts (sex, age)")
    base.execute("ANALYZE")
    asked = """SELECT number FROM holds JOIN facts USING (number)
        WHERE tag = ? AND sex = 1 AND age BETWEEN 40 AND 80"""

    def ask() -> np.ndarray:
        passed = np.zeros(len(table), bool)
        found = base.execute(asked, (bit,)).fetchall()
        passed[np.fromiter((one for (one,) in found), int, len(found))] = True
        return passed

    return ask
