"""A recording as a WFDB pair: what any program for research opens.

Only the leads that were recorded are written: those that the app derives, every reader can derive.
Nothing touches the disk; the format is that of header(5) and signal(5) of the WFDB manual.
"""

import io
import zipfile

import numpy as np

from focal_app.ecg.complete import completed
from focal_app.ecg.recording import ECG
from focal_app.ecg.writing.steps import in_steps

NAME = "recording"
"""What the pair is called where nothing else is said; a name could identify."""


def wfdb_files(ecg: ECG, *, name: str = NAME) -> dict[str, bytes]:
    """Header and signal (format 16) by their file names; gaps are WFDB's missing samples.

    Of the facts the header says age and sex, in the form that is read again.
    """
    ecg = completed(ecg)
    steps = in_steps(ecg.signal_mv[[ecg.leads.index(lead) for lead in ecg.recorded]])
    known = {"Age": ecg.source.age_years, "Sex": ecg.source.sex}
    (count, samples), gain = steps.values.shape, 1000 / steps.step_uv
    lines = [
        f"{name} {count} {ecg.sampling_rate_hz:.10g} {samples}",
        *(
            f"{name}.dat 16 {gain:.10g}(0)/mV 16 0 {row[0]} {_checksum(row)} 0 {lead}"
            for lead, row in zip(ecg.recorded, steps.values, strict=True)
        ),
        *(f"# {what}: {value}" for what, value in known.items() if value is not None),
    ]
    signal = steps.values.T.astype("<i2").tobytes()
    return {f"{name}.hea": ("\n".join(lines) + "\n").encode(), f"{name}.dat": signal}


def _checksum(row: np.ndarray) -> int:
    return int(row.sum(dtype=np.int64)) % 65536


def zipped(files: dict[str, bytes]) -> bytes:
    """Files as one, for a browser saves one at a time; without any date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
