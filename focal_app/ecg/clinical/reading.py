"""One file of a cardiograph in, an `ECG` out; every trap of the library is handled on the way."""

import logging
import re
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from focal_app.ecg.clinical.checks import check
from focal_app.ecg.clinical.facts import facts_of
from focal_app.ecg.clinical.formats import AGAIN, CLINICAL, ClinicalFormat
from focal_app.ecg.clinical.remarks import notes_of
from focal_app.ecg.clinical.samples import samples_of
from focal_app.ecg.leads import ordered_by_name
from focal_app.ecg.recording import ECG
from focal_app.errors import RecordingError


def read_clinical(path: Path, kind: ClinicalFormat) -> ECG:
    """The recording of a file that was recognised as `kind`.

    No message and no note carries what the library says, for it quotes paths and contents.
    """
    # It logs values of elements, and among them what identifies.
    logging.getLogger("pydicom").setLevel(logging.CRITICAL)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        paddings = check(path.read_bytes(), kind)
        try:
            record = kind.open().parse(path)
        except (MemoryError, RecordingError):
            raise
        except Exception as error:  # noqa: BLE001  a foreign parser of foreign bytes
            raise _damaged(kind, error) from None
        ecg = samples_of(record, kind, paddings)
    notes = (*ecg.notes, *notes_of(str(one.message) for one in caught))
    return ordered_by_name(replace(ecg, source=facts_of(record, kind), notes=notes))


_WITHOUT = re.compile(
    r"no rhythm|no samples|no usable waveform|no channel waveform|no ecg lead|is missing", re.I
)


def _damaged(kind: ClinicalFormat, error: Exception) -> RecordingError:
    """The refusal for an error of the library, whose own words are not repeated."""
    kinds = {one.__name__ for one in type(error).__mro__}
    if _WITHOUT.search(str(error)) or "MissingElementError" in kinds:
        return RecordingError(
            f"found {kind.file} without a recording in it (an averaged beat or values at most); "
            "some 10 s of 12 leads are needed. Export the ECG with its rhythm leads."
        )
    if "UnsupportedFormatError" in kinds:
        return RecordingError(
            f"found {kind.file} of a version or a compression that is not read; a plain one is "
            "needed. Export the recording in another way, such as DICOM."
        )
    shorter = "samples, expected" in str(error)
    found = "whose leads are shorter than it announces" if shorter else "that is damaged inside"
    return RecordingError(f"found {kind.file} {found}; a whole one is needed. {AGAIN}")


@cache
def load_parsers() -> tuple[Any, ...]:
    """All parsers, imported before they are needed."""
    import pydicom

    return (pydicom, *(kind.open() for kind in CLINICAL))
