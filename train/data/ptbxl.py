"""PTB-XL in its official layout: tags from SCP statements, folds as splits.

    build(PtbXl(Path("ptb-xl")), Path("runs/NAME/data/ptb-xl"))

Fold 9 is for validation, 10 for testing, the others for training, as its authors recommend (Wagner
et al., Scientific Data 7:154, 2020); a patient stands in one fold. Of a sample with few recordings
more folds can be kept for testing, or others for validation. The report text is kept as it is,
German and Latin for the most part, and never read for tags.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from focal_app.ecg.archives.ptbxl import FOLDS, TABLE, PtbXlRow, read_ptbxl
from focal_app.ecg.archives.tables import count_rows
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.data.fingerprint import LEXICON, fingerprint
from train.data.source import Study, read_wfdb


@dataclass(frozen=True)
class PtbXl:
    """The data set in `folder`, at 500 Hz; folds of neither kind are for training.

    For validation is fold 9, where nothing else is said and it is not for testing.
    """

    folder: Path
    test_folds: tuple[int, ...] = (10,)
    validation_folds: tuple[int, ...] | None = None
    name: str = "ptb-xl"
    classes_stated: bool = True

    def __post_init__(self) -> None:
        """Refuse folds that are none, or that are asked for twice."""
        tested, validated = set(self.test_folds), set(self._validated)
        if tested & validated or not tested | validated <= set(FOLDS):
            raise ConfigError(
                f"found test folds {_named(self.test_folds)} and validation folds "
                f"{_named(self._validated)}; folds from 1 to 10, none of them in both, are "
                "needed. Give --test-folds and --validation-folds."
            )

    @property
    def about(self) -> dict[str, Any]:
        """The lexicon, which maps the codes, and the folds for testing and for validation."""
        return {
            "lexicon": fingerprint(files=[LEXICON]),
            "test_folds": list(self.test_folds),
            "validation_folds": list(self._validated),
        }

    @property
    def spoken(self) -> frozenset[str]:
        """The statements of SCP-ECG codes, among which its annotators chose."""
        return frozenset(statement.tag for statement in load_lexicon() if statement.scp)

    @property
    def total(self) -> int | None:
        """The lines of its table; a few more where reports break over lines."""
        return count_rows(self.folder / TABLE)

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """Every recording of the table whose codes map to a statement."""
        for row in read_ptbxl(self.folder):
            counted["studies listed"] += 1
            tags = _tags(row, counted)
            if not tags:
                counted["studies left out: no code has a statement"] += 1
                continue
            read = partial(
                read_wfdb,
                header=row.header(self.folder),
                tags=tags,
                report=row.report,
                facts=(row.age_years, row.sex),
            )
            yield Study(str(row.ecg_id), str(row.patient_id), self._split(row.fold), read)

    def _split(self, fold: int) -> str:
        if fold in self.test_folds:
            return "test"
        return "validation" if fold in self._validated else "train"

    @property
    def _validated(self) -> tuple[int, ...]:
        if self.validation_folds is not None:
            return self.validation_folds
        return tuple(fold for fold in (9,) if fold not in self.test_folds)


def _named(folds: tuple[int, ...]) -> str:
    return ", ".join(map(str, folds)) or "none"


def _tags(row: PtbXlRow, counted: Counter[str]) -> tuple[str, ...]:
    found = [load_lexicon().of_scp(code) for code in row.codes]
    counted["codes without a statement"] += sum(statement is None for statement in found)
    return tuple(dict.fromkeys(statement.tag for statement in found if statement))
