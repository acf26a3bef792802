"""Visitors who read their ECGs, again and again, each at its own time."""

import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx

from tests.running import App
from tests.visiting import WAIT_S, Recording, Refused, Visit

PAUSE_S, LONGEST_PAUSE_S = 3.0, 60.0
OVERTIME_S = 180.0
"""Whoever was refused to the end of the time goes on trying for so long."""
UNFORESEEN = re.compile(r"nobody foresaw|Traceback|Internal Server Error", re.IGNORECASE)


@dataclass(frozen=True)
class Try:
    """One try of a reading, in seconds from the beginning: "right", "mixed", or what was said."""

    begun: float
    ended: float
    came: str

    @property
    def unforeseen(self) -> bool:
        """Whether it was an error that the app has no sentence for."""
        return bool(UNFORESEEN.search(self.came))


class Neighbour(Visit):
    """A visitor with an address of its own on this machine, as limits tell visitors apart."""

    def __init__(self, url: str, number: int) -> None:
        super().__init__(url)
        self.http.close()
        own = httpx.HTTPTransport(local_address=f"127.0.0.{2 + number % 250}")
        self.http = httpx.Client(base_url=url, timeout=WAIT_S, transport=own)


class Visitors:
    """Everybody who reads; `gate` holds them back while the app is started again."""

    def __init__(
        self, app: Callable[[], App], recordings: list[Recording], answers: list[Any]
    ) -> None:
        self._app, self._recordings, self._answers = app, recordings, answers
        self.gate = threading.Event()
        self.gate.set()
        self.tries: list[Try] = []
        self.asked: list[Try] = []
        self.answered = 0
        self._lock = threading.Lock()
        self.begun = time.monotonic()

    def now(self) -> float:
        """Seconds from the beginning."""
        return time.monotonic() - self.begun

    def read(self, number: int, *, readings: int, seconds: float) -> None:
        """One visitor: so many readings, spread over the time."""
        random = Random(number)
        every = seconds / readings
        for turn in range(readings):
            self._wait((turn + random.random()) * every)
            record = random.randrange(len(self._recordings))
            self._read_in_the_end(number, record, until=seconds + OVERTIME_S)

    def _read_in_the_end(self, number: int, record: int, *, until: float) -> None:
        """One reading, tried again as the refusal says until there is an answer."""
        while self.now() < until:
            came = self._one(number, record)
            if came in ("right", "mixed"):
                with self._lock:
                    self.answered += came == "right"
                return
            time.sleep(pause_s(came))

    def _wait(self, until: float) -> None:
        time.sleep(max(0.0, until - self.now()))
        self.gate.wait()

    def _one(self, number: int, record: int) -> str:
        self.gate.wait()
        begun = self.now()
        try:
            with Neighbour(self._app().url, number) as visit:
                told = visit.read(*self._recordings[record])
            came = "right" if told == self._answers[record] else "mixed"
        except (Refused, httpx.HTTPError, ValueError, LookupError) as error:
            came = f"{type(error).__name__}: {error}"[:300]
        with self._lock:
            self.tries.append(Try(begun, self.now(), came))
        return came

    def ask(self, *, seconds: float) -> None:
        """One visitor who asks the language model about a report, over and over."""
        while self.now() < seconds:
            self.gate.wait()
            begun = self.now()
            try:
                came = self._asked()
            except (Refused, httpx.HTTPError, ValueError, LookupError) as error:
                came = f"{type(error).__name__}: {error}"[:300]
            with self._lock:
                self.asked.append(Try(begun, self.now(), came))
            time.sleep(PAUSE_S)

    def _asked(self) -> str:
        with Visit(self._app().url) as visit:
            visit.open()
            visit.do("read_report", None, None, "Sinus rhythm. LBBB.")
            visit.do("choose_source", None, None, "model")
            said = json.dumps(visit.do("ask", None))
        if "trouble" not in said:
            return "right"
        found = re.search(
            r"cannot be reached|did not answer in time|answer that cannot be read", said
        )
        return found.group() if found else f"unclear: {said[:200]}"

    def send(self, number: int) -> None:
        """Uploads a recording that nobody will ever read."""
        with suppress(Refused, httpx.HTTPError), Visit(self._app().url) as visit:
            visit.upload(*self._recordings[number % len(self._recordings)])

    def big(self, files: Recording) -> str:
        """The largest recording that may be sent, read once."""
        try:
            with Visit(self._app().url) as visit:
                visit.read(*files)
            return "read"
        except (Refused, httpx.HTTPError, ValueError, LookupError) as error:
            return f"{type(error).__name__}: {error}"[:300]


def pause_s(came: str) -> float:
    """As long as the app asks for, or a little while."""
    asked = re.search(r"[Tt]ry again in (\d+) s", came)
    return min(float(asked[1]), LONGEST_PAUSE_S) if asked else PAUSE_S


def largest(folder: Path) -> Recording:
    """A recording of nearly 20 MB, twelve leads of a slow wave."""
    import numpy as np

    frames = 820_000
    wave = (900 * np.sin(np.arange(frames) / 80)).astype("<i2")
    lines = [f"big 12 1000 {frames}"]
    leads = ("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")
    lines += [f"big.dat 16 1000(0)/mV 16 0 0 0 0 {lead}" for lead in leads]
    header, signal = folder / "big.hea", folder / "big.dat"
    header.write_text("\n".join(lines) + "\n")
    signal.write_bytes(np.repeat(wave[:, None], 12, axis=1).tobytes())
    return header, signal
