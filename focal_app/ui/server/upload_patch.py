"""How uploads are received: apart from each other, fetched by nobody, and whole or not at all.

Gradio names the folder of an upload by its content. Where a class uploads one recording, all would
share a file, and the first reading would delete it under the others. An upload that breaks off,
or that fills the disk, it leaves where it is.
"""

import secrets
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException

from focal_app.ui import wording as page_wording
from focal_app.ui.server import wording
from focal_app.ui.server.gradio_internals import UploadedFile, UploadParser, guard
from focal_app.ui.server.upload_ledger import Receipt

REFUSED = (
    "/gradio_api/file={path:path}",
    "/gradio_api/file/{path:path}",
    "/gradio_api/proxy={path:path}",
    "/gradio_api/deep_link",
    "/gradio_api/process_recording",
    "/gradio_api/custom_component/{path:path}",
    "/gradio_api/stream/{path:path}",
    "/monitoring",
    "/monitoring/{path:path}",
)
"""Where Gradio hands out files or figures, or writes visits and videos to disk."""
MOST_FIELDS, FIELD_BYTES = 8, 10_000
FILES = "files"
"""The part of an upload that Gradio takes files from."""
UNDER_WAY: ContextVar[Receipt] = ContextVar("under_way")
"""The upload that a request is."""


class OwnFolder(UploadedFile):
    """An upload whose folder no other has, not even one of the same content."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **named)
        self.sha.update(secrets.token_bytes(16))


class LeavesNothing(UploadParser):
    """Receives files, and deletes what it has of them where it cannot go on."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **(named | {"max_fields": MOST_FIELDS}))
        self._complete = False

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Bytes of a part: those of a field, which is held in memory, may only be few."""
        part = self._current_part
        if part.file is None and len(part.data) + end - start > FIELD_BYTES:
            raise MultiPartException(wording.body_too_large(FIELD_BYTES))
        super().on_part_data(data, start, end)

    def on_headers_finished(self) -> None:
        """A part begins; where it is a file, its place on the disk is known from now on."""
        known = len(self._files_to_close_on_error)
        super().on_headers_finished()
        part = self._current_part
        if part.file is None and part.field_name == FILES:
            raise MultiPartException(wording.NO_FILE)
        for file in self._files_to_close_on_error[known:]:
            UNDER_WAY.get().begins(Path(file.name))

    def on_end(self) -> None:
        """The closing boundary has come."""
        self._complete = True

    async def parse(self) -> FormData:
        """The files of an upload."""
        try:
            form = await super().parse()
            if not self._complete:
                raise MultiPartException(wording.BROKEN_OFF)
            return form
        except BaseException as error:
            self._delete()
            if isinstance(error, OSError):
                raise MultiPartException(page_wording.NO_ROOM) from None
            raise

    def _delete(self) -> None:
        for file in self._files_to_close_on_error:
            with suppress(OSError):  # closing writes what is left, on a disk that may be full
                file.close()
            Path(file.name).unlink(missing_ok=True)


def guard_files() -> None:
    """Has Gradio receive uploads in this way, and fetch nothing."""
    guard(OwnFolder, LeavesNothing)


def refused_routes() -> list[APIRoute]:
    """Refusals in place of what Gradio offers and the page does not need."""

    def refuse() -> PlainTextResponse:
        return PlainTextResponse(wording.NOT_OFFERED, status_code=403)

    methods = ["GET", "HEAD", "POST"]
    return [APIRoute(at, refuse, methods=methods, include_in_schema=False) for at in REFUSED]
