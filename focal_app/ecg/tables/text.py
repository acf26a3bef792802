"""Tables as text: comma, semicolon, tab or spaces between numbers, with or without names above."""

import csv
import io
import re
from collections.abc import Sequence

import numpy as np

from focal_app.ecg.tables.guess import MOST_COLUMNS, table_of
from focal_app.ecg.tables.question import SignalTable
from focal_app.errors import RecordingError

KIND = "CSV"
MOST_HEADING_LINES = 40
_SEPARATORS = ("\t", ";", ",", " ")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?|nan|NaN|")


def looks_like_table(start: bytes) -> bool:
    """Whether text begins with lines of numbers, after some lines of names at most."""
    try:
        lines = _decoded(start).splitlines()[:-1][: MOST_HEADING_LINES + 5]
    except RecordingError:
        return False
    return _first_row(lines) is not None


def text_table(content: bytes) -> SignalTable:
    """The numbers of a text file, and the guess that goes with them."""
    lines = _decoded(content).splitlines()
    first = _first_row(lines[: MOST_HEADING_LINES + 5])
    if first is None:
        raise RecordingError(
            "found text without a table of numbers; one column a lead and one row a sample are "
            "needed, as CSV. Export the recording as such, or in its cardiograph's own format."
        )
    separator = _separator(lines[first])
    columns = len(_fields(lines[first], separator))
    names = _names(lines[first - 1], separator, columns) if first else ()
    return table_of(_numbers(lines[first:], separator, columns), KIND, names=names)


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content[:4096]:
        raise RecordingError("found a file that is no text; a table of numbers is needed.")
    return content.decode("utf-8-sig", errors="replace")


def _first_row(lines: Sequence[str]) -> int | None:
    """The first of three lines with as many numbers each."""
    for row in range(min(len(lines) - 2, MOST_HEADING_LINES + 1)):
        separator = _separator(lines[row])
        three = [_fields(line, separator) for line in lines[row : row + 3]]
        if all(map(_all_numbers, three)) and len({len(fields) for fields in three}) == 1:
            return row
    return None


def _separator(line: str) -> str:
    found = next((one for one in _SEPARATORS if one in line.strip()), ",")
    # "0,1 0,2" has commas within its numbers.
    return " " if found == "," and re.search(r"\d,\d+ +[+-]?\d", line) else found


def _fields(line: str, separator: str) -> list[str]:
    held = line.split() if separator == " " else line.rstrip("\r\n").split(separator)
    stripped = [one.strip().strip('"') for one in held]
    return stripped[:-1] if len(stripped) > 1 and not stripped[-1] else stripped


def _all_numbers(fields: Sequence[str]) -> bool:
    some = any(fields) and len(fields) <= MOST_COLUMNS
    return some and all(_NUMBER.fullmatch(one) for one in fields)


def _names(line: str, separator: str, columns: int) -> tuple[str, ...]:
    reader = csv.reader(io.StringIO(line), delimiter=separator, skipinitialspace=True)
    names = tuple(name.strip(" \t#%") for name in next(reader, []))
    return names if len(names) == columns else ()


def _numbers(lines: Sequence[str], separator: str, columns: int) -> np.ndarray:
    """All rows as numbers; empty fields are missing samples."""
    import pandas as pd

    body = "\n".join(lines)
    comma = separator != "," and "," in body[:100_000] and "." not in body[:100_000]
    try:
        frame = pd.read_csv(
            io.StringIO(body),
            sep=r"\s+" if separator == " " else separator,
            decimal="," if comma else ".",
            header=None,
            usecols=range(columns),
            dtype=np.float64,
            na_values=["NaN", "nan", ""],
            on_bad_lines="error",
            engine="c",
        )
    except (ValueError, OverflowError):
        raise RecordingError(
            "found a table in which some rows hold something else than numbers, or more of them "
            "than the first; as many numbers in every row are needed. Save it again."
        ) from None
    return frame.to_numpy()
