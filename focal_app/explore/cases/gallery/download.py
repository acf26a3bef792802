"""Open recordings of PTB-XL, fetched by wfdb's own client: balanced, checked, and gone on with.

fetched = fetch(Path("recordings"), cases=500, say=log.info)
fetched.rows         # recordings that lie there as published
fetched.left_out     # how many could not be had, by why

Every file is held against the SHA-256 that the data set publishes; one that lies there and fits is
not asked for again, one that was broken off is gone on with. What a server sends is bounded in
size and time (`bounded_http`).
"""

import contextlib
import hashlib
import io
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from focal_app.ecg.archives.ptbxl import TABLE, PtbXlRow, read_ptbxl
from focal_app.errors import GalleryError
from focal_app.lexicon import load_lexicon

BASE, DATABASE = "https://physionet.org/files/", "ptb-xl/1.0.3"
SUMS, LICENCE = "SHA256SUMS.txt", "LICENSE.txt"
AT_ONCE = 2
"""Connections: what wfdb keeps to, so as not to burden the server."""
TRIES, SAID_EVERY = 2, 25
_SUM = re.compile(r"([0-9a-f]{64}) [ *]?(\S+)")
_RECORD = re.compile(r"records500/\d{5}/\d{5}_hr")
"""Nothing else of the table becomes a path or a part of an address."""
NOT_THERE, NOT_AS_PUBLISHED = "not on the server", "not as published (checksum)"
NO_SUM, FAILED = "without a published checksum", "refused by the server"
ENDLESS = "larger than any file of the data set, or too slow"


@dataclass(frozen=True)
class Fetched:
    """Rows of recordings that lie there whole, and how many others could not be had, by why.

    `listed` counts the table, `usable` those of it with a statement that the lexicon knows and a
    file named as all are.
    """

    rows: tuple[PtbXlRow, ...]
    left_out: Mapping[str, int]
    listed: int
    usable: int


def fetch(folder: Path, *, cases: int, say: Callable[[str], None], base: str = BASE) -> Fetched:
    """As many recordings as asked, with the table and the licence, in the official layout.

    `say` is told how far it is, and must not print to the output, which is wfdb's meanwhile. A
    `GalleryError` where the server cannot be reached, or is none of this data set.
    """
    if urlsplit(base).scheme not in ("http", "https"):
        raise GalleryError(f"found the address {base[:100]!r}; needed one of http:// or https://")
    folder.mkdir(parents=True, exist_ok=True)
    with _asking(base):
        files = _Files(folder, _sums(folder, base))
        for name in (TABLE, LICENCE):
            if why := _told(base, files.have, name):
                raise GalleryError(
                    f"found {name} {why} at {base}; needed {DATABASE} as it is published"
                )
        rows = list(read_ptbxl(folder))
        usable = [row for row in rows if _tags(row) and _RECORD.fullmatch(row.file)]
        chosen = balanced(usable, cases)
        had, left_out = [], Counter[str]()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = pool.map(lambda row: _told(base, files.record, row), chosen)
            for number, (row, why) in enumerate(zip(chosen, found, strict=True), 1):
                left_out.update([why] if why else [])
                had += [] if why else [row]
                if number % SAID_EVERY == 0 or number == len(chosen):
                    say(f"fetched {number} of {len(chosen)} recordings")
    return Fetched(tuple(had), left_out, len(rows), len(usable))


def balanced(rows: Sequence[PtbXlRow], count: int, *, seed: int = 0) -> list[PtbXlRow]:
    """So many recordings, one a patient: the statement with the fewest so far gives the next."""
    order = np.random.default_rng(seed).permutation(len(rows))
    waiting: dict[str, list[PtbXlRow]] = defaultdict(list)
    for place in order:
        for tag in _tags(rows[place]):
            waiting[tag].append(rows[place])
    chosen, held, patients = [], Counter[str](), set[int]()
    while waiting and len(chosen) < count:
        tag = min(waiting, key=lambda one: (held[one], one))
        row = waiting[tag].pop()
        if not waiting[tag]:
            del waiting[tag]
        if row.patient_id not in patients:
            chosen.append(row)
            patients.add(row.patient_id)
            held.update(_tags(row))
    return chosen


def _tags(row: PtbXlRow) -> set[str]:
    found = map(load_lexicon().of_scp, row.codes)
    return {statement.tag for statement in found if statement}


@dataclass(frozen=True)
class _Files:
    """The files of the data set below a folder, and what each has to be."""

    folder: Path
    sums: Mapping[str, str]

    def record(self, row: PtbXlRow) -> str:
        """Header and signal of a recording; why they could not be had, or nothing."""
        return self.have(f"{row.file}.hea") or self.have(f"{row.file}.dat")

    def have(self, name: str) -> str:
        """One file, as it is published; why it could not be had, or nothing."""
        if name not in self.sums:
            return NO_SUM
        path = self.folder / name
        for _ in range(TRIES):
            if self._fits(name):
                return ""
            get(self.folder, name)
            if self._fits(name):
                return ""
            path.unlink(missing_ok=True)
        return NOT_AS_PUBLISHED

    def _fits(self, name: str) -> bool:
        path = self.folder / name
        if not path.is_file():
            return False
        return hashlib.sha256(path.read_bytes()).hexdigest() == self.sums[name]


def get(folder: Path, name: str) -> None:
    """One file of the data set, by wfdb's own client: what lies there in part is gone on with."""
    from wfdb.io.download import dl_pn_file

    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    where, file = posixpath.split(name)
    dl_pn_file((file, where, DATABASE, str(folder), True, False))


def _sums(folder: Path, base: str) -> dict[str, str]:
    """The published checksum of every file."""
    path = folder / SUMS
    if not path.is_file() and (why := _told(base, lambda name: get(folder, name) or "", SUMS)):
        raise GalleryError(f"found {SUMS} {why} at {base}; needed the files of {DATABASE}")
    found = map(_SUM.fullmatch, path.read_text(encoding="utf-8", errors="replace").splitlines())
    sums = {one[2]: one[1] for one in found if one}
    if TABLE not in sums:
        path.unlink()
        raise GalleryError(
            f"found no checksum of {TABLE} at {base}; needed {SUMS} of {DATABASE} as it is "
            "published. Run this again, or name another server with --from"
        )
    return sums


def _told(base: str, ask: Callable[..., str], what: object) -> str:
    """Why something could not be had; a `GalleryError` where the server cannot be reached."""
    from requests import RequestException
    from wfdb.io._url import NetFileError, NetFileNotFoundError

    from focal_app.explore.cases.gallery.bounded_http import Unbounded

    try:
        return ask(what)
    except Unbounded:
        return ENDLESS
    except NetFileNotFoundError:
        return NOT_THERE
    except NetFileError:
        return FAILED
    except (RequestException, ValueError) as error:  # the latter of an address that is none
        raise GalleryError(
            f"cannot reach {urlsplit(base).hostname} ({type(error).__name__}); what is fetched "
            "stays. Run the same command again when the network is there, or name recordings that "
            "you have with --data, without --download"
        ) from error


@contextlib.contextmanager
def _asking(base: str) -> Iterator[None]:
    """wfdb's client turned to a server, within limits, and what it prints kept off the output."""
    from wfdb.io import _url, download

    from focal_app.explore.cases.gallery.bounded_http import bounded

    before = download.config.db_index_url
    download.set_db_index_url(base)
    try:
        with contextlib.redirect_stdout(io.StringIO()), bounded(_url._get_session()):
            yield
    finally:
        download.set_db_index_url(before)
