"""The ledger of uploads: whose they are, how much may wait, and what grows too old."""

import asyncio
import hashlib
import shutil
import time

import pytest
from starlette.responses import JSONResponse

from focal_app.ui.server.bodies import BodyGate
from focal_app.ui.server.expiry import forget_files
from focal_app.ui.server.upload_ledger import Crowded, Ledger, Limits
from focal_app.ui.server.upload_patch import UNDER_WAY

pytestmark = pytest.mark.slow
SMALL = Limits(
    upload_bytes=100,
    upload_files=3,
    visitor_bytes=250,
    visitor_files=4,
    folder_bytes=400,
    folder_files=6,
)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path, SMALL)


def stored(ledger, name, size=10):
    folder = ledger.folder / hashlib.sha256(name.encode()).hexdigest()
    folder.mkdir()
    (folder / name).write_bytes(b"x" * size)
    return folder / name


def sent(ledger, visitor, *names, size=10):
    receipt = ledger.begin(visitor, size)
    files = [stored(ledger, name, size) for name in names]
    ledger.end(receipt, files)
    return files


def test_a_visitor_whose_files_wait_is_told_and_another_is_not(ledger):
    sent(ledger, "a", "1", "2", "3", "4")
    receipt = ledger.begin("a", 10)
    with pytest.raises(Crowded) as refused:
        receipt.begins(ledger.folder / "tmp")
    assert refused.value.status == 429 and "120 s" in refused.value.sentence
    ledger.end(receipt)
    assert sent(ledger, "b", "5")


def test_bytes_of_a_visitor_are_bounded_those_on_their_way_too(ledger):
    first, second = ledger.begin("a", 100), ledger.begin("a", 100)
    with pytest.raises(Crowded):
        ledger.begin("a", 100)
    ledger.end(first)
    third = ledger.begin("a", None)
    ledger.end(second)
    ledger.end(third)
    assert ledger.begin("a", 100)


def test_the_folder_is_bounded_whoever_comes(ledger):
    for number in range(4):
        ledger.begin(f"visitor {number}", 100)
    with pytest.raises(Crowded) as refused:
        ledger.begin("one more", 10)
    assert refused.value.status == 503


def test_what_is_too_large_or_too_many_is_refused_before_it_comes(ledger):
    with pytest.raises(Crowded, match="larger than"):
        ledger.begin("a", 101)
    receipt = ledger.begin("a", None)
    for number in range(3):
        receipt.begins(ledger.folder / str(number))
    with pytest.raises(Crowded, match="more than 3 files"):
        receipt.begins(ledger.folder / "3")


def test_what_was_deleted_by_others_counts_no_more(ledger):
    for file in sent(ledger, "a", "1", "2", "3", "4"):
        shutil.rmtree(file.parent)
    ledger.recount()
    assert sent(ledger, "a", "5", "6", "7", "8")


def test_what_was_begun_and_not_stored_is_deleted(ledger):
    receipt = ledger.begin("a", 10)
    (ledger.folder / "tmp").write_text("x")
    receipt.begins(ledger.folder / "tmp")
    ledger.end(receipt)
    assert not list(ledger.folder.iterdir())


def test_only_what_nobody_needs_grows_too_old(ledger):
    (claimed,), (used,) = sent(ledger, "a", "1"), sent(ledger, "b", "2")
    (first,), (left,) = sent(ledger, "c", "3"), sent(ledger, "d", "4")
    ledger.use([used])
    ledger.begin("c", 10)
    time.sleep(0.05)
    forget_files(ledger.folder, 0.02, kept=ledger.needed([claimed]))
    assert claimed.exists() and used.exists() and first.exists() and not left.parent.exists()
    ledger.used([used], delete=True)
    assert not used.parent.exists()


def test_an_answer_that_is_not_whole_is_not_told_and_holds_nothing(ledger):
    async def app(scope, receive, send):
        (ledger.folder / "tmp").write_text("x")
        UNDER_WAY.get().begins(ledger.folder / "tmp")
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise OSError

    async def send(message):
        raise AssertionError

    scope = {"type": "http", "method": "POST", "path": "/gradio_api/upload", "headers": []}
    with pytest.raises(OSError):
        asyncio.run(BodyGate(app, ledger=ledger)(scope, None, send))
    assert not list(ledger.folder.iterdir()) and not ledger.needed()


@pytest.mark.parametrize("status", [200, 400])
def test_what_an_upload_leaves_is_settled_before_its_answer_is_told(ledger, status):
    async def app(scope, receive, send):
        (ledger.folder / "tmp").write_text("x")
        UNDER_WAY.get().begins(ledger.folder / "tmp")
        await JSONResponse([], status_code=status)(scope, receive, send)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        assert not list(ledger.folder.iterdir())
        told.append(message["type"])

    told = []
    scope = {"type": "http", "method": "POST", "path": "/gradio_api/upload", "headers": []}
    asyncio.run(BodyGate(app, ledger=ledger)(scope, receive, send))
    assert told == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize("path", ["x", "..", "/", "", 1, None, "a\0b", "x" * 9999])
def test_only_the_path_of_an_upload_is_one(ledger, path):
    (file,) = sent(ledger, "a", "1")
    assert ledger.own(str(file)) == file
    apart = file.parent
    for wrong in (path, str(apart), f"{apart}/..", f"{apart}/a/b", f"{file}/", f"{apart}/./1"):
        assert ledger.own(wrong) is None
    assert ledger.own(f"{ledger.folder}/{'g' * 64}/x") is None
    assert ledger.own(f"{ledger.folder}/../{ledger.folder.name}/{apart.name}/1") is None
