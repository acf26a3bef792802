"""The table of many recordings: a row as soon as one is read, so that a stopped run goes on.

It names each file as it was given, for it lies on the user's own machine and has to be joined with
the user's own list; take the column away before the table goes elsewhere.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from focal_app.command.trouble import one_line
from focal_app.errors import ConfigError, RecordingError
from focal_app.explore.reading.reading import Reading
from focal_app.explore.reading.spreadsheet import Cell, cells, csv_line, headings

KEYS = ("row", "file", "error", "checkpoint", "asked_from_s")


class CsvFile:
    """An open table; it goes on where an earlier one of the same question ended."""

    def __init__(
        self, path: Path, prompts: Sequence[str], *, checkpoint: str, start_s: float
    ) -> None:
        self._question: list[Cell] = [checkpoint, f"{start_s:g}"]
        self._prompts = prompts
        self._head = csv_line([*KEYS, *headings(prompts)])
        self._blank: list[Cell] = [None] * len(headings(prompts))
        self._path = path
        self.failed = 0
        """How many of its rows say why there is no reading."""
        self.read: list[int] = []
        """The numbers of the rows of earlier runs that hold a reading."""
        self.done = self._earlier()
        """The files of earlier runs, as the table names them."""

    def __enter__(self) -> Self:
        try:
            self._file = self._path.open("a", encoding="utf-8", newline="")
        except OSError as error:
            raise ConfigError(
                f"could not write the table of --csv ({error.strerror}); name a file in a folder "
                "that is there and can be written"
            ) from None
        if self._path.stat().st_size == 0:
            self._file.write(self._head)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

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
        key = [self.rows, str(file), one_line(result) if failed else None, *self._question]
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
        if head != self._head or any(row[3:5] != self._question for row in kept):
            raise ConfigError(
                "found a table of another question where --csv shall write (other findings, model, "
                "start or version of the app); name a new file, or ask as before to go on with it"
            )
        self._path.write_text(whole, encoding="utf-8", newline="")
        self.read = [number for number, row in enumerate(kept, 1) if not row[2]]
        self.failed = len(kept) - len(self.read)
        return {row[1] for row in kept}


def _named(file: Path) -> str:
    """A file as the table names it."""
    (row,) = csv.reader([csv_line([str(file)])])
    return row[0]
