"""The four label sets of PTB-XL as `scp_statements.csv` defines them (Wagner et al. 2020).

Superclass and subclass of the diagnostic statements; the form and the rhythm statements. A row
belongs to a set when it carries at least one of its labels, whatever the likelihood.
"""

from pathlib import Path

from focal_app.ecg.archives.tables import rows
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon, normalize_code

COLUMNS = {
    "ptbxl-super": ("diagnostic", "diagnostic_class"),
    "ptbxl-sub": ("diagnostic", "diagnostic_subclass"),
    "ptbxl-form": ("form", ""),
    "ptbxl-rhythm": ("rhythm", ""),
}


def class_statements(folder: Path, dataset: str) -> dict[str, tuple[str, ...]]:
    """The lexicon's statements that PTB-XL files under each label of a set."""
    lexicon, under = load_lexicon(), {}
    for code, label in labels_of_codes(folder, dataset).items():
        statement = lexicon.of_scp(code)
        if statement is None:
            raise ConfigError(
                f"code {code!r} of scp_statements.csv has no statement in the lexicon"
            )
        under.setdefault(label, []).append(statement.tag)
    return {label: tuple(dict.fromkeys(tags)) for label, tags in under.items()}


def read_table(path: Path) -> list[dict[str, str]]:
    """The lines of a csv file by column name; a `ConfigError` where it is absent."""
    return list(rows(path, ()))


def labels_of_codes(folder: Path, dataset: str) -> dict[str, str]:
    """The label of a set under which PTB-XL files each SCP-ECG code."""
    chosen, named = COLUMNS[dataset]
    table = read_table(folder / "scp_statements.csv")
    used = [row for row in table if row[chosen] and float(row[chosen]) == 1]
    return {row[""]: normalize_code(row[named] if named else row[""]) for row in used}
