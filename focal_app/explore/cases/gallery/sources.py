"""Recordings with labels, as data sets publish them, one after the other.

for record in ptb_xl(Path("ptb-xl")): ...

A recording that cannot be read is None.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from focal_app.ecg.archives.ptbxl import TABLE, PtbXlRow, read_ptbxl
from focal_app.ecg.files import read_recording
from focal_app.errors import GalleryError, RecordingError
from focal_app.explore.cases.gallery.build import Record
from focal_app.explore.cases.gallery.case import Facts
from focal_app.explore.cases.gallery.table import LONGEST_REPORT
from focal_app.lexicon import Statement, load_lexicon
from focal_app.model.seen import patient
from focal_app.untrusted import parse_json

OLDEST = 120
LISTS = ("cases.jsonl", "cases.csv")


def ptb_xl(folder: Path, rows: Iterable[PtbXlRow] | None = None) -> Iterator[Record | None]:
    """PTB-XL in its official layout; labels from `scp_codes` through the lexicon.

    All recordings that lie there, or those of some rows.
    """
    if not (folder / TABLE).is_file():
        raise GalleryError(f"found no {TABLE}; needed PTB-XL in its official layout")
    of_scp = load_lexicon().of_scp
    for row in read_ptbxl(folder) if rows is None else rows:
        header = row.header(folder)
        if header.is_file():
            whose = patient("ptb-xl", str(row.patient_id))
            yield _record(header, lambda row=row: _ptb_xl_facts(row, of_scp), whose=whose)


def _ptb_xl_facts(row: PtbXlRow, of_scp: Callable[[str], Statement | None]) -> Facts:
    return Facts(
        key=f"ptb-xl-{row.ecg_id:05d}",
        labels=_tags(row.codes, of_scp),
        report=row.report[:LONGEST_REPORT],
        sex=row.sex,
        age_years=row.age_years,
        source="PTB-XL 1.0.3 (Wagner et al. 2020, doi:10.13026/kfzx-aw45)",
        licence="CC BY 4.0",
    )


def csn(folder: Path) -> Iterator[Record | None]:
    """Chapman-Shaoxing-Ningbo: labels from the SNOMED CT codes of the headers."""
    headers = sorted(folder.rglob("JS*.hea"))
    if not headers:
        raise GalleryError("found no header JS*.hea; needed the folder of Chapman-Shaoxing-Ningbo")
    known = Facts(
        key="csn",
        source="Chapman-Shaoxing-Ningbo (Zheng et al. 2022, doi:10.13026/wgex-er52)",
        licence="CC BY 4.0",
    )
    for header in headers:
        whose = patient("csn", header.stem)  # the source names no other
        facts = replace(known, key=f"csn-{header.stem}")
        yield _record(header, lambda facts=facts: facts, coded=True, whose=whose)


def folder_of_cases(folder: Path) -> Iterator[Record | None]:
    """WFDB files beside a list of them, `cases.jsonl` or `cases.csv`.

    A case has a `file` (a header within the folder), and may have `key`, `labels` (statements or
    their synonyms; in csv parted by `;`), `shows` (those for which it stands, which a quiz asks;
    written alike), `report`, `sex`, `age_years`, `source` and `licence`.
    """
    listed = next((folder / name for name in LISTS if (folder / name).is_file()), None)
    if listed is None:
        raise GalleryError(
            f"found no {' or '.join(LISTS)}; needed a list of the cases, each with its file, "
            "labels, source and licence"
        )
    keys = set[str]()
    for number, row in enumerate(_rows(listed), 1):
        header = _inside(folder, str(row.get("file", "")), number)
        key = str(row.get("key") or header.stem)
        if key in keys:
            raise GalleryError(
                f"case {number} of the list has the key of one before it; each needs its own"
            )
        keys.add(key)
        yield _record(header, lambda r=row, k=key: _folder_facts(r, k))


SOURCES: dict[str, Callable[[Path], Iterator[Record | None]]] = {
    "ptb-xl": ptb_xl,
    "csn": csn,
    "folder": folder_of_cases,
}
TITLES = {"ptb-xl": "PTB-XL", "csn": "Chapman-Shaoxing-Ningbo", "folder": "Own cases"}


NOTES = {
    "ptb-xl": "PTB-XL 1.0.3, licence CC BY 4.0: Wagner et al., Scientific Data 7:154 (2020), "
    "doi:10.13026/kfzx-aw45, published on PhysioNet: Goldberger et al., Circulation 101:e215 "
    "(2000).",
    "csn": "Chapman-Shaoxing-Ningbo, licence CC BY 4.0: Zheng et al. (2022), "
    "doi:10.13026/wgex-er52, published on PhysioNet: Goldberger et al., Circulation 101:e215 "
    "(2000).",
    "folder": "",
}
"""Whose the recordings are, for the card and the page."""


def _record(
    header: Path, facts: Callable[[], Facts], *, coded: bool = False, whose: str | None = None
) -> Record | None:
    """The recording with its facts; age, sex and codes of the header where nothing else says."""
    try:
        ecg = read_recording([header])
    except RecordingError:
        return None
    known = facts()
    said = ecg.source
    if coded:
        known = replace(known, labels=_tags(said.codes, load_lexicon().of_snomed))
    sex, age = known.sex or said.sex, known.age_years
    known = replace(known, sex=sex, age_years=said.age_years if age is None else age)
    return Record(ecg, known, whose)


def _folder_facts(row: dict[str, Any], key: str) -> Facts:
    sex = str(row.get("sex") or "").strip().lower()
    return Facts(
        key=key,
        labels=_statements(row, "labels"),
        shows=_statements(row, "shows"),
        report=str(row.get("report") or "")[:LONGEST_REPORT],
        sex={"f": "female", "m": "male"}.get(sex, sex or None),
        age_years=_years(str(row.get("age_years") or "")),
        source=str(row.get("source") or "own recordings"),
        licence=str(row.get("licence") or "not stated"),
    )


def _statements(row: dict[str, Any], column: str) -> tuple[str, ...]:
    """The statements in a column of a list of cases."""
    told = row.get(column) or []
    if not isinstance(told, list | str):
        raise GalleryError(
            f"found {type(told).__name__} for {column} in the list of cases; a list of statements, "
            "or one text with `;` between them, is needed"
        )
    names = told.split(";") if isinstance(told, str) else [str(one) for one in told]
    return _tags((name for name in names if name.strip()), load_lexicon().resolve)


def _tags(names: Iterable[str], find: Callable[[str], Statement | None]) -> tuple[str, ...]:
    """The lexicon's tags of codes or names, each once; what it does not know is left out."""
    found = (find(name) for name in names)
    return tuple(dict.fromkeys(statement.tag for statement in found if statement))


def _years(text: str) -> int | None:
    """Whole years; data sets write 300 for very old."""
    try:
        years = int(float(text))
    except (ValueError, OverflowError):
        return None
    return years if 0 <= years <= OLDEST else None


def _rows(listed: Path) -> Iterator[dict[str, Any]]:
    try:
        with listed.open(encoding="utf-8-sig", newline="") as lines:  # as spreadsheets write it
            if listed.suffix == ".csv":
                yield from csv.DictReader(lines)
            else:
                yield from map(parse_json, filter(str.strip, lines))
    except (ValueError, csv.Error) as error:
        raise GalleryError(f"{listed.name} cannot be read: {error}") from error


def _inside(folder: Path, name: str, number: int) -> Path:
    """The header of a listed case, which may not lie outside the folder."""
    header = folder / name
    try:
        inside = header.resolve().is_relative_to(folder.resolve())
    except (ValueError, RuntimeError):  # a null character, or a link to itself
        inside = False
    if not name.endswith(".hea") or not inside:
        raise GalleryError(
            f"case {number} of the list has no header (.hea) within the folder; name it as "
            "`file`, relative to the folder"
        )
    return header
