"""Answers that nobody fetches: bounded in bytes and in time.

Gradio keeps the answer of every event until its visitor fetches it, however many there are and
however long it takes, and of each visit a line of messages for good. A file that is taken away
comes to 40 MB. What waits here is let go of after a while, and sooner where it comes to too much,
what has waited longest first; who comes later is told that the visit is not known, and asks again.

A page may listen to a line on which nothing is to come: after two events in one breath Gradio's
script listens once more than there are answers. Its next answer comes on that line, so it stays.
"""

import asyncio
import math
import time
from collections import deque
from typing import Any

from gradio import queueing
from gradio.queueing import Queue
from gradio.server_messages import EventMessage, ProcessCompletedMessage

MOST_BYTES = 200_000_000
"""What all visits together may leave unread."""
PART_BYTES = 32
"""What a number, or the place of a value in a list, comes to."""
PAUSE_S = 1.0
"""Who listens does so for ten seconds at a time; between two of them lies far less."""


class Messages(asyncio.Queue[EventMessage]):
    """The messages of a visit that it has not fetched, and what their answers weigh."""

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)  # type: ignore[misc]  a hook that asyncio documents in its source
        self._held: deque[tuple[int, float]] = deque()
        self._listening, self._left = 0, -math.inf

    async def get(self) -> EventMessage:
        """The next message, for a page that listens."""
        self._listening += 1
        try:
            return await super().get()
        finally:
            self._listening -= 1
            self._left = time.monotonic()

    @property
    def heard(self) -> bool:
        """Whether a page listens."""
        return self._listening > 0 or time.monotonic() - self._left < PAUSE_S

    def _put(self, item: EventMessage) -> None:
        super()._put(item)  # type: ignore[misc]
        size = weight(item.output) if isinstance(item, ProcessCompletedMessage) else 0
        self._held.append((size, time.monotonic()))

    def _get(self) -> EventMessage:
        self._held.popleft()
        return super()._get()  # type: ignore[misc]

    @property
    def size(self) -> int:
        """Bytes of all answers."""
        return sum(size for size, _ in self._held)

    @property
    def since(self) -> float | None:
        """When the first of the answers came; None where there is none."""
        return next((came for size, came in self._held if size), None)


def weight(answer: Any) -> int:  # noqa: ANN401
    """About how many bytes an answer holds, one of nothing at least one."""
    if isinstance(answer, str):
        return PART_BYTES + len(answer)
    parts = answer.values() if isinstance(answer, dict) else answer
    return PART_BYTES + (sum(map(weight, parts)) if isinstance(answer, dict | list | tuple) else 0)


def keep_few() -> None:
    """Has Gradio weigh what waits for each visit."""
    setattr(queueing, "AsyncQueue", Messages)  # noqa: B010


def forget_unread(queue: Queue, after_s: float, *, most_bytes: int = MOST_BYTES) -> None:
    """Lets go of what nobody fetches, and of the lines of visits that wait for nothing."""
    lines, events = queue.pending_messages_per_session, queue.pending_event_ids_session
    idle = [visit for visit, line in lines.items() if not (events.get(visit) or line.heard)]  # type: ignore[attr-defined]
    for visit in idle:
        del lines[visit]
    unread = [(line.since, visit, line.size) for visit, line in lines.items() if line.since]  # type: ignore[attr-defined]
    total, now = sum(size for *_, size in unread), time.monotonic()
    for since, visit, size in sorted(unread):
        if now - since <= after_s and total <= most_bytes:
            break
        del lines[visit]
        total -= size
    for visit in [visit for visit in events if visit not in lines]:
        if not events[visit] & queue.event_ids_to_events.keys():
            del events[visit]
