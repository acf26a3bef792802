"""Claims about fetching open recordings: from a server of the test's own."""

import asyncio
import gzip
import hashlib
import shutil
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from focal_app.__main__ import main
from focal_app.ecg.archives.ptbxl import PtbXlRow, read_ptbxl
from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery import Gallery, download
from focal_app.explore.cases.gallery.download import DATABASE, SUMS, TABLE, balanced, fetch
from focal_app.explore.reading.bundled_cases import CASES
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen, patient

CODES = ("NORM", "AFIB", "CLBBB", "IMI")
HEAD = "ecg_id,patient_id,age,sex,report,scp_codes,strat_fold,filename_hr"
MADE = 8


def name_of(number: int) -> str:
    return f"records500/00000/{number:05d}_hr"


SILENT_S = 60
HOSTILE = {}
"""What is answered in place of a file, by its name."""


def endless(server: BaseHTTPRequestHandler) -> None:
    server.send_response(200)
    server.end_headers()
    with suppress(OSError):
        while True:
            server.wfile.write(b"\0" * 65536)


def swelling(server: BaseHTTPRequestHandler) -> None:
    packed = gzip.compress(b"\0" * 50_000_000)
    server.send_response(200)
    server.send_header("Content-Encoding", "gzip")
    server.send_header("Content-Length", str(len(packed)))
    server.end_headers()
    with suppress(OSError):
        server.wfile.write(packed)


def silent(server: BaseHTTPRequestHandler) -> None:
    time.sleep(SILENT_S)


def dripping(server: BaseHTTPRequestHandler) -> None:
    server.send_response(200)
    server.end_headers()
    with suppress(OSError):
        for _ in range(10 * SILENT_S):
            server.wfile.write(b".")
            time.sleep(0.1)


def dripping_raw(begun: bytes, drop: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
    """An answer written as it stands, that then goes on drop by drop."""

    def dripping(server: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            server.wfile.write(begun)
            for _ in range(10 * SILENT_S):
                server.wfile.write(drop)
                time.sleep(0.1)

    return dripping


SAID = b"HTTP/1.1 200 OK\r\n"
CHUNKED = SAID + b"Transfer-Encoding: chunked\r\n\r\n"
DRIPPING = {
    "a chunk": dripping_raw(CHUNKED + b"ffffff\r\n", b"."),
    "a chunk's length": dripping_raw(CHUNKED, b"0"),
    "what follows the chunks": dripping_raw(CHUNKED + b"0\r\n", b"a: b\r\n"),
    "a header": dripping_raw(SAID + b"a: ", b"."),
    "the status": dripping_raw(b"", b"H"),
    "a promise to go on": dripping_raw(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


class _Server(BaseHTTPRequestHandler):
    """Files of a folder, whole or from a byte on, as PhysioNet serves them; what was asked."""

    asked: list[str]

    def __init__(self, folder: Path, asked: list[str], *rest) -> None:
        self.folder, self.asked = folder, asked
        super().__init__(*rest)

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        part = self.headers.get("Range", "")
        self.asked.append(f"{self.path.removeprefix('/files/')} {part}".strip())
        path = self.folder / self.path.lstrip("/")
        if hostile := HOSTILE.get(path.name):
            hostile(self)
            return
        if not path.is_file():
            self.send_error(404)
            return
        whole = path.read_bytes()
        first = int(part.removeprefix("bytes=").partition("-")[0]) if part else 0
        sent = whole[first:]
        self.send_response(206 if part else 200)
        if part:
            self.send_header("Content-Range", f"bytes {first}-{len(whole) - 1}/{len(whole)}")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        if body:
            self.wfile.write(sent)

    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def published(tmp_path) -> Path:
    """A data set as it is published: made recordings, the table, the licence, the sums."""
    folder = tmp_path / "server" / "files" / DATABASE
    lines = [HEAD]
    for number in range(MADE):
        header = folder / f"{name_of(number)}.hea"
        header.parent.mkdir(parents=True, exist_ok=True)
        text = (CASES / "normal.hea").read_text()
        header.write_text(
            text.replace("normal.dat", f"{number:05d}_hr.dat").replace(
                "normal ", f"{number:05d}_hr ", 1
            )
        )
        shutil.copy(CASES / "normal.dat", header.with_suffix(".dat"))
        codes = {CODES[number % 4]: 100.0, "SR": 0.0}
        lines.append(f'{number},{number},60,1,text,"{codes}",1,{name_of(number)}')
    lines.append(f'90,90,60,1,text,"{{}}",1,{name_of(90)}')
    lines.append("91,91,60,1,text,\"{'NORM': 100.0}\",1,../../outside")
    (folder / TABLE).write_text("\n".join(lines) + "\n")
    (folder / "LICENSE.txt").write_text("CC BY 4.0\n")
    sum_up(folder)
    return folder


def sum_up(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != SUMS]
    told = [
        f"{hashlib.sha256(p.read_bytes()).hexdigest()} {p.relative_to(folder).as_posix()}"
        for p in sorted(files)
    ]
    (folder / SUMS).write_text("\n".join(told) + "\n")


@pytest.fixture
def server(published):
    """The address of the server, and what it was asked for."""
    asked: list[str] = []
    made = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Server, published.parents[2], asked))
    Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}/files/", asked
    made.shutdown()
    made.server_close()


def test_recordings_are_fetched_where_an_event_loop_runs_already(server, tmp_path):
    async def notebook() -> int:
        return len(fetch(tmp_path, cases=2, say=str, base=server[0]).rows)

    with ThreadPoolExecutor(1) as own:
        assert own.submit(asyncio.run, notebook()).result() == 2


def test_a_gallery_is_fetched_and_built_by_one_command(
    server, published, tiny_checkpoint, tmp_path, capsys
):
    base, _ = server
    out, data = tmp_path / "gallery", tmp_path / "recordings"
    options = ["--out", str(out), "--data", str(data), "--from", base]
    asked = ["gallery", "build", "--source", "ptb-xl", "--download", "--cases", "4", *options]
    checkpoint = shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint")
    everybody = [patient("ptb-xl", str(row.patient_id)) for row in read_ptbxl(published)]
    Seen.of(everybody, []).save(checkpoint)
    assert main([*asked, "--checkpoint", str(checkpoint)]) == 0
    said = capsys.readouterr()
    assert "In 4 of 4 cases the model was trained on ECGs of the same patient." in said.out
    assert "fetched 4 of 4 recordings" in said.err
    assert "4 recordings lie there; of 10 listed 2 have no" in said.err
    assert "PTB-XL: 4 cases" in said.out and f"FOCAL_GALLERY={out}" in said.out
    assert "CC BY 4.0" in said.out and "Wagner" in said.out
    gallery = Gallery.open(out, Focal.load(checkpoint))
    assert all(case.facts.trained for case in gallery)
    assert {tag for case in gallery for tag in case.facts.labels} >= {
        "normal ECG",
        "atrial fibrillation",
        "complete left bundle branch block",
        "inferior myocardial infarction",
    }
    card = (out / "README.md").read_text()
    assert "license: cc-by-4.0" in card and "doi:10.13026/kfzx-aw45" in card
    assert not gallery.simulated


def test_every_statement_is_fetched_as_often_and_no_patient_twice():
    def row(number: int, codes: tuple[str, ...]) -> PtbXlRow:
        found = dict.fromkeys(codes, 100.0)
        return PtbXlRow(number, number // 2, 60, None, "", found, 1, name_of(number))

    rows = [row(i, ("NORM",)) for i in range(200)]
    rows += [row(1000 * k + i, (CODES[k],)) for k in (1, 2, 3) for i in range(0, 40, 2)]
    chosen = balanced(rows, 40)
    assert len(chosen) == 40 and len({one.patient_id for one in chosen}) == 40
    assert balanced(rows, 40) == chosen
    counts = Counter(code for one in chosen for code in one.codes)
    assert set(counts.values()) == {10}
    assert len(balanced(rows, 10_000)) == len({one.patient_id for one in rows})


def test_what_lies_there_is_not_asked_for_again_and_what_broke_off_goes_on(
    server, published, tmp_path
):
    base, asked = server
    first = fetch(tmp_path / "here", cases=6, base=base, say=print)
    before = len(asked)
    assert fetch(tmp_path / "here", cases=6, base=base, say=print) == first
    assert len(asked) == before
    signal = tmp_path / "here" / f"{first.rows[0].file}.dat"
    whole = signal.read_bytes()
    signal.write_bytes(whole[:1000])
    again = fetch(tmp_path / "here", cases=6, base=base, say=print)
    assert again == first and signal.read_bytes() == whole
    parts = [one for one in asked[before:] if "bytes=" in one]
    assert all(first.rows[0].file in one for one in asked[before:])
    assert any("bytes=1000-" in one for one in parts)


def test_what_is_not_as_published_is_left_out_counted_and_deleted(server, published, tmp_path):
    base, asked = server
    (published / f"{name_of(1)}.dat").write_bytes(b"something else")
    (published / f"{name_of(2)}.hea").unlink()
    found = fetch(tmp_path / "here", cases=MADE, base=base, say=print)
    assert dict(found.left_out) == {download.NOT_AS_PUBLISHED: 1, download.NOT_THERE: 1}
    assert {row.ecg_id for row in found.rows} == set(range(MADE)) - {1, 2}
    assert not (tmp_path / "here" / f"{name_of(1)}.dat").exists()
    assert not any("outside" in one for one in asked), "no path of the table leaves the folder"


def test_a_file_of_the_right_size_and_other_content_is_fetched_again(server, tmp_path):
    base, _ = server
    found = fetch(tmp_path / "here", cases=2, base=base, say=print)
    signal = tmp_path / "here" / f"{found.rows[0].file}.dat"
    whole = signal.read_bytes()
    signal.write_bytes(b"\0" * len(whole))
    fetch(tmp_path / "here", cases=2, base=base, say=print)
    assert signal.read_bytes() == whole


def test_without_a_network_it_says_what_to_do(server, published, tmp_path, capsys):
    base, _ = server
    fetch(tmp_path / "here", cases=2, base=base, say=print)
    nowhere = "http://127.0.0.1:9/files/"
    asked = ["gallery", "build", "--source", "ptb-xl", "--download", "--from", nowhere]
    where = ["--data", str(tmp_path / "new"), "--out", str(tmp_path / "out")]
    capsys.readouterr()
    assert main([*asked, *where]) == 2
    said = capsys.readouterr()
    assert "cannot reach 127.0.0.1" in said.err and "when the network is there" in said.err
    assert said.err.count("\n") == 1 and not (tmp_path / "out").exists()
    kept = fetch(tmp_path / "here", cases=2, base=nowhere, say=print)
    assert len(kept.rows) == 2, "what is whole asks for nothing"


@pytest.mark.parametrize("spoilt", [SUMS, TABLE])
def test_a_server_of_something_else_is_refused(spoilt, server, published, tmp_path):
    base, _ = server
    (published / spoilt).write_text("<html>Please sign in</html>")
    with pytest.raises(GalleryError, match="as it is"):
        fetch(tmp_path / "here", cases=2, base=base, say=print)
    assert not (tmp_path / "here" / spoilt).exists()


@pytest.fixture
def hostile(monkeypatch):
    """What the server answers in place of files, and limits that a test can wait for."""
    monkeypatch.setattr(download, "LARGEST", 4_000_000)
    monkeypatch.setattr(download, "LONGEST_S", 2.0)
    monkeypatch.setattr(download, "PAUSE_S", 1.5)
    yield HOSTILE
    HOSTILE.clear()


@pytest.mark.parametrize("answer", [endless, swelling, dripping])
def test_a_file_without_end_is_broken_off_left_out_and_counted(answer, server, hostile, tmp_path):
    base, _ = server
    hostile["00001_hr.dat"] = answer
    start = time.monotonic()
    found = fetch(tmp_path / "here", cases=MADE, base=base, say=print)
    assert dict(found.left_out) == {download.ENDLESS: 1}
    assert {row.ecg_id for row in found.rows} == set(range(MADE)) - {1}
    assert time.monotonic() - start < 20
    assert not (tmp_path / "here" / f"{name_of(1)}.dat").exists()


@pytest.mark.parametrize("answer", [endless, swelling, dripping])
@pytest.mark.parametrize("file", [SUMS, TABLE])
def test_a_table_without_end_is_refused(file, answer, server, hostile, tmp_path):
    base, _ = server
    hostile[file] = answer
    with pytest.raises(GalleryError, match="larger than any file"):
        fetch(tmp_path / "here", cases=2, base=base, say=print)
    assert not (tmp_path / "here" / file).exists()


@pytest.mark.parametrize("dripping", DRIPPING.values(), ids=DRIPPING)
def test_no_part_of_an_answer_outlasts_the_limit(dripping, server, hostile, tmp_path):
    base, _ = server
    hostile[TABLE] = dripping
    start = time.monotonic()
    with pytest.raises(GalleryError, match="too slow"):
        fetch(tmp_path / "here", cases=2, base=base, say=print)
    assert time.monotonic() - start < SILENT_S / 3


@pytest.mark.parametrize("to", ["http://[::/", "file:///etc/passwd", "http://\xff\0/"])
def test_a_server_that_sends_on_to_no_address_is_refused(to, server, hostile, tmp_path):
    base, _ = server

    def sends_on(server: BaseHTTPRequestHandler) -> None:
        server.send_response(302)
        server.send_header("Location", to)
        server.end_headers()

    hostile[TABLE] = sends_on
    with pytest.raises(GalleryError, match="cannot reach"):
        fetch(tmp_path / "here", cases=2, base=base, say=print)


def test_a_server_that_falls_silent_is_not_waited_for(server, hostile, tmp_path):
    base, _ = server
    hostile[TABLE] = silent
    start = time.monotonic()
    with pytest.raises(GalleryError, match="cannot reach"):
        fetch(tmp_path / "here", cases=2, base=base, say=print)
    assert time.monotonic() - start < SILENT_S / 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--source", "csn", "--download"], "PTB-XL is what can be fetched"),
        (["--source", "ptb-xl", "--download", "--cases", "0"], "1 case or more"),
        (["--source", "ptb-xl", "--cases", "5"], "--cases without --download"),
        (["--source", "ptb-xl", "--from", "http://x/"], "--from without --download"),
        (["--source", "ptb-xl", "--download", "--from", "file:///etc/"], "http:// or https://"),
        (["--source", "ptb-xl"], "--data"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(options, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["gallery", "build", *options]) == 2
    assert said in capsys.readouterr().err
