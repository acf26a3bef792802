"""The table of PTB-XL, row by row, as everything that reads the data set takes it.

    for row in read_ptbxl(Path("ptb-xl")):
        print(row.ecg_id, row.fold, row.header(Path("ptb-xl")))

`ptbxl_database.csv` as published (Wagner et al., Scientific Data 7:154, 2020; 1.0.3).
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from focal_app.ecg.archives.tables import rows
from focal_app.errors import ConfigError

TABLE = "ptbxl_database.csv"
FOLDS = range(1, 11)

_NEEDED = (
    *("ecg_id", "patient_id", "age", "sex", "report"),
    *("scp_codes", "strat_fold", "filename_hr"),
)
_SEX = {0: "male", 1: "female"}
_OLDEST_YEARS = 120


@dataclass(frozen=True)
class PtbXlRow:
    """One recording: patient, age and sex (None where unknown), report, SCP-ECG codes with their
    likelihood in percent, fold (1 to 10), and its file at 500 Hz below the data set's folder."""

    ecg_id: int
    patient_id: int
    age_years: int | None
    sex: str | None
    report: str
    codes: Mapping[str, float]
    fold: int
    file: str

    @classmethod
    def of(cls, columns: Mapping[str, str]) -> "PtbXlRow":
        """A row by column name; age, sex, report and codes may be left out."""
        sex = _number(columns.get("sex", ""))
        return cls(
            ecg_id=_whole(columns, "ecg_id"),
            patient_id=_whole(columns, "patient_id"),
            age_years=_age(columns.get("age", "")),
            sex=None if sex is None else _SEX.get(int(sex)),
            report=columns.get("report", "").strip(),
            codes=_codes(columns.get("scp_codes", "{}")),
            fold=_fold(columns),
            file=columns["filename_hr"].strip(),
        )

    def header(self, folder: Path) -> Path:
        """Its header at 500 Hz in the data set's folder, whether it is there or not."""
        return folder / f"{self.file}.hea"


def read_ptbxl(folder: Path) -> Iterator[PtbXlRow]:
    """Every row of the table in `folder`, in its order."""
    return map(PtbXlRow.of, rows(folder / TABLE, _NEEDED))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _age(text: str) -> int | None:
    """Whole years; PTB-XL writes 300 for patients older than 89, whose age nobody knows."""
    years = _number(text)
    return int(years) if years is not None and 0 <= years <= _OLDEST_YEARS else None


def _codes(text: str) -> dict[str, float]:
    try:
        codes = ast.literal_eval(text)
        return {str(code): float(likelihood) for code, likelihood in codes.items()}
    except (ValueError, SyntaxError, AttributeError, TypeError):
        raise ConfigError(
            "found scp_codes that cannot be read; the column as published is needed. Download "
            f"{TABLE} again."
        ) from None


def _whole(columns: Mapping[str, str], name: str) -> int:
    number = _number(columns[name])
    if number is None or not number.is_integer():
        raise ConfigError(
            f"found a {name} that is no whole number; one is needed. Take {TABLE} as it was "
            "published."
        )
    return int(number)


def _fold(columns: Mapping[str, str]) -> int:
    fold = _whole(columns, "strat_fold")
    if fold not in FOLDS:
        raise ConfigError(
            f"found strat_fold {fold}; 1 to 10 are needed. Take {TABLE} as it was published."
        )
    return fold
