"""The table of many recordings: a row as soon as one is read, so that a stopped run goes on.

It names each file as it was given, for it lies on the user's own machine and has to be joined with
the user's own list; take the column away before the table goes elsewhere.
"""

import csv
import dataclasses
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from focal_app.command.read import Question
from focal_app.command.trouble import one_line
from focal_app.ecg.files import TABLES
from focal_app.errors import ConfigError, RecordingError
from focal_app.explore.reading.checkpoint_name import checkpoint_name
from focal_app.explore.reading.reading import Reading
from focal_app.explore.reading.spreadsheet import FACTS, Cell, cells, csv_line, headings
from focal_app.model.checkpoint_folder import EMBEDDED, content_digest, local_folder

KEYS = ("row", "file", "error")
SETTINGS = ("checkpoint", "checkpoint_digest", "asked_from_s", "asked_with")
_DROPPED = re.compile(r"[^\S ]|^ | (?= |$)")
"""Spaces of which `csv_line` makes one, or none."""
FORMAT = len(KEYS) + len(SETTINGS) + FACTS.index("format")


class CsvFile:
    """A table; it goes on where an earlier one of the same question ended."""

    def __init__(self, path: Path, question: Question, *, heatmap: bool) -> None:
        self._settings = _settings(question, heatmap=heatmap)
        self._prompts = question.asked
        self._head = csv_line([*KEYS, *SETTINGS, *headings(self._prompts)])
        self._blank: list[Cell] = [None] * len(headings(self._prompts))
        self._path = path
        self.failed = 0
        """How many of its rows say why there is no reading."""
        self.read: list[int] = []
        """The numbers of the rows of earlier runs that hold a reading."""
        self.with_tables = False
        """Whether a row of earlier runs is of a table of numbers."""
        self.done = self._earlier()
        """The files of earlier runs, as the table names them."""

    @contextmanager
    def open(self) -> Iterator[None]:
        """Open for rows, under its heading."""
        try:
            self._file = self._path.open("a", encoding="utf-8", newline="")
        except OSError as error:
            raise ConfigError(
                f"could not write the table of --csv ({error.strerror}); name a file in a folder "
                "that is there and can be written"
            ) from None
        with self._file:
            if self._path.stat().st_size == 0:
                self._file.write(self._head)
            yield

    @property
    def rows(self) -> int:
        """How many recordings it has."""
        return len(self.done)

    def has(self, file: Path) -> bool:
        """Whether a recording has its row already, be it read or refused."""
        return _named(file) in self.done

    def write(self, file: Path, result: Reading | RecordingError) -> int:
        """The row of a recording, on the disk when this returns; its number."""
        self.done.add(_named(file))
        failed = isinstance(result, RecordingError)
        self.failed += failed
        key = [self.rows, _text(file), one_line(result) if failed else None, *self._settings]
        self._file.write(
            csv_line([*key, *(self._blank if failed else cells(result, self._prompts))])
        )
        self._file.flush()
        return self.rows

    def _earlier(self) -> set[str]:
        """The files of the rows that are whole; a row that was cut off is taken away."""
        if not self._path.exists() or not (content := self._path.read_bytes()):
            return set()
        whole = content[: content.rfind(b"\n") + 1].decode("utf-8", errors="replace")
        head, *rows = whole.splitlines(keepends=True) or [""]
        kept = list(csv.reader(rows))
        if head != self._head and _bare(head) == _bare(self._head):
            raise ConfigError(_another("byte order mark or line ends: another program saved it"))
        if head != self._head:
            raise ConfigError(_another("other findings, or another version of the app"))
        columns = len(next(csv.reader([head])))
        for row in kept:
            if len(row) != columns:
                raise ConfigError(_another("a row that has not its columns: it was edited"))
            if differs := self._differing(row[len(KEYS) :]):
                raise ConfigError(_another(differs))
        self._path.write_text(whole, encoding="utf-8", newline="")
        self.read = [number for number, row in enumerate(kept, 1) if not row[2]]
        self.failed = len(kept) - len(self.read)
        self.with_tables = any(row[FORMAT] in TABLES for row in kept)
        return {row[1] for row in kept}

    def _differing(self, row: Sequence[str]) -> str:
        """The settings of a row that are not those of this run."""
        pairs = zip(SETTINGS, row, self._settings, strict=False)
        return ", ".join(f"{name} {was!r}, now {is_!r}" for name, was, is_ in pairs if was != is_)


def _settings(question: Question, *, heatmap: bool) -> list[str]:
    """What a row and its copies depend on beside the findings, one text for each of `SETTINGS`."""
    digest = content_digest(local_folder(question.checkpoint or EMBEDDED))
    given = dataclasses.asdict(question.told.answers) if question.told else {}
    given |= {"heatmap": "yes" if heatmap else None, "tau": question.tau}
    said = (
        f"{name} {' '.join(value) if isinstance(value, tuple) else value}"
        for name, value in given.items()
        if value is not None
    )
    return [checkpoint_name(question.checkpoint), digest, f"{question.start_s:g}", "; ".join(said)]


def _bare(head: str) -> str:
    """A heading without what a spreadsheet program puts around it."""
    return head.removeprefix("\ufeff").rstrip("\r\n")


def _another(what: str) -> str:
    return (
        f"found a table of another question where --csv shall write ({what}); name a new file, or "
        "ask as before to go on with it"
    )


def _named(file: Path) -> str:
    """A file as the table names it."""
    (row,) = csv.reader([csv_line([_text(file)])])
    return row[0]


def _text(file: Path) -> str:
    """A path as text, on one line and no other file's.

    A byte that is no UTF-8, and a space that a table would drop, becomes its number: b\\xe9d.csv.
    """
    text = os.fsencode(file).decode("utf-8", errors="backslashreplace")
    return _DROPPED.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
