"""Reads one file after another with one model, which is loaded when the first file is open.

Files are parsed in processes of their own, under the limits of the app, and a few ahead of the
model: a hostile one costs its own row, and the model seldom waits.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from focal_app.command.signal_options import Told
from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.readers import READERS, ReaderFailed
from focal_app.ecg.tables.question import SignalUnknown
from focal_app.errors import FocalError, RecordingError
from focal_app.explore.reading.prompts import EVERYDAY, checked, prompt_set
from focal_app.explore.reading.reading import Reading

if TYPE_CHECKING:
    from focal_app.explore.reading.explorer import Explorer

AHEAD = 2
"""Files that are opened while the model reads; each may hold a recording of half an hour."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of every recording; `prompts` replace the everyday set or add to another."""

    prompts: tuple[str, ...] = ()
    prompt_set: str | None = None
    checkpoint: str | None = None
    start_s: float = 0.0
    tau: float | None = None
    told: Told | None = None

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """All prompts, each once; a `PromptError` for one that cannot be asked."""
        usual = None if self.prompts else EVERYDAY
        named = usual if self.prompt_set is None else self.prompt_set
        chosen = () if named is None else prompt_set(named).prompts
        return tuple(dict.fromkeys(checked([*chosen, *self.prompts])))


@dataclass(frozen=True)
class Outcome:
    """The reading of a recording, or why there is none.

    `file` counts the FILEs of the command line from 1: a name could identify a patient, and is
    never printed. `path` serves the user's own table; `ecg` is what was read, where it could be.
    """

    file: int
    result: Reading | RecordingError
    path: Path = field(repr=False)
    ecg: CompleteECG | None = field(default=None, repr=False)


def read_files(
    files: Sequence[tuple[int, Path]], question: Question, *, whatever: bool = False
) -> Iterator[Outcome]:
    """Every recording of `files`, in their order.

    A recording that cannot be read is an outcome too; a wrong prompt, set or model is raised, and
    so is what was told of tables, when the last file is open and none was one. With `whatever`, a
    fault that nobody foresaw is the outcome of its file as well, and ends nothing.
    """
    # Loaded when it is first needed: a broken file is told of at once.
    asked, explorer = question.asked, cache(partial(_loaded, question.checkpoint))
    for number, path, opening in _ahead(files, question.told):
        ecg = None
        try:
            ecg = opening.result()
            if question.told and (number, path) == files[-1]:
                question.told.refuse_unneeded()
            result = explorer().read(ecg, asked, start_s=question.start_s, tau=question.tau)
        except RecordingError as error:
            result = error
        except Exception as error:
            if not whatever or isinstance(error, FocalError):
                raise
            result = _unforeseen(error)
        yield Outcome(number, result, path, ecg)


def opened_together(files: Sequence[str], told: Told | None) -> list[CompleteECG]:
    """The recordings of a command that needs all of them.

    What was told of tables is refused where none of them is one.
    """
    found = [opened(Path(file), told) for file in files]
    if told:
        told.refuse_unneeded()
    return found


def opened(path: Path, told: Told | None) -> CompleteECG:
    """The recording at a place, parsed within limits; of mere numbers with what was told."""
    try:
        return completed(READERS.read([path]))
    except SignalUnknown as unknown:
        if told is None:
            raise
        return completed(told.made(unknown.table))


def _ahead(
    files: Sequence[tuple[int, Path]], told: Told | None
) -> Iterator[tuple[int, Path, Future[CompleteECG]]]:
    """Every file with its recording, while the next ones are being opened."""
    pool, waiting = ThreadPoolExecutor(AHEAD), deque[tuple[int, Path, Future[CompleteECG]]]()
    try:
        for number, path in files:
            waiting.append((number, path, pool.submit(opened, path, told)))
            if len(waiting) > AHEAD:
                yield waiting.popleft()
        yield from waiting
    finally:
        pool.shutdown(cancel_futures=True)  # what is being read leaves nothing behind


def _unforeseen(error: Exception) -> RecordingError:
    name = str(error) if isinstance(error, ReaderFailed) else type(error).__name__
    return RecordingError(
        f"found a file whose reading ended with a {name}, which nobody foresaw; "
        "read it alone to see more, and export it again if it is damaged."
    )


def _loaded(checkpoint: str | None) -> "Explorer":
    from focal_app.explore.reading.explorer import Explorer

    return Explorer.load(checkpoint)
