"""CODE-15 %: six findings and "normal" of every exam, 400 Hz, 7 or 10 s.

    build(Code15(Path("code15")), Path("runs/NAME/data/code-15"))

Two layouts: the published one (`exams.csv` and `exams_part*.hdf5`, which needs h5py), and WFDB
files with the exam's and the patient's number in the header's comments. The WFDB files carry no
findings; without `exams.csv` beside them their records are stored without tags, and counted.
Source: Ribeiro et al., doi:10.5281/zenodo.4916206.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from focal_app.ecg.archives.tables import count_rows, rows
from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from focal_app.errors import ConfigError, RecordingError
from train.data.source import Annotated, Shares, Study, read_wfdb

TABLE = "exams.csv"
TAGS = {
    "1dAVb": "first degree AV block",
    "RBBB": "right bundle branch block",
    "LBBB": "left bundle branch block",
    "SB": "sinus bradycardia",
    "ST": "sinus tachycardia",
    "AF": "atrial fibrillation",
    "normal_ecg": "normal ECG",
}
"""The columns of `exams.csv` and the lexicon's statements."""

_RATE_HZ = 400.0
_NEEDED = ("exam_id", "patient_id", "age", "is_male", *TAGS)
_PATIENT = re.compile(r"#\s*Patient ID:\s*(\w+)", re.IGNORECASE)


@dataclass(frozen=True)
class Code15:
    """The exams in `folder`, their patients split by a stable hash."""

    folder: Path
    shares: Shares = field(default_factory=Shares)
    name: str = "code-15"
    classes_stated: bool = True

    @property
    def about(self) -> dict[str, Any]:
        """Shares, and which findings are read."""
        return {"shares": vars(self.shares), "tags": TAGS}

    @property
    def spoken(self) -> frozenset[str]:
        """The findings of its table; nothing where the table is not there."""
        return frozenset(TAGS.values() if (self.folder / TABLE).is_file() else ())

    @property
    def total(self) -> int | None:
        """The lines of the table, where there is one."""
        return count_rows(self.folder / TABLE)

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """The exams of the layout that lies in the folder."""
        headers = sorted(self.folder.rglob("*.hea"), key=lambda path: path.stem)
        if headers:
            yield from self._wfdb(headers, counted)
        elif any(self.folder.glob("*.hdf5")):
            yield from self._hdf5(counted)
        else:
            raise ConfigError(
                f"found neither exams_part*.hdf5 nor WFDB headers in {self.folder.name!r}; one "
                "of them is needed. Unpack the data set there."
            )

    def _wfdb(self, headers: list[Path], counted: Counter[str]) -> Iterator[Study]:
        table = self.folder / TABLE
        said = {r["exam_id"].strip(): r for r in rows(table, _NEEDED)} if table.is_file() else {}
        for header in headers:
            counted["studies listed"] += 1
            row = said.get(header.stem)
            if said and (row is None or not _tags(row)):
                counted["studies left out: no finding given"] += 1
                continue
            subject = row["patient_id"].strip() if row else _patient_in(header)
            read = partial(_read_wfdb, header=header, tags=_tags(row) if row else ())
            yield Study(header.stem, subject, self.shares.split_of(self.name, subject), read)

    def _hdf5(self, counted: Counter[str]) -> Iterator[Study]:
        _load_h5py()
        for row in rows(self.folder / TABLE, (*_NEEDED, "trace_file")):
            counted["studies listed"] += 1
            tags, exam = _tags(row), row["exam_id"].strip()
            file = self.folder / Path(row["trace_file"].strip()).name
            if not tags:
                counted["studies left out: no finding given"] += 1
            elif not file.is_file():
                counted["studies without waveform"] += 1
            else:
                subject = row["patient_id"].strip()
                facts = _facts(row)
                read = partial(_read_hdf5, file=file, exam=int(exam), tags=tags, facts=facts)
                yield Study(exam, subject, self.shares.split_of(self.name, subject), read)


def _tags(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(tag for column, tag in TAGS.items() if _holds(row[column]))


def _holds(text: str) -> bool:
    return text.strip().lower() in ("true", "1", "1.0")


def _facts(row: dict[str, str]) -> SourceFacts:
    age = int(float(row["age"])) if row["age"].strip() else None
    return SourceFacts("CODE-15", age, "male" if _holds(row["is_male"]) else "female")


def _patient_in(header: Path) -> str:
    """The patient of a WFDB header's comments; the recording itself where none is named."""
    match = _PATIENT.search(header.read_text(encoding="utf-8", errors="replace"))
    return match[1] if match else f"exam {header.stem}"


def _read_wfdb(counted: Counter[str], *, header: Path, tags: tuple[str, ...]) -> Annotated | None:
    found = read_wfdb(counted, header=header, tags=tags)
    if found is None:
        return None
    signal_mv = without_padding(found.ecg.signal_mv)
    return replace(found, ecg=replace(found.ecg, signal_mv=signal_mv))


def _read_hdf5(
    counted: Counter[str], *, file: Path, exam: int, tags: tuple[str, ...], facts: SourceFacts
) -> Annotated | None:
    place = _exams(file).get(exam)
    if place is None:
        counted["studies without waveform"] += 1
        return None
    with _load_h5py().File(file, "r") as parts:
        signal_mv = np.asarray(parts["tracings"][place], dtype=np.float32).T
    if signal_mv.shape[0] != len(LEADS):
        raise RecordingError(
            f"found {signal_mv.shape[0]} leads in a tracing of {file.name}; {len(LEADS)} are "
            "needed. Download the file again."
        )
    return Annotated(ECG(without_padding(signal_mv), LEADS, _RATE_HZ, facts), tags)


def without_padding(signal_mv: np.ndarray) -> np.ndarray:
    """The recording without the zeros that fill it up to 4,096 samples, where there are any."""
    held = np.flatnonzero((signal_mv != 0).any(axis=0))
    return signal_mv if held.size == 0 else signal_mv[:, held[0] : held[-1] + 1]


@lru_cache(maxsize=32)
def _exams(file: Path) -> dict[int, int]:
    """The row of every exam of a file; exams stand in it in no order of the table."""
    with _load_h5py().File(file, "r") as parts:
        return {int(exam): place for place, exam in enumerate(parts["exam_id"][:])}


def _load_h5py() -> Any:  # noqa: ANN401
    try:
        return import_module("h5py")
    except ImportError:
        raise ConfigError(
            "found CODE-15's HDF5 files and no package that reads them; h5py is needed. "
            "Install it: pip install h5py"
        ) from None
