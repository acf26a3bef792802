"""What a visitor sees who has to wait, who is asked to come again, and whose file hangs."""

import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from running import once_loaded, started
from steps import DESKTOP, HELD, HELD_PX, PHONE, sideways, trouble
from visiting import Refused, Visit

from focal_app.ui.read import wording_paper

ODD = (sys.executable, "-m", "tests.browser.odd_app")
CROWD = 8
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("odd"), command=ODD) as running:
        yield once_loaded(running)


@pytest.fixture(params=[DESKTOP, PHONE], ids=["1440", "390"])
def viewport(request):
    return request.param


@pytest.fixture
def page(page_at, viewport):
    return page_at(viewport)


@pytest.fixture
def size(request):
    return request.node.callspec.id


def upload(page, folder, kind):
    """A file that says what its reader shall do."""
    path = folder / f"{kind}.hea"
    path.write_text(kind)
    page.set_input_files("#upload input[type=file], input[type=file]", str(path))


def test_a_file_that_hangs_its_reader_is_refused_in_a_sentence(page, size, tmp_path, save):
    upload(page, tmp_path, "sleep")
    page.wait_for_selector(".readingnow")
    save(page, f"upload-hanging-{size}")
    assert "takes longer to read than the 3 s" in trouble(page, "#trouble")
    assert "Still showing" in page.inner_text("#trouble") and sideways(page) <= 0
    page.wait_for_selector(".readingnow", state="detached")
    save(page, f"upload-refused-{size}")
    upload(page, tmp_path, "plain")
    page.wait_for_function("!document.querySelector('#trouble .trouble')")
    assert "Your recording" in page.inner_text("#recording")
    save(page, f"upload-read-{size}")


def test_an_answer_that_does_not_come_is_told_of(page, size, save):
    page.select_option("#tools select[name=layout]", "12x1")
    page.wait_for_selector("#waiting .waiting:not([hidden])")
    assert page.inner_text("#waiting .waiting") == "Working …"
    save(page, f"working-{size}")
    page.wait_for_selector(".toast-body")
    assert "No answer within 10 s" in page.inner_text(".toast-body")
    page.wait_for_selector("#waiting .waiting", state="hidden")
    assert sideways(page) <= 0
    save(page, f"late-{size}")


def test_who_waits_in_line_is_told_how_many_are_before(app, page, size, save):
    def visit(_):
        with Visit(app.url) as other, suppress(Refused):  # of those that are held too long
            other.do("start", HELD_PX)

    held = app.temporary / HELD
    held.touch()
    page.get_by_role("button", name=wording_paper.MORE).click()
    with ThreadPoolExecutor(CROWD) as crowd, Visit(app.url) as beside:
        others = crowd.map(visit, range(CROWD))
        while beside.http.get("/gradio_api/queue/status").json()["queue_size"] < CROWD - 2:
            time.sleep(0.05)
        page.locator("#focus label").last.click()
        before = page.get_by_text(re.compile(r"^\d+ requests before yours"))
        before.wait_for()
        save(page, f"in-line-{size}")
        assert sideways(page) <= 0
        held.unlink()
        list(others)
    page.wait_for_selector("#waiting .waiting", state="hidden")


def test_who_asks_too_fast_is_told_when_to_come_again(open_page, viewport, size, save):
    page = open_page(viewport)  # on which nothing else has been told
    page.evaluate(
        """() => document.querySelector('#waiting') && Array.from({length: 40}).forEach(() =>
             document.querySelector('#reset').click())"""
    )
    page.wait_for_selector(".toast-body")
    assert "ry again in" in page.locator(".toast-body").first.inner_text()
    save(page, f"busy-{size}")
