"""MIMIC-IV-ECG as PhysioNet serves it: two tables and WFDB files.

    build(MimicIvEcg(Path("mimic-iv-ecg")), Path("runs/NAME/data/mimic-iv-ecg"))

ECG and report are joined on `study_id`, one statement a `report_i` column; a subject stands in
one split. Its leads come as I, II, III, aVR, aVF, aVL: they are put in order by name.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from focal_app.ecg.archives.tables import count_rows, rows
from focal_app.errors import ConfigError
from focal_app.words.wordings import WORDINGS
from train.checked import check
from train.data import report_tags
from train.data.comma_tags import cut_at_commas, joined
from train.data.fingerprint import LEXICON, fingerprint
from train.data.report_tags import ReportTags, clean, tag_report
from train.data.source import COMMAS, Shares, Study, Tagging, read_wfdb

RECORDS = "record_list.csv"
MEASUREMENTS = "machine_measurements.csv"

_FEWEST_WORDS = 3
_REPORT_COLUMN = re.compile(r"report_\d+")


@dataclass(frozen=True)
class MimicIvEcg:
    """The archive in `folder`, its subjects split by a stable hash."""

    folder: Path
    shares: Shares = field(default_factory=Shares)
    tagging: Tagging = "curated"
    name: str = "mimic-iv-ecg"
    spoken: None = None
    classes_stated: bool = True

    def __post_init__(self) -> None:
        """Refuse another way to make tags of reports than there is."""
        check(self.tagging, Tagging, "tagging")

    @property
    def about(self) -> dict[str, Any]:
        """Shares, and how reports become tags."""
        return {"shares": vars(self.shares), "tagging": tagged_by(self.tagging)}

    @property
    def total(self) -> int | None:
        """The lines of the record list."""
        return count_rows(self.folder / RECORDS)

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """Every study that has a waveform listed and a report worth keeping."""
        listed = self._listed(counted)
        for row in rows(self.folder / MEASUREMENTS, ("subject_id", "study_id", "report_0")):
            number = row["study_id"].strip()
            if number not in listed:
                counted["reports without a listed study, or a second time"] += 1
                continue
            subject, path = listed.pop(number)
            if subject != row["subject_id"].strip():
                counted["studies whose subject differs between the tables"] += 1
                continue
            statements = _statements(row)
            report = useful(statements, counted, tagging=self.tagging)
            if report is not None:
                split = self.shares.split_of(self.name, subject)
                read = partial(
                    read_wfdb,
                    header=self.folder / f"{path}.hea",
                    tags=report.tags,
                    report=joined(statements),
                    hedged=report.hedged,
                )
                yield Study(number, subject, split, read)
        counted["studies without a report"] += len(listed)

    def _listed(self, counted: Counter[str]) -> dict[str, tuple[str, str]]:
        """Subject and path of every study of the record list."""
        listed: dict[str, tuple[str, str]] = {}
        for row in rows(self.folder / RECORDS, ("subject_id", "study_id", "path")):
            counted["studies listed"] += 1
            number = row["study_id"].strip()
            if number in listed:
                counted["studies listed twice"] += 1
            listed.setdefault(number, (row["subject_id"].strip(), row["path"].strip()))
        if not listed:
            raise ConfigError(f"found no study in {RECORDS}; at least one is needed.")
        return listed


def tagged_by(tagging: Tagging) -> str:
    """What decides the tags of a report: commas, or code, lists and lexicon as one hash."""
    if tagging == "commas":
        return COMMAS
    module = Path(str(report_tags.__file__))
    return fingerprint(files=[module, report_tags.LISTS, WORDINGS, LEXICON])


def useful(
    statements: list[str], counted: Counter[str], *, tagging: Tagging = "curated"
) -> ReportTags | None:
    """The tags of a report, None where it is too short or says nothing of use; both counted."""
    words = " ".join(map(clean, statements)).split()
    if not words:
        counted["reports left out: empty"] += 1
        return None
    if len(words) < _FEWEST_WORDS:
        counted["reports left out: fewer than three words"] += 1
        return None
    commas = tagging == "commas"
    report = cut_at_commas(statements) if commas else tag_report(statements, counted)
    if not report.tags:
        counted["reports left out: nothing of use"] += 1
        return None
    return report


def _statements(row: dict[str, str]) -> list[str]:
    said = [(int(name[7:]), row[name]) for name in row if _REPORT_COLUMN.fullmatch(name or "")]
    return [" ".join(text.split()) for _, text in sorted(said) if text and text.strip()]
