"""Makes inputs, has a process try them, and starts another where that one dies or hangs."""

import multiprocessing
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.fuzz.kept import Files, Kept
from tests.fuzz.measure import Measured, Outcome
from tests.fuzz.mutate import mutated
from tests.fuzz.targets import Target

HUNG_S = 600.0
"""Without an answer for so long a process hangs; one that works is ended by its own clock, which
counts what it worked and not how busy the machine is."""
MOST_KEPT = 400
"""Inputs of a target that are mutated further, the latest that brought something new."""


class Tried:
    """A process in which inputs are tried; it is started again when it has died."""

    def __init__(self, targets: Mapping[str, Target]) -> None:
        self._targets = targets
        self._base = Path(tempfile.mkdtemp(prefix="fuzz-", dir=tempfile.gettempdir()))
        self._folder = self._base / "work"
        self._process: multiprocessing.Process | None = None
        self._line: Connection | None = None

    def __call__(self, name: str, files: Files) -> Outcome:
        """What comes of an input."""
        line = self._started()
        line.send((name, files))
        if not line.poll(HUNG_S):
            self.close()
            return Outcome(findings=(f"hung for {HUNG_S:.0f} s",))
        try:
            return line.recv()
        except EOFError:
            self.close()
            return Outcome(findings=("the process died",))

    def close(self) -> None:
        """Ends the process and removes its folder."""
        if self._process:
            self._process.kill()
            self._process.join()
            self._process = None
        shutil.rmtree(self._base, ignore_errors=True)

    def _started(self) -> Connection:
        if self._process is None or self._line is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._line, other = multiprocessing.Pipe()
            work = multiprocessing.get_context("spawn").Process(
                target=_work,
                args=(self._targets, self._folder, self._base.parent, other),
                daemon=True,
            )
            work.start()
            other.close()
            self._process = work
        return self._line


def _work(targets: Mapping[str, Target], folder: Path, readable: Path, line: Connection) -> None:
    """Answers inputs until nobody asks any more; each target's first input is its warming up."""
    tempfile.tempdir = str(folder / "warm")
    Path(tempfile.tempdir).mkdir(parents=True, exist_ok=True)
    measured, warm = Measured(folder, readable=readable), set()
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            name, files = line.recv()
            target = targets[name]
            if name not in warm:
                warm.add(name)
                for number, seed in enumerate(target.seeds()):
                    place = folder / f"warm-{name}-{number}"
                    place.mkdir()
                    target.run(seed, place)
            line.send(measured.run(target, files))


@dataclass
class Figures:
    """What was found of one target."""

    inputs: int = 0
    refused: int = 0
    slowest_s: float = 0.0
    largest_mb: float = 0.0
    found: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        """Counts one more input."""
        self.inputs += 1
        self.refused += outcome.refused
        self.slowest_s = max(self.slowest_s, outcome.seconds)
        self.largest_mb = max(self.largest_mb, outcome.megabytes)
        self.found.update(map(_kind, outcome.findings))


@dataclass
class Fuzzed:
    """Figures by target, each kind of finding with the first input that shows it, and the new."""

    figures: dict[str, Figures]
    findings: dict[tuple[str, str], Kept] = field(default_factory=dict)
    new: list[Kept] = field(default_factory=list)


def fuzz(
    targets: Mapping[str, Target],
    *,
    seed: int,
    corpus: list[Kept],
    inputs: int | None = None,
    seconds: float | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Fuzzed:
    """Mutates seeds and corpus until so many inputs are tried or so much time is over.

    What brings a new kind of answer is mutated further, so that inputs go deeper with time.
    """
    random, result = Random(seed), Fuzzed({name: Figures() for name in targets})
    turns = [name for name, target in targets.items() for _ in range(target.share)]
    pools = {name: target.seeds() for name, target in targets.items()}
    for kept in corpus:
        if kept.target in pools:
            pools[kept.target].append(kept.files)
    seen: set[tuple[str, str]] = set()
    end = time.monotonic() + seconds if seconds else None
    tried = Tried(targets)
    try:
        for number in count():
            if number == inputs or (end and time.monotonic() > end):
                return result
            name = random.choice(turns)
            files = mutated(random.choice(pools[name]), pools[name], random)
            outcome = tried(name, files)
            for told in _added(result, Kept(name, files), outcome):
                tell(told)
            if (name, _shape(outcome)) not in seen:
                seen.add((name, _shape(outcome)))
                result.new.append(Kept(name, files, _shape(outcome)[:80]))
                pools[name] = [*pools[name][-MOST_KEPT:], files]
    finally:
        tried.close()
    return result


def replay(targets: Mapping[str, Target], corpus: list[Kept]) -> Fuzzed:
    """Tries every good input, none of which may be refused, and every kept one."""
    good = [Kept(name, files) for name, target in targets.items() for files in target.seeds()]
    result, tried = Fuzzed({name: Figures() for name in targets}), Tried(targets)
    try:
        for number, kept in enumerate([*good, *corpus]):
            outcome = tried(kept.target, kept.files)
            if outcome.refused and number < len(good):
                outcome = replace(outcome, findings=(*outcome.findings, "refused a good input"))
            list(_added(result, kept, outcome))
    finally:
        tried.close()
    return result


def _added(result: Fuzzed, kept: Kept, outcome: Outcome) -> Iterator[str]:
    result.figures[kept.target].add(outcome)
    for what in outcome.findings:
        key = (kept.target, _kind(what))
        if key not in result.findings:
            result.findings[key] = Kept(kept.target, kept.files, what)
            yield f"{kept.target}: {what}"


def _kind(finding: str) -> str:
    return re.sub(r"\d+(\.\d+)? (s|MB)$", r"too many \2", finding)


def _shape(outcome: Outcome) -> str:
    """What was said, without its numbers and quotations."""
    text = "".join(outcome.findings) or outcome.said
    return re.sub(r"'[^']*'|\d+", "#", text)[:200]
