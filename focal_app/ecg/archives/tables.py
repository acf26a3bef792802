"""Tables of data sets, read line by line: a missing file or column is said by name."""

import csv
from collections.abc import Iterator
from pathlib import Path

from focal_app.errors import ConfigError


def rows(path: Path, needed: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The lines of a csv file by column name; `needed` columns must be there."""
    if not path.is_file():
        raise ConfigError(
            f"found no {path.name} in {path.parent.name!r}; the data set in its official layout "
            "is needed. Give the folder that holds this file."
        )
    try:
        yield from _read(path, needed)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(
            f"found {path.name}, which is no csv file in UTF-8; a table is needed. Save it as CSV, "
            "or download it again."
        ) from error


def _read(path: Path, needed: tuple[str, ...]) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        found = reader.fieldnames or []
        missing = [name for name in needed if name not in found]
        if missing:
            raise ConfigError(
                f"found no column {', '.join(missing)} in {path.name} (its columns: "
                f"{', '.join(found) or 'none'}); it is needed. Take the file as it was published."
            )
        for number, row in enumerate(reader, start=2):
            cut = [name for name in needed if row[name] is None]
            if cut:
                raise ConfigError(
                    f"found line {number} of {path.name} cut off before {', '.join(cut)}; whole "
                    "lines are needed. Download the file again."
                )
            yield row


def count_rows(path: Path) -> int | None:
    """About how many lines a table holds, for progress bars; None where there is no table."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return max(0, sum(1 for _ in file) - 1)
