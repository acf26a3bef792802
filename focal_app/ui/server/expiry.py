"""What visitors left is forgotten in time: uploads that nobody read, and visits that rest."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path

from gradio.routes import App
from gradio.state_holder import StateHolder

EVERY_S = 1.0
Lifespan = Callable[[App], AbstractAsyncContextManager[None]]


def forgetting(folder: Path, *, after_s: float) -> Lifespan:
    """For as long as the server runs: what has not been touched for `after_s` is forgotten."""

    @asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[None]:
        task = asyncio.create_task(_forget(app, folder, after_s))
        try:
            yield
        finally:
            task.cancel()

    return lifespan


async def _forget(app: App, folder: Path, after_s: float) -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        waiting = app.get_blocks()._queue.pending_event_ids_session
        busy = {name for name, events in waiting.items() if events}
        forget_visits(app.state_holder, after_s, busy=busy)
        await asyncio.to_thread(forget_files, folder, after_s)


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
            visits.session_data.pop(name, None)
            visits.time_last_used.pop(name, None)


def forget_files(folder: Path, after_s: float) -> None:
    """Deletes what lies in a folder for so long, and folders that stay empty for so long."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in (*files, *folders):
            path = Path(place, name)
            # Another may be reading and deleting it at this very moment.
            with suppress(OSError):
                if time.time() - path.lstat().st_ctime > after_s:
                    path.rmdir() if name in folders else path.unlink()
