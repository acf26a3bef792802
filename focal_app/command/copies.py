"""What is written beside the readings: a PDF each, or the recording as WFDB or DICOM."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from focal_app.command.read import Outcome
from focal_app.command.trouble import complain
from focal_app.ecg.complete import CompleteECG
from focal_app.errors import ConfigError, RecordingError
from focal_app.explore.reading.reading import Reading, most_probable

MOST_HEATMAPS = 3


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Folders to write to, None for what is not wanted; files are named by number alone."""

    pdf: Path | None = None
    wfdb: Path | None = None
    dicom: Path | None = None
    heatmaps: bool = False
    checkpoint: str = ""
    failed: list[int] = field(default_factory=list)
    """The numbers of recordings that a format could not hold."""

    @property
    def folders(self) -> list[Path]:
        """The folders that are wanted."""
        return [folder for folder in (self.pdf, self.wfdb, self.dicom) if folder]

    def make_folders(self) -> None:
        """Makes the folders, before anything is read."""
        for folder in self.folders:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ConfigError(
                    f"found no folder to write to, and could not make it ({error.strerror}); name "
                    "a folder that can be written"
                ) from None

    def refuse_late(self, rows: Sequence[int]) -> None:
        """A `ConfigError` where copies are wanted of rows that were written without them."""
        kinds = (
            ("--pdf", self.pdf, "pdf"),
            ("--wfdb", self.wfdb, "hea"),
            ("--dicom", self.dicom, "dcm"),
        )
        for option, folder, suffix in kinds:
            names = (f"{number:06d}.{suffix}" for number in rows)
            if folder and rows and not any((folder / name).is_file() for name in names):
                raise ConfigError(
                    f"found {option} with a table whose {len(rows)} rows have no copy in that "
                    "folder, and are not read again; name the folder as before, or a new table"
                )

    def write(self, number: int, outcome: Outcome) -> None:
        """All copies of a recording that was read; where a format cannot hold it, that is told."""
        if outcome.ecg is None or isinstance(outcome.result, RecordingError):
            return
        try:
            self._write(f"{number:06d}", outcome.ecg, outcome.result)
        except RecordingError as error:
            self.failed.append(number)
            complain(error, file=outcome.file)

    def _write(self, name: str, ecg: CompleteECG, reading: Reading) -> None:
        if self.wfdb:
            from focal_app.ecg.writing.wfdb_file import wfdb_files

            for file, content in wfdb_files(ecg, name=name).items():
                (self.wfdb / file).write_bytes(content)
        if self.dicom:
            from focal_app.ecg.writing.dicom_file import dicom_file

            (self.dicom / f"{name}.dcm").write_bytes(dicom_file(ecg))
        if self.pdf:
            (self.pdf / f"{name}.pdf").write_bytes(self._pdf(ecg, reading))

    def _pdf(self, ecg: CompleteECG, reading: Reading) -> bytes:
        from focal_app.figures.prints.report import Report, report_pdf

        first = most_probable(reading.findings)[:MOST_HEATMAPS] if self.heatmaps else []
        shown = tuple(finding.prompt for finding in first)
        return report_pdf(Report(ecg=ecg, reading=reading, shown=shown, checkpoint=self.checkpoint))
