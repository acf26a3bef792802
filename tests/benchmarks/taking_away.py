"""What is taken away of a reading: the PDF with one heatmap, and the recording in other formats."""

from focal_app.ecg.writing.dicom_file import dicom_file
from focal_app.ecg.writing.wfdb_file import wfdb_files
from focal_app.explore.reading.bundled_cases import bundled_cases, load_case
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.reading.prompts import prompt_set
from focal_app.figures.prints.report import Report, report_pdf
from tests.benchmarks.timing import Row, best_ms

AIM_MS = 2_000


def rows() -> list[Row]:
    """Time and size of the PDF; time of WFDB and DICOM."""
    what = "PDF of a reading with one heatmap"
    if not EMBEDDED.is_dir():
        return [Row(what, "skipped: no embedded checkpoint in assets/", f"{AIM_MS} ms")]
    ecg = load_case(bundled_cases()[0].name)
    reading = Explorer.load().read(ecg, prompt_set("everyday").prompts)
    report = Report(ecg=ecg, reading=reading, shown=(reading.findings[0].prompt,))
    times = best_ms(
        {
            "pdf": lambda: report_pdf(report),
            "wfdb": lambda: wfdb_files(ecg),
            "dicom": lambda: dicom_file(ecg),
        }
    )
    size = f"{len(report_pdf(report)) / 1e3:.0f} kB"
    pdf = times["pdf"]
    return [
        Row(what, f"{pdf:.0f} ms, {size}", f"{AIM_MS} ms", pdf <= AIM_MS),
        Row("A recording written as WFDB", f"{times['wfdb']:.0f} ms"),
        Row("A recording written as DICOM", f"{times['dicom']:.0f} ms"),
    ]
