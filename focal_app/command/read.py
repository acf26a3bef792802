"""Reads one file after another with one model, which is loaded when the first file is open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from focal_app.ecg.files import read_recording
from focal_app.ecg.tables.question import SignalQuestion
from focal_app.ecg.wfdb_files import HEADER_SUFFIX, SIGNAL_SUFFIXES
from focal_app.errors import RecordingError
from focal_app.explore.reading.prompts import EVERYDAY, cleaned, prompt_set
from focal_app.explore.reading.reading import Reading

if TYPE_CHECKING:
    from focal_app.explore.reading.explorer import Explorer


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of every recording; `prompts` replace the everyday set or add to another."""

    prompts: tuple[str, ...] = ()
    prompt_set: str | None = None
    checkpoint: str | None = None
    start_s: float = 0.0
    tau: float | None = None
    signal: SignalQuestion | None = None

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """All prompts, each once; a `PromptError` for one that cannot be asked."""
        named = self.prompt_set or (None if self.prompts else EVERYDAY)
        chosen = prompt_set(named).prompts if named else ()
        return tuple(dict.fromkeys(cleaned([*chosen, *self.prompts])))


@dataclass(frozen=True)
class Outcome:
    """The reading of a recording, or why there is none.

    `file` counts the FILEs of the command line from 1: a name could identify a patient.
    """

    file: int
    result: Reading | RecordingError


def read_files(files: Sequence[str], question: Question) -> Iterator[Outcome]:
    """Every recording of `files`, in their order; both files of a pair count as one.

    A recording that cannot be read is an outcome too; a wrong prompt, set or model is raised.
    """
    asked, model = question.asked, _Model(question.checkpoint)
    for number, path in _recordings(files):
        try:
            ecg = read_recording([path], asked=question.signal)
            reading = model.explorer.read(ecg, asked, start_s=question.start_s, tau=question.tau)
            yield Outcome(number, reading)
        except RecordingError as error:
            yield Outcome(number, error)


class _Model:
    """A checkpoint that is loaded when it is first needed: a broken file is told of at once."""

    def __init__(self, checkpoint: str | None) -> None:
        self._checkpoint = checkpoint

    @cached_property
    def explorer(self) -> "Explorer":
        from focal_app.explore.reading.explorer import Explorer

        return Explorer.load(self._checkpoint)


def _recordings(files: Sequence[str]) -> Iterator[tuple[int, Path]]:
    """The first FILE of every recording with its place, so that `folder/*` names each once."""
    known: set[Path] = set()
    for number, path in enumerate(map(Path, files), start=1):
        pair = path.suffix.lower() in (HEADER_SUFFIX, *SIGNAL_SUFFIXES)
        stem = path.with_suffix("") if pair else path
        if stem not in known:
            known.add(stem)
            yield number, path
