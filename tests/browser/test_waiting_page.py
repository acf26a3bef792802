"""What a visitor sees who has to wait, who is asked to come again, and whose file hangs."""

import sys
import threading

import pytest
from running import once_loaded, started
from steps import DESKTOP, PHONE, sideways, trouble
from visiting import Visit, at_once

from focal_app.ui.read import wording_paper

ODD = (sys.executable, "-m", "tests.browser.odd_app")
CROWD = 80
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with started(tmp_path_factory.mktemp("odd"), command=ODD) as running:
        yield once_loaded(running)


@pytest.fixture(params=[DESKTOP, PHONE], ids=["1440", "390"])
def page(open_page, request):
    return open_page(request.param)


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
    assert page.locator(".readingnow").count() == 0
    save(page, f"upload-refused-{size}")
    upload(page, tmp_path, "plain")
    page.wait_for_function("!document.querySelector('#trouble .trouble')", timeout=60_000)
    assert "Your recording" in page.inner_text("#recording")
    save(page, f"upload-read-{size}")


def test_an_answer_that_does_not_come_is_told_of(page, size, save):
    page.select_option("#tools select[name=layout]", "12x1")
    page.wait_for_selector("#waiting .waiting:not([hidden])", timeout=10_000)
    assert page.inner_text("#waiting .waiting") == "Working …"
    save(page, f"working-{size}")
    page.wait_for_selector(".toast-body", timeout=60_000)
    assert "No answer within 10 s" in page.inner_text(".toast-body")
    assert page.locator("#waiting .waiting").is_hidden() and sideways(page) <= 0
    save(page, f"late-{size}")


def test_who_waits_in_line_is_told_how_many_are_before(app, page, size, save):
    def crowd(_):
        with Visit(app.url) as visit:
            return visit.do("start", 1440)

    page.get_by_role("button", name=wording_paper.MORE).click()
    others = threading.Thread(target=at_once, args=[CROWD, crowd])
    others.start()
    page.wait_for_timeout(600)
    page.locator("#focus label").last.click()
    page.wait_for_function(
        "/^\\d+ requests before yours/.test(document.querySelector('#waiting .waiting').innerText)",
        timeout=30_000,
    )
    save(page, f"in-line-{size}")
    assert sideways(page) <= 0
    others.join()
    page.wait_for_selector("#waiting .waiting", state="hidden", timeout=60_000)


def test_who_asks_too_fast_is_told_when_to_come_again(app, page, size, save):
    page.evaluate(
        """() => document.querySelector('#waiting') && Array.from({length: 14}).forEach(() =>
             document.querySelector('#reset').click())"""
    )
    page.wait_for_selector(".toast-body", timeout=60_000)
    assert "ry again in" in page.locator(".toast-body").first.inner_text()
    save(page, f"busy-{size}")
