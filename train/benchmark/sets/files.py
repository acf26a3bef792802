"""Where the recordings of a set lie under a data folder, and what their headers say."""

from pathlib import Path

from focal_app.ecg.archives.ptbxl import TABLE
from focal_app.ecg.header import parse_header
from focal_app.ecg.recording import SourceFacts
from focal_app.ecg.wfdb_files import MAX_HEADER_BYTES
from focal_app.errors import ConfigError, RecordingError

PATTERNS = {"cpsc2018": "A[0-9][0-9][0-9][0-9].hea", "csn": "JS[0-9][0-9][0-9][0-9][0-9].hea"}
"""How recordings are named: CPSC2018 in the PhysioNet challenges, and CSN."""


def ptbxl_folder(data: Path) -> Path:
    """The folder of PTB-XL: `data` itself or a folder in it."""
    _refuse_absent(data)
    places = [data, *sorted(path for path in data.iterdir() if path.is_dir())]
    for place in places:
        if (place / TABLE).is_file():
            return place
    raise ConfigError(
        f"found no {TABLE} in {data.name!r} or in a folder of it; needed PTB-XL in its "
        "official layout"
    )


def headers_of(data: Path, dataset: str) -> dict[str, Path]:
    """The headers of CPSC2018 or CSN anywhere under `data`, by the name of the recording."""
    _refuse_absent(data)
    found = {path.stem: path for path in sorted(data.rglob(PATTERNS[dataset]))}
    if not found:
        raise ConfigError(
            f"found no recording of {dataset} ({PATTERNS[dataset]}) under {data.name!r}; needed "
            "the headers with their .mat or .dat files"
        )
    return found


def header_facts(header: Path) -> SourceFacts:
    """Age, sex and codes of a header; nothing where it cannot be read."""
    try:
        text = header.read_bytes()[:MAX_HEADER_BYTES].decode("latin-1")
        return parse_header(text).facts
    except RecordingError:
        return SourceFacts("WFDB")


def _refuse_absent(data: Path) -> None:
    if not data.is_dir():
        raise ConfigError(f"found no folder {data.name!r}; --data needs the folder of the data")
    if not any(data.iterdir()):
        raise ConfigError(f"found an empty folder {data.name!r}; --data needs the data set's files")
