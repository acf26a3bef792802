"""Answers on disk under the hash of what was asked: asked once, never again.

    with Answers.open(out / "answers.jsonl") as answers:
        answers.put(key, text), answers.texts[key]

The file only grows, a line an answer, each written in one piece: kill -9 loses none that `put`
returned from, a power cut at most those of the last second. What a kill or a full disk cut off is
taken away when the file is opened again. One process writes at a time. The key of a question holds
all that its answer depends on: tags and prompts (they are its texts), seed, backend, model,
settings.
"""

import errno
import fcntl
import json
import logging
import os
import time
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Self

from focal_app.errors import ConfigError
from train.enrich.backends.protocol import Backend
from train.enrich.prompts import Conversation, digest

SYNC_EVERY_S = 1.0

_log = logging.getLogger(__name__)


def key_of(asked: Conversation, backend: Backend, prompt_hash: str) -> str:
    """Under what an answer is kept."""
    question = (asked.tags, asked.texts, asked.seed, asked.structured, asked.temperature)
    return digest(question, backend.name, backend.model, prompt_hash)


@dataclass
class Answers:
    """The answers of a file by key; one process at a time holds it."""

    file: FileIO
    texts: dict[str, str]
    synced: float = 0.0

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read a file of answers, or begin it, and keep other processes out."""
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise ConfigError(
                f"found another run that writes {path.name} of {path.parent.name}; one at a time "
                "may. Wait for it, or give another --out."
            ) from error
        return cls(file, _read(file))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self.file:
            os.fsync(self.file)

    def put(self, key: str, text: str) -> None:
        """Keep an answer: whole on the disk, or not at all."""
        end = self.file.seek(0, os.SEEK_END)
        line = json.dumps({"key": key, "text": text}).encode() + b"\n"
        try:
            if self.file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._sync()
        except OSError as error:
            self.file.truncate(end)
            raise ConfigError(
                f"an answer could not be written ({error.strerror}); what was answered before is "
                "kept. Make room and run the same command again."
            ) from error
        self.texts[key] = text

    def _sync(self) -> None:
        if time.monotonic() - self.synced > SYNC_EVERY_S:
            os.fsync(self.file)
            self.synced = time.monotonic()


def _read(file: FileIO) -> dict[str, str]:
    """The whole lines; a last one without its end is cut off, an unreadable one counts as none."""
    file.seek(0)
    *lines, rest = file.readall().split(b"\n")
    if rest:
        file.truncate(file.tell() - len(rest))
    texts: dict[str, str] = {}
    unreadable = 0
    for line in lines:
        try:
            kept = json.loads(line)
            texts[kept["key"]] = kept["text"]
        except (ValueError, KeyError, TypeError):
            unreadable += 1
    if unreadable:
        _log.warning("%d unreadable line(s) among the kept answers: asked again", unreadable)
    return texts
