"""What visitors left is forgotten in time: uploads and answers nobody claims, resting visits."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from gradio.routes import App
from gradio.state_holder import StateHolder

from focal_app.ui.server import gradio_internals as inside
from focal_app.ui.server.bodies import upload_names
from focal_app.ui.server.memory import give_back_memory
from focal_app.ui.server.unread_answers import forget_unread
from focal_app.ui.server.upload_folder import UploadFolder
from focal_app.ui.server.upload_ledger import Ledger

EVERY_S = 1.0
GIVE_BACK_EVERY = 10
"""In rounds: it takes some 5 ms, and what is read next some 20 ms more."""
Lifespan = Callable[[App], AbstractAsyncContextManager[None]]


def forgetting(folder: UploadFolder, ledger: Ledger, *, after_s: float) -> Lifespan:
    """For as long as the server runs: what has not been touched for `after_s` is forgotten.

    Uploads that no question names, and answers that nobody fetches, go sooner: after the ledger's
    own time where that is shorter.
    """

    @asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[None]:
        task = asyncio.create_task(_forget(app, folder, ledger, after_s))
        try:
            yield
        finally:
            task.cancel()

    return lifespan


async def _forget(app: App, folder: UploadFolder, ledger: Ledger, after_s: float) -> None:
    unclaimed_s = min(after_s, ledger.limits.unclaimed_s)
    for turn in count(1):
        await asyncio.sleep(EVERY_S)
        forget_visits(inside.visits(app), after_s, busy=inside.busy_visits(app))
        inside.forget_progress()
        forget_unread(inside.queue(app), unclaimed_s)
        needed = ledger.needed(upload_names(inside.waiting_values(app), ledger))
        await asyncio.to_thread(forget_files, ledger.folder, unclaimed_s, kept=needed)
        await asyncio.to_thread(forget_files, folder.work, after_s)
        ledger.recount()
        if turn % GIVE_BACK_EVERY == 0:
            await asyncio.to_thread(give_back_memory)


def forget_visits(visits: StateHolder, after_s: float, *, busy: Collection[str] = ()) -> None:
    """Lets go of visits without any action for so long, whether their page is still open or not.

    The call of an endpoint is a visit that holds nothing: once no longer busy it goes at once, so
    that many calls do not push out the recordings of visits.
    """
    now = datetime.now()
    for name, visit in list(visits.session_data.items()):
        last = visits.time_last_used.get(name, now)
        empty = not visit.state_data and name not in busy
        if empty or (now - last).total_seconds() > after_s:
            inside.forget_visit(visits, name)


def forget_files(folder: Path, after_s: float, *, kept: Collection[Path] = ()) -> None:
    """Deletes what lies in a folder for so long, with the folder of each that is empty then.

    A folder that is empty from the beginning goes after the same time.
    """
    for place, folders, files in os.walk(folder, topdown=False):
        for name in (*files, *folders):
            path = Path(place, name)
            # Another may be reading and deleting it at this very moment.
            with suppress(OSError):
                if path not in kept and time.time() - path.lstat().st_ctime > after_s:
                    path.rmdir() if name in folders else path.unlink()
                    if place != str(folder):
                        Path(place).rmdir()
