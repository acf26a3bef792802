"""PTB-XL in its official layout: tags from SCP statements, folds as splits.

    build(PtbXl(Path("ptb-xl")), Path("runs/NAME/data/ptb-xl"))

Fold 9 is for validation, 10 for testing, the others for training, as its authors recommend (Wagner
et al., Scientific Data 7:154, 2020); a patient stands in one fold. Of a sample with few recordings
more folds can be kept for testing. The report text is kept as it
is, German and Latin for the most part, and never read for tags.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from focal_app.ecg.files import read_recording
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.data.fingerprint import LEXICON, fingerprint
from train.data.source import Annotated, Study
from train.data.tables import count_rows, rows

TABLE = "ptbxl_database.csv"
_NEEDED = (
    *("ecg_id", "patient_id", "age", "sex", "report"),
    *("scp_codes", "strat_fold", "filename_hr"),
)
_SEX = {"0": "male", "1": "female"}
_OLDEST = 120
"""PTB-XL writes 300 for patients older than 89."""


@dataclass(frozen=True)
class PtbXl:
    """The data set in `folder`, at 500 Hz."""

    folder: Path
    test_folds: tuple[int, ...] = (10,)
    name: str = "ptb-xl"
    classes_stated: bool = True

    @property
    def about(self) -> dict[str, Any]:
        """The lexicon, which maps the codes, and the folds for testing."""
        return {"lexicon": fingerprint(files=[LEXICON]), "test_folds": list(self.test_folds)}

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
        for row in rows(self.folder / TABLE, _NEEDED):
            counted["studies listed"] += 1
            key, tags = row["ecg_id"].strip(), _tags(row, counted)
            if not tags:
                counted["studies left out: no code has a statement"] += 1
                continue
            read = partial(
                _read,
                header=self.folder / f"{row['filename_hr']}.hea",
                annotated=(tags, row["report"].strip()),
                facts=(_age(row["age"]), _SEX.get(row["sex"].strip())),
            )
            subject = str(int(float(row["patient_id"])))
            yield Study(key, subject, self._split(row["strat_fold"]), read)

    def _split(self, fold: str) -> str:
        number = int(float(fold))
        if not 1 <= number <= 10:
            raise ConfigError(
                f"found strat_fold {number}; 1 to 10 are needed. Take {TABLE} as it is."
            )
        if number in self.test_folds:
            return "test"
        return "validation" if number == 9 else "train"


def _tags(row: dict[str, str], counted: Counter[str]) -> tuple[str, ...]:
    try:
        codes = ast.literal_eval(row["scp_codes"])
    except (ValueError, SyntaxError):
        raise ConfigError(
            f"found scp_codes of record {row['ecg_id']} that cannot be read; the column as "
            "published is needed. Download the table again."
        ) from None
    found = {code: load_lexicon().of_scp(code) for code in codes}
    counted["codes without a statement"] += sum(statement is None for statement in found.values())
    return tuple(dict.fromkeys(statement.tag for statement in found.values() if statement))


def _age(text: str) -> int | None:
    years = int(float(text)) if text.strip() else _OLDEST + 1
    return years if years <= _OLDEST else None


def _read(
    counted: Counter[str],
    *,
    header: Path,
    annotated: tuple[tuple[str, ...], str],
    facts: tuple[int | None, str | None],
) -> Annotated | None:
    if not (header.is_file() and header.with_suffix(".dat").is_file()):
        counted["studies without waveform"] += 1
        return None
    ecg = read_recording([header])
    source = replace(ecg.source, age_years=facts[0], sex=facts[1])
    return Annotated(replace(ecg, source=source), *annotated)
