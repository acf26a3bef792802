"""Read an ECG, keep the reading as PDF, and write the recording as DICOM and WFDB.

python examples/take_it_away.py assets/cases/inferior-infarction.hea
"""

import sys
import tempfile
from pathlib import Path

from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.writing.dicom_file import dicom_file
from focal_app.ecg.writing.wfdb_file import wfdb_files
from focal_app.explore.reading.explorer import Explorer
from focal_app.figures.prints.report import Report, report_pdf


def main(path: str) -> None:
    """Write all files to a new folder, and print their sizes."""
    ecg = completed(read_recording([Path(path)]))
    reading = Explorer.load().read(ecg, ["ST elevation", "sinus rhythm"])
    files = {
        "reading.pdf": report_pdf(Report(ecg=ecg, reading=reading, shown=("ST elevation",))),
        "recording.dcm": dicom_file(ecg),
        **wfdb_files(ecg),
    }
    with tempfile.TemporaryDirectory() as folder:  # name a folder of your own to keep them
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
            print(f"{len(content):9,} bytes  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
