"""Open recordings of PTB-XL, fetched from PhysioNet: balanced, checked, and gone on with.

fetched = fetch(Path("recordings"), cases=500, say=log.info)
fetched.rows         # recordings that lie there as published
fetched.left_out     # how many could not be had, by why

Every file is held against the SHA-256 that the data set publishes; one that lies there and fits is
not asked for again, one that was broken off is gone on with. What a server sends is bounded in
size and time.
"""

import asyncio
import hashlib
import itertools
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np

from focal_app.ecg.archives.ptbxl import TABLE, PtbXlRow, read_ptbxl
from focal_app.errors import GalleryError
from focal_app.lexicon import load_lexicon

BASE, DATABASE = "https://physionet.org/files/", "ptb-xl/1.0.3"
SUMS, LICENCE = "SHA256SUMS.txt", "LICENSE.txt"
AT_ONCE = 2
"""Connections: few, so as not to burden the server."""
LARGEST, LONGEST_S = 64_000_000, 600.0
"""Bytes of an answer once unpacked, and how long it may take: the largest table of PTB-XL has some
10 MB."""
CONNECT_S, PAUSE_S = 15.0, 30.0
"""How long a server may take to answer a call, and to go on."""
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

    `say` is told how far it is. A `GalleryError` where the server cannot be reached, or is none of
    this data set.
    """
    if urlsplit(base).scheme not in ("http", "https"):
        raise GalleryError(f"found the address {base[:100]!r}; needed one of http:// or https://")
    folder.mkdir(parents=True, exist_ok=True)
    fetched = _fetched(folder, base, cases, say)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(fetched)
    with ThreadPoolExecutor(1) as own:  # that of a notebook has an event loop already
        return own.submit(asyncio.run, fetched).result()


async def _fetched(folder: Path, base: str, cases: int, say: Callable[[str], None]) -> Fetched:
    limits = httpx.Timeout(PAUSE_S, connect=CONNECT_S)
    turns, done = asyncio.Semaphore(AT_ONCE), itertools.count(1)
    async with httpx.AsyncClient(timeout=limits) as client:
        files = _Files(folder, base, client)
        files.sums = await _sums(files)
        for name in (TABLE, LICENCE):
            if why := await files.have(name):
                raise GalleryError(
                    f"found {name} {why} at {base}; needed {DATABASE} as it is published"
                )
        rows = list(read_ptbxl(folder))
        usable = [row for row in rows if _tags(row) and _RECORD.fullmatch(row.file)]
        chosen = balanced(usable, cases)

        async def record(row: PtbXlRow) -> str:
            async with turns:
                why = await files.record(row)
            number = next(done)
            if number % SAID_EVERY == 0 or number == len(chosen):
                say(f"fetched {number} of {len(chosen)} recordings")
            return why

        reasons = await asyncio.gather(*map(record, chosen))
    had = tuple(row for row, why in zip(chosen, reasons, strict=True) if not why)
    return Fetched(had, Counter(filter(None, reasons)), len(rows), len(usable))


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


@dataclass
class _Files:
    """The files of the data set below a folder, from where they come, and what each has to be."""

    folder: Path
    base: str
    client: httpx.AsyncClient
    sums: Mapping[str, str] = field(default_factory=dict)

    async def record(self, row: PtbXlRow) -> str:
        """Header and signal of a recording; why they could not be had, or nothing."""
        return await self.have(f"{row.file}.hea") or await self.have(f"{row.file}.dat")

    async def have(self, name: str) -> str:
        """One file, as it is published; why it could not be had, or nothing."""
        if name not in self.sums:
            return NO_SUM
        for _ in range(TRIES):
            if self._fits(name):
                return ""
            if why := await self.get(name):
                return why
            if self._fits(name):
                return ""
            (self.folder / name).unlink(missing_ok=True)
        return NOT_AS_PUBLISHED

    async def get(self, name: str) -> str:
        """One file, gone on with where it lies there in part; why it could not be had, or nothing.

        A `GalleryError` where the server cannot be reached.
        """
        try:
            async with asyncio.timeout(LONGEST_S):
                return await self._get(name)
        except TimeoutError:
            return ENDLESS
        except (httpx.HTTPError, httpx.InvalidURL, ExceptionGroup, OverflowError) as error:
            raise GalleryError(
                f"cannot reach {urlsplit(self.base).hostname} ({type(error).__name__}); what is "
                "fetched stays. Run the same command again when the network is there, or name "
                "recordings that you have with --data, without --download"
            ) from error

    async def _get(self, name: str) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = {"Range": f"bytes={path.stat().st_size}-"} if path.is_file() else {}
        address = posixpath.join(self.base, DATABASE, name)
        request = self.client.build_request("GET", address, headers=part)
        for _ in range(self.client.max_redirects):
            async with aclosing(await self.client.send(request, stream=True)) as answer:
                if answer.next_request is None:
                    return await _written(answer, path)
                request = answer.next_request
        raise httpx.TooManyRedirects("sent on without end", request=request)

    def _fits(self, name: str) -> bool:
        path = self.folder / name
        if not path.is_file():
            return False
        return hashlib.sha256(path.read_bytes()).hexdigest() == self.sums[name]


async def _written(answer: httpx.Response, path: Path) -> str:
    """Writes what was sent; why that was no file, or nothing."""
    if answer.status_code == httpx.codes.NOT_FOUND:
        return NOT_THERE
    beyond = answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE
    if not answer.is_success:
        return "" if beyond else FAILED
    content = bytearray()
    async for some in answer.aiter_bytes():
        content += some
        if len(content) > LARGEST:
            return ENDLESS
    with path.open("ab" if answer.status_code == httpx.codes.PARTIAL_CONTENT else "wb") as file:
        file.write(content)
    return ""


async def _sums(files: _Files) -> dict[str, str]:
    """The published checksum of every file."""
    path, base = files.folder / SUMS, files.base
    if not path.is_file() and (why := await files.get(SUMS)):
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
