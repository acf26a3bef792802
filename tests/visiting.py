"""Visitors of the running app: what a browser or a program sends over HTTP, and its answers."""

import json
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, Self, TypeVar

import httpx
import numpy as np

from focal_app.ecg.recording import ECG
from train.simulate import simulate

WAIT_S = 300
FIRST_SEED = 7_000_000
Told = TypeVar("Told")
Recording = tuple[Path, Path]
Stored = list[dict[str, Any]]


class Refused(Exception):
    """What the app answered in place of a result."""


class Busy(Refused):
    """The app asked to come again, and said when."""


class Visit:
    """One visitor with a visit of its own: uploads, asks endpoints, and does what the page does."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=WAIT_S, verify=False)
        self.name = uuid.uuid4().hex
        self._events: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        """The visitor itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves without a word, as a closed laptop does."""
        self.http.close()

    def upload(self, *files: Path) -> Stored:
        """Sends files as an upload, which the app keeps until they are read."""
        sent = [("files", (file.name, file.read_bytes())) for file in files]
        answer = self.http.post("/gradio_api/upload", files=sent)
        if answer.status_code != httpx.codes.OK:
            raise Refused(answer.text)
        kind = {"_type": "gradio.FileData"}
        named = zip(answer.json(), files, strict=True)
        return [{"path": path, "orig_name": file.name, "meta": kind} for path, file in named]

    def ask(self, endpoint: str, *values: object) -> dict[str, Any]:
        """The answer of a public endpoint, such as `read`."""
        address = f"/gradio_api/call/{endpoint}"
        joined = _taken(self.http.post(address, json={"data": list(values)}))
        told = self.http.get(f"{address}/{joined.json()['event_id']}").text.splitlines()
        # The last event is the answer; who waits for long hears heartbeats before.
        event, data = (line.partition(": ")[2] for line in list(filter(None, told))[-2:])
        if event != "complete":
            raise Refused(data)
        return json.loads(data)[0]

    def read(self, *files: Path, prompts: Sequence[str] = ()) -> dict[str, Any]:
        """Uploads a recording and asks /read for these prompts, or the everyday ones."""
        return self.ask("read", self.upload(*files), list(prompts), "", 0, False)

    def do(self, event: str, *values: object) -> list[Any]:
        """An event of the page, after the handler's name; the state of the visit stays with it."""
        known = self._known(event)
        asked = {"data": list(values), "fn_index": known["id"], "session_hash": self.name}
        joined = _taken(self.http.post("/gradio_api/queue/join", json=asked))
        joined.raise_for_status()
        mine = joined.json()["event_id"]
        where = {"session_hash": self.name}
        with self.http.stream("GET", "/gradio_api/queue/data", params=where) as told:
            for line in told.iter_lines():
                said = json.loads(line[5:]) if line.startswith("data:") else {}
                if said.get("event_id") == mine and said["msg"] == "process_completed":
                    return _result(said)
        raise Refused("the app hung up")

    def open(self) -> str:
        """Opens the page, as a browser does; all that it shows at first, as text."""
        return json.dumps([self.do("start", 1440), self.do("first_reading", None)])

    def _known(self, event: str) -> dict[str, Any]:
        if not self._events:
            known = self.http.get("/config").json()["dependencies"]
            self._events = {one["api_name"]: one for one in known}
        return self._events[event]


def _taken(answer: httpx.Response) -> httpx.Response:
    if answer.status_code == httpx.codes.TOO_MANY_REQUESTS and "Retry-After" in answer.headers:
        raise Busy(answer.json()["detail"])
    return answer.raise_for_status()


def _result(said: dict[str, Any]) -> list[Any]:
    if not said["success"]:
        raise Refused(json.dumps(said["output"]))
    return said["output"]["data"]


def make_recordings(folder: Path, count: int) -> list[Recording]:
    """Header and signal of so many simulated recordings, each of another patient."""
    return [_written(simulate(FIRST_SEED + n).ecg, folder, f"patient-{n}") for n in range(count)]


def at_once(count: int, visit: Callable[[int], Told]) -> list[Told]:
    """What so many visitors get who all begin together."""
    together = Barrier(count)

    def begin(number: int) -> Told:
        together.wait()
        return visit(number)

    with ThreadPoolExecutor(count) as visitors:
        return list(visitors.map(begin, range(count)))


def _written(ecg: ECG, folder: Path, name: str) -> Recording:
    """An ECG as a WFDB pair, one microvolt a step."""
    steps = np.rint(1000 * ecg.signal_mv).astype("<i2")
    lines = [f"{name} {len(ecg.leads)} {ecg.sampling_rate_hz:g} {steps.shape[1]}"]
    for lead, row in zip(ecg.leads, steps, strict=True):
        checksum = int(row.sum()) % 65536
        lines.append(f"{name}.dat 16 1000(0)/mV 16 0 {row[0]} {checksum} 0 {lead}")
    header, signal = folder / f"{name}.hea", folder / f"{name}.dat"
    header.write_text("\n".join([*lines, f"# Age: {ecg.source.age_years}"]) + "\n")
    signal.write_bytes(steps.T.tobytes())
    return header, signal
