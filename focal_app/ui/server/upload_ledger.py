"""What is known of the uploads on the disk: whose they are, how large, and who still needs them.

An upload goes when it has been read, when what named it is refused, and after a short while when
nothing names it. Everything here runs on the server's one event loop.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from focal_app.ui.server import wording

LONGEST_PATH = 4096
_APART = re.compile("[0-9a-f]{64}")
"""The folder of each file, named by a digest."""


@dataclass(frozen=True)
class Limits:
    """What may wait on the disk. All behind one address, such as a class, are one visitor."""

    upload_bytes: int = 100_000_000
    upload_files: int = 32
    visitor_bytes: int = 1_000_000_000
    visitor_files: int = 1_000
    folder_bytes: int = 2_000_000_000
    folder_files: int = 4_000
    unclaimed_s: float = 120.0


class Crowded(Exception):
    """An upload for which there is no room; the message is for the visitor."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


@dataclass(frozen=True)
class _Held:
    visitor: str
    size: int


@dataclass(eq=False)
class Receipt:
    """One upload under way; `size` is what it may come to."""

    visitor: str
    size: int
    ledger: "Ledger" = field(repr=False)
    temporary: list[Path] = field(default_factory=list)

    def begins(self, file: Path) -> None:
        """A file of it begins; `Crowded` where that is one too many."""
        self.temporary.append(file)
        if len(self.temporary) > self.ledger.limits.upload_files:
            raise Crowded(413, wording.too_many_files(self.ledger.limits.upload_files))
        self.ledger.check(self.visitor)


class Ledger:
    """The uploads in one folder."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.folder = folder
        self.limits = limits or Limits()
        self._held: dict[Path, _Held] = {}
        self._under_way: set[Receipt] = set()
        self._in_use: Counter[Path] = Counter()

    def own(self, path: object) -> Path | None:
        """The file of an upload that this path names, be it there or not; None for all others."""
        if not isinstance(path, str) or "\0" in path or len(path) > LONGEST_PATH:
            return None
        file = Path(path)
        apart, name = file.parent, file.name
        plain = str(file) == path and apart.parent == self.folder and name not in {"", ".."}
        return file if plain and _APART.fullmatch(apart.name) else None

    def begin(self, visitor: str, size: int | None) -> Receipt:
        """An upload of so many bytes begins; `Crowded` where too much waits already."""
        limits = self.limits
        if size is not None and size > limits.upload_bytes:
            raise Crowded(413, wording.upload_too_large(limits.upload_bytes))
        receipt = Receipt(visitor, limits.upload_bytes if size is None else size, self)
        self._under_way.add(receipt)
        try:
            self.check(visitor)
        except Crowded:
            self._under_way.discard(receipt)
            raise
        return receipt

    def check(self, visitor: str) -> None:
        """`Crowded` where more waits than may, of this visitor or of all."""
        limits = self.limits
        mine = [one for one in self._held.values() if one.visitor == visitor]
        coming = [one for one in self._under_way if one.visitor == visitor]
        if _exceeds(mine, coming, files=limits.visitor_files, size=limits.visitor_bytes):
            raise Crowded(429, wording.too_much_waits(limits.unclaimed_s))
        everything = self._held.values(), self._under_way
        if _exceeds(*everything, files=limits.folder_files, size=limits.folder_bytes):
            raise Crowded(503, wording.folder_full(limits.unclaimed_s))

    def end(self, receipt: Receipt, stored: Collection[Path] = ()) -> None:
        """An upload is over: what was stored is held, and all else deleted."""
        self._under_way.discard(receipt)
        for file in receipt.temporary:
            file.unlink(missing_ok=True)
        for file in stored:
            with suppress(OSError):
                self._held[file] = _Held(receipt.visitor, file.stat().st_size)
        if not stored:
            self._delete_empty()

    def _delete_empty(self) -> None:
        """Deletes folders that an upload got which then failed; a folder is filled in one step."""
        for apart in self.folder.iterdir():
            with suppress(OSError):
                apart.rmdir()

    def use(self, files: Collection[Path]) -> None:
        """A handler begins that was given these files."""
        self._in_use.update(files)

    def used(self, files: Collection[Path], *, delete: bool) -> None:
        """The handler is over; where it will not go on, the files are deleted."""
        self._in_use -= Counter(files)
        if delete:
            self.delete(files)

    def delete(self, files: Iterable[Path]) -> None:
        """Deletes files and the folder of each, and knows them no longer."""
        for file in files:
            self._held.pop(file, None)
            delete_upload(file)

    def needed(self, waiting: Iterable[Path] = ()) -> set[Path]:
        """The files that are not to be deleted, however long they lie there.

        Of a visitor who sends on, a first file waits for the last.
        """
        sending = {one.visitor for one in self._under_way}
        theirs = {file for file, one in self._held.items() if one.visitor in sending}
        begun = {file for one in self._under_way for file in one.temporary}
        return {*waiting, *self._in_use, *theirs, *begun}

    def recount(self) -> None:
        """Knows no longer what others have deleted."""
        for file in list(self._held):
            if not file.exists():
                del self._held[file]


def _exceeds(
    held: Collection[_Held], coming: Collection[Receipt], *, files: int, size: int
) -> bool:
    many = len(held) + sum(len(one.temporary) for one in coming)
    return many > files or sum(one.size for one in (*held, *coming)) > size


def delete_upload(file: Path) -> None:
    """Deletes an upload and the folder that the server made for it."""
    with suppress(OSError):
        file.unlink(missing_ok=True)
    with suppress(OSError):  # another file may lie beside it
        file.parent.rmdir()
