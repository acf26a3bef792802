"""Fifty visitors and four faults against the real app, as `make soak` does.

python -m tests.soak --minutes 20
python -m tests.soak --minutes 2 --visitors 10 --results build/soak.json

Every visitor reads simulated ECGs whose answers are known and differ, so that a mixed answer shows.
On the way the app is killed and started again, its language model gets slow and dies, its disk
fills up, and the largest recordings come while memory is scarce. All traffic stays on this machine.
The exit code is 1 where an aim is missed.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.soak import plan
from tests.soak.figures import Soaked, document, rows
from tests.soak.language_model import LanguageModel, language_model
from tests.soak.server import Server, small_disk
from tests.soak.visitors import Visitors, largest
from tests.visiting import Recording, Visit, make_recordings

A_MINUTE, ASKING, BIG, UNREAD = 50, 2, 3, 5
"""Readings a minute; visitors who ask the language model; largest recordings at once; uploads that
nobody has read when the app is killed."""


def main() -> None:
    """Soak, print the table, write the figures."""
    options = _options()
    with (
        tempfile.TemporaryDirectory(prefix="soak-") as own,
        tempfile.TemporaryDirectory(prefix="soak-") as disk,
        small_disk(Path(disk)) as toggle,
        language_model() as model,
    ):
        server = Server(Path(disk), FOCAL_LLM_BASE_URL=model.address, FOCAL_LLM_MODEL="tiny")
        try:
            soaked = Soak(server, model, toggle, Path(own), options).run()
        finally:
            server.stop()
        soaked.left_after_exit = server.left()
    print("| what | found | aim | met |\n|---|---|---|---|")
    for row in rows(soaked):
        met = {True: "yes", False: "NO", None: "-"}[row.met]
        print(f"| {row.what} | {row.found} | {row.aim or '-'} | {met} |")
    if options.results:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text(json.dumps(document(soaked), indent=1) + "\n")
    sys.exit(any(row.met is False for row in rows(soaked)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=20.0, help="how long (default 20)")
    parser.add_argument("--visitors", type=int, default=50, help="how many read (default 50)")
    parser.add_argument(
        "--recordings", type=int, default=50, help="how many different ECGs (default 50)"
    )
    parser.add_argument("--results", type=Path, help="where to write the figures as JSON")
    return parser.parse_args()


class Soak:
    """One run: visitors on one side, faults on the other, each by the plan."""

    def __init__(
        self,
        server: Server,
        model: LanguageModel,
        toggle: Callable[[], bool],
        own: Path,
        options: argparse.Namespace,
    ) -> None:
        self._server, self._model, self._toggle = server, model, toggle
        self._seconds = 60 * options.minutes
        self._count = options.visitors
        self._each = max(1, round(A_MINUTE * options.minutes / options.visitors))
        self._recordings = make_recordings(own, options.recordings)
        self._largest: Recording = largest(own)
        self._over = threading.Event()
        self._soaked = Soaked(self._seconds, self._each * self._count, self._count)

    def run(self) -> Soaked:
        """All of it; the answers that are right come from the app while nobody else is there."""
        answers = self._alone()
        visitors = Visitors(lambda: self._server.app, self._recordings, answers)
        with ThreadPoolExecutor(self._count + ASKING + 1) as crowd:
            watch = crowd.submit(self._watch, visitors)
            going = [
                crowd.submit(visitors.read, n, readings=self._each, seconds=self._seconds)
                for n in range(self._count)
            ]
            going += [crowd.submit(visitors.ask, seconds=self._seconds) for _ in range(ASKING)]
            self._faults(visitors)
            for one in going:
                one.result()
            self._over.set()
            watch.result()
        soaked = self._soaked
        soaked.tries, soaked.asked = visitors.tries, visitors.asked
        soaked.answered = visitors.answered
        soaked.left_at_end = self._left(within_s=10)
        return soaked

    def _alone(self) -> list[dict]:
        with Visit(self._server.app.url) as visit:
            answers = [visit.read(*recording) for recording in self._recordings]
        if len({json.dumps(told["findings"]) for told in answers}) < len(answers):
            raise SystemExit("two recordings have one answer: a mixed answer would not show")
        return answers

    def _watch(self, visitors: Visitors) -> None:
        while not self._over.wait(1.0):
            self._soaked.memory.append((visitors.now(), *self._server.memory_mb()))
            code = self._server.app.process.poll()
            if code is not None and visitors.gate.is_set():
                self._soaked.died.append(f"code {code} after {visitors.now():.0f} s")
                self._again(visitors)

    def _faults(self, visitors: Visitors) -> None:
        first = self._until(visitors, plan.KILL * self._seconds)
        for number in range(UNREAD):
            visitors.send(number)
        self._again(visitors)
        started = self._soaked.started = visitors.now()
        self._soaked.hurts["kill -9"] = (first, started)
        rest = max(0.0, self._seconds - started)
        happen = (self._slow, self._dead, self._full, self._scarce)
        for fault, goes_on in zip(plan.FAULTS, happen, strict=True):
            first = self._until(visitors, started + fault.first * rest)
            goes_on(visitors, started + fault.last * rest)
            if fault.hurts:
                self._soaked.hurts[fault.name] = (first, visitors.now())

    def _again(self, visitors: Visitors) -> None:
        """Kills the app while it works, and starts it before anybody may go on."""
        visitors.gate.clear()
        self._server.kill_and_start()
        self._soaked.left_after_kill = max(self._soaked.left_after_kill, self._left(within_s=3))
        visitors.gate.set()

    def _slow(self, visitors: Visitors, until: float) -> None:
        self._model.state = "slow"
        self._until(visitors, until)
        self._model.state = "quick"

    def _dead(self, visitors: Visitors, until: float) -> None:
        self._model.state = "dead"
        self._until(visitors, until)
        self._model.state = "quick"

    def _full(self, visitors: Visitors, until: float) -> None:
        self._toggle()
        self._until(visitors, until)
        self._toggle()

    def _scarce(self, visitors: Visitors, until: float) -> None:
        with self._server.scarce_memory(), ThreadPoolExecutor(BIG) as crowd:
            sent = [crowd.submit(visitors.big, self._largest) for _ in range(BIG)]
            self._until(visitors, until)
            self._soaked.largest += [one.result() for one in sent]

    def _until(self, visitors: Visitors, second: float) -> float:
        time.sleep(max(0.0, second - visitors.now()))
        return visitors.now()

    def _left(self, *, within_s: float) -> int:
        """Files that are left after a moment in which they may go."""
        end = time.monotonic() + within_s
        while self._server.left() and time.monotonic() < end:
            time.sleep(0.2)
        return self._server.left()


if __name__ == "__main__":
    main()
