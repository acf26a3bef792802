"""What a visitor takes away of a view: a file's content and name, made when it is asked for."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from focal_app.ecg.writing.dicom_file import dicom_file
from focal_app.ecg.writing.wfdb_file import wfdb_files, zipped
from focal_app.errors import RecordingError
from focal_app.explore.reading.document import document
from focal_app.explore.reading.plain_text import plain_text
from focal_app.explore.reading.reading import Reading
from focal_app.explore.reading.spreadsheet import listed_csv
from focal_app.figures.paper import ecg_svg
from focal_app.ui.read import wording_take_away as wording
from focal_app.ui.read.state import View

COPY = "copy"
"""In place of a type: the content is text for the clipboard."""


@dataclass(frozen=True)
class Taken:
    """A file that the browser saves, or a text that it copies; names never tell whose it is."""

    name: str
    kind: str
    content: bytes


def taken(view: View, kind: str, *, checkpoint: str) -> Taken:
    """What the menu calls `kind`; a `FocalError` where the view cannot give it."""
    if kind not in _MADE:
        raise RecordingError(wording.NO_SUCH_KIND)
    name, type_, make = _MADE[kind]
    return Taken(name, type_, make(view, checkpoint))


def _reading(view: View) -> Reading:
    if view.reading is None:
        raise RecordingError(wording.NOT_READ)
    return view.reading


def _pdf(view: View, checkpoint: str) -> bytes:
    # Not when the page is laid out: it brings reportlab with it.
    from focal_app.figures.prints.report import Report, report_pdf

    return report_pdf(
        Report(
            ecg=view.ecg,
            reading=_reading(view),
            shown=(view.chosen,) if view.chosen else (),
            fine=view.fine,
            settings=view.paper,
            checkpoint=checkpoint,
        )
    )


def _svg(view: View, _: str) -> bytes:
    return ecg_svg(view.ecg, settings=view.paper, start_s=view.start_s, **view.shown).encode()


def _json(view: View, _: str) -> bytes:
    return json.dumps(document(_reading(view), heatmap=True), allow_nan=False).encode()


_Make = Callable[[View, str], bytes]
_MADE: dict[str, tuple[str, str, _Make]] = {
    "pdf": ("reading.pdf", "application/pdf", _pdf),
    "png": ("ecg.png", "image/png", _svg),
    "svg": ("ecg.svg", "image/svg+xml", _svg),
    "text": ("", COPY, lambda view, _: plain_text(_reading(view)).encode()),
    "csv": ("reading.csv", "text/csv", lambda view, _: listed_csv(_reading(view)).encode()),
    "json": ("reading.json", "application/json", _json),
    "wfdb": ("wfdb.zip", "application/zip", lambda view, _: zipped(wfdb_files(view.ecg))),
    "dicom": ("recording.dcm", "application/dicom", lambda view, _: dicom_file(view.ecg)),
}
"""Of every kind: the file's name, its type, and how it is made. The browser turns the drawing of
"png" into the picture."""
