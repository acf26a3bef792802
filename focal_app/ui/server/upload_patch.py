"""How uploads are received: apart from each other, and fetched by nobody.

Gradio names the folder of an upload by its content. Where a class uploads one recording, all would
share a file, and the first reading would delete it under the others. An upload that breaks off,
or that fills the disk, it leaves where it is.
"""

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute
from gradio import route_utils
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException

from focal_app.ui import wording

REFUSED = (
    "/gradio_api/file={path:path}",
    "/gradio_api/file/{path:path}",
    "/gradio_api/proxy={path:path}",
    "/gradio_api/deep_link",
    "/gradio_api/process_recording",
)
"""Where Gradio hands an upload to whoever knows its path, or writes visits and videos to disk."""


class OwnFolder(route_utils.GradioUploadFile):
    """An upload whose folder no other has, not even one of the same content."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **named)
        self.sha.update(secrets.token_bytes(16))


class LeavesNothing(route_utils.GradioMultiPartParser):
    """Receives files, and deletes what it has of them where it cannot go on."""

    async def parse(self) -> FormData:
        """The files of an upload."""
        try:
            return await super().parse()
        except BaseException as error:
            self._delete()
            if isinstance(error, OSError):
                raise MultiPartException(wording.NO_ROOM) from None
            raise

    def _delete(self) -> None:
        for file in self._files_to_close_on_error:
            with suppress(OSError):  # closing writes what is left, on a disk that may be full
                file.close()
            Path(file.name).unlink(missing_ok=True)


def receive_apart() -> None:
    """Has Gradio receive uploads in this way."""
    setattr(route_utils, "GradioUploadFile", OwnFolder)  # noqa: B010
    setattr(route_utils, "GradioMultiPartParser", LeavesNothing)  # noqa: B010


def refused_routes() -> list[APIRoute]:
    """Refusals in place of what Gradio offers and the page does not need."""

    def refuse() -> PlainTextResponse:
        return PlainTextResponse("not offered here", status_code=403)

    methods = ["GET", "HEAD", "POST"]
    return [APIRoute(at, refuse, methods=methods, include_in_schema=False) for at in REFUSED]
