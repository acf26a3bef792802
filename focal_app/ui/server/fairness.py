"""Whose turn it is, and who is asked to come again: no visitor keeps the others waiting.

A few events run at the same time. Of one visit always one, so that each finds the view as the one
before has left it; of one address never all. Who has waited longest for a turn comes next: first
among the addresses, then among the visits of one. Behind a proxy all visitors share an address.

Turned away with HTTP 429 and a sentence: a visit or an address with too many events in line, and
everybody once the line is full or would take too long. Gradio's queue decides none of this; what
is changed in it are `push`, `get_events` and how often it looks for an event.
"""

import math
import time
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from statistics import median
from typing import Any, cast

from fastapi import HTTPException, Request
from gradio import queueing, state_holder
from gradio.data_classes import PredictBodyInternal
from gradio.queueing import Event, EventQueue

from focal_app.ui import wording

AT_ONCE = 3
"""Events that run at the same time; readings share two cores and Python's lock, so that more would
only take longer each."""
OF_ONE_ADDRESS = AT_ONCE - 1
IN_LINE = 400
"""Events in line, of which an address may have three in four."""
REST_S = (0.005, 0.05)
"""How long Gradio rests, at least and at most, before it looks for an event again."""
STATUS_EVERY_S = 1.0
"""How often those in line are told how many are before them."""
OF_ONE_VISIT = 10
LONGEST_WAIT_S = 60.0
SHORTEST_RETRY_S = 5
REMEMBERED = 2_000
"""Visitors whose last turn is remembered; of one that is forgotten it is long past."""
USUAL_S, ENOUGH = 0.1, 5
"""What an event takes, until so many of its kind have run."""

LANE: dict[str, Any] = {"concurrency_id": "reading", "concurrency_limit": AT_ONCE}
"""The line of all events that read, search or draw."""

ASKING: dict[str, Any] = {"concurrency_id": "llm", "concurrency_limit": 4}
"""Questions to a language model wait in a line of their own: a slow server holds nobody else up."""

Key = tuple[str, ...]


class FairQueue(queueing.Queue):
    """Gradio's queue, which takes the next event from whoever has waited longest."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **named)
        self.progress_update_sleep_when_free = STATUS_EVERY_S  # no event tells of its progress
        self._came_s = time.monotonic()
        self.process_time_per_fn = defaultdict(RecentTime)
        self._turns: OrderedDict[Key, int] = OrderedDict()
        self._turn = 0
        self._nobody: dict[str, tuple[object, ...]] = {}

    @property
    def sleep_when_free(self) -> float:
        """The least while an event is in line, else more the longer none has come: an app that
        nobody uses rests."""
        least, most = REST_S
        since_s = 0.0 if len(self) else time.monotonic() - self._came_s
        return min(max(least, since_s / 300), most)

    @sleep_when_free.setter
    def sleep_when_free(self, _: float) -> None:
        """Gradio's own, a thousand looks a second for good, is not taken."""

    async def push(self, body: PredictBodyInternal, request: Request, username: str | None) -> Any:  # noqa: ANN401
        """Takes an event in, or tells its visitor when to come again."""
        self._came_s = time.monotonic()
        if said := self._refusal(_address(request), body.session_hash):
            retry_s = self._retry_s()
            headers = {"Retry-After": str(retry_s)}
            raise HTTPException(429, said(retry_s), headers=headers)
        return await super().push(body, request, username)

    def get_events(self) -> tuple[list[Event], bool, str] | None:
        """The next event that may run, of whoever has waited longest for a turn."""
        for name, line in self.event_queue_per_concurrency_id.items():
            limit = line.concurrency_limit
            if not line.queue or (limit is not None and line.current_concurrency >= limit):
                continue
            # Asked hundreds of times a second: not looked through again while nothing changes.
            seen = (len(line.queue), line.queue[-1], line.current_concurrency)
            if self._nobody.get(name) == seen:
                continue
            if event := self._next(name, line):
                line.queue.remove(event)
                self._took_turn(event)
                return [event], False, name
            self._nobody[name] = seen
        return None

    def compute_analytics_summary(self, records: Any) -> dict[str, Any]:  # noqa: ANN401
        """None: Gradio would count all calls anew after each that is refused."""
        return self.cached_event_analytics_summary

    def _next(self, name: str, line: EventQueue) -> Event | None:
        running = [event for event in self._running() if event.concurrency_id == name]
        busy, addresses = set(map(_visit, running)), Counter(map(_from, running))
        most = line.concurrency_limit or math.inf
        most = min(most, OF_ONE_ADDRESS) if name == LANE["concurrency_id"] else most
        first: dict[Key, Event] = {}
        for event in line.queue:
            visit = _visit(event)
            if addresses[visit[0]] < most and not (visit[1] and visit in busy):
                first.setdefault(visit, event)
        return min(first.values(), key=self._last_turns, default=None)

    def _last_turns(self, event: Event) -> tuple[int, int]:
        return self._turns.get(_visit(event)[:1], 0), self._turns.get(_visit(event), 0)

    def _took_turn(self, event: Event) -> None:
        self._turn += 1
        for key in (_visit(event)[:1], _visit(event)):
            self._turns[key] = self._turn
            self._turns.move_to_end(key)
        while len(self._turns) > REMEMBERED:
            self._turns.popitem(last=False)

    def _running(self) -> Iterable[Event]:
        return (event for job in self.active_jobs if job for event in job)

    def _refusal(self, address: str, session: str | None) -> Any:  # noqa: ANN401
        """The sentence for an event that cannot join the line, None for one that can."""
        most = self.max_size or IN_LINE
        waiting = [e for line in self.event_queue_per_concurrency_id.values() for e in line.queue]
        of_address = sum(_from(event) == address for event in waiting)
        if len(waiting) >= most or of_address >= 3 * most // 4 or self._wait_s() > LONGEST_WAIT_S:
            return lambda retry_s: wording.busy(len(waiting), retry_s)
        mine = [e for e in (*waiting, *self._running()) if session and e.session_hash == session]
        if len(mine) >= OF_ONE_VISIT:
            return lambda retry_s: wording.busy_visit(len(mine), retry_s)
        return None

    def _wait_s(self) -> float:
        """How long the line of the readings is, by what each kind of event took so far."""
        line = self.event_queue_per_concurrency_id.get(LANE["concurrency_id"])
        waiting = line.queue if line else []
        took = (self.process_time_per_fn[event.fn].avg_time for event in waiting)
        return sum(took) / OF_ONE_ADDRESS

    def _retry_s(self) -> int:
        return min(max(SHORTEST_RETRY_S, math.ceil(self._wait_s())), round(LONGEST_WAIT_S))


class RecentTime(queueing.ProcessTime):
    """What events of one kind took of late; one that was held up by a start says nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._recent: deque[float] = deque(maxlen=15)
        self.avg_time = USUAL_S  # pyrefly: ignore[bad-assignment]

    def add(self, time: float) -> None:
        """One more event that ended."""
        self._recent.append(time)
        if len(self._recent) >= ENOUGH:
            self.avg_time = median(self._recent)  # pyrefly: ignore[bad-assignment]


class LightVisit(state_holder.SessionState):
    """A visit that does not describe every part of the page anew, as Gradio does for links to it.

    Nobody can make such links here; for the call of an endpoint it was a third of the work.
    """

    def __init__(self, blocks: Any) -> None:  # noqa: ANN401
        super().__init__(cast(Any, _Bare(blocks.default_config)))

    def _update_config(self, key: int) -> None:
        """Nothing is described."""

    def _update_value_in_config(self, key: int, value: Any) -> None:  # noqa: ANN401
        """Nothing is described."""


class _Bare:
    """A page as far as `SessionState` needs it: its parts, and none to describe."""

    def __init__(self, default_config: Any) -> None:  # noqa: ANN401
        self.default_config = default_config
        self.blocks: dict[int, Any] = {}


def share_fairly() -> None:
    """Has Gradio queue events, and keep visits, in this way."""
    setattr(queueing, "Queue", FairQueue)  # noqa: B010
    setattr(state_holder, "SessionState", LightVisit)  # noqa: B010


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _from(event: Event) -> str:
    return _address(event.request)


def _visit(event: Event) -> Key:
    """Address and visit; the calls of endpoints by one address are one visitor without a visit."""
    return (_from(event), "" if event.session_hash == event._id else event.session_hash)
