"""The real app as a process of its own, and a real Chromium in front of it."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from running import started
from steps import DESKTOP, LONGEST_MS, PHONE, settled

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
SCREENSHOTS = ROOT / "screenshots"
CHROMIUM = Path(shutil.which("chromium") or "/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    """The app with its embedded checkpoint and gallery, and no language model."""
    with started(tmp_path_factory.mktemp("app")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium():
    """One Chromium for all tests, or a skip where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip("no Chromium on this machine")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


def violations(said):
    """A line of the console, where it says that the page's own policy was violated."""
    return [said] if "Content Security Policy" in said or "Permissions-Policy" in said else []


@contextmanager
def opening(app, chromium):
    """Opens the page at a size; afterwards nothing may have gone outside or wrong."""
    opened = []

    def open_at(viewport=None, **options):
        context = chromium.new_context(viewport=viewport or DESKTOP, **options)
        context.set_default_timeout(LONGEST_MS)
        page = context.new_page()
        asked, wrong = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.extend(violations(said.text)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        opened.append((context, asked, wrong))
        page.goto(app.url)
        page.wait_for_selector("button.finding")
        page.wait_for_selector("#paper svg.ecg path.trace")
        settled(page)
        return page

    yield open_at
    for context, _, _ in opened:
        context.close()
    for _, asked, wrong in opened:
        local = (app.url, "data:", "blob:", app.url.replace("http", "ws"))
        assert [url for url in asked if not url.startswith(local)] == []
        assert wrong == []


@pytest.fixture
def open_page(app, chromium):
    """A page for one test."""
    with opening(app, chromium) as open_at:
        yield open_at


@pytest.fixture(scope="module", params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def shared_page(app, chromium, request):
    """A page for all tests of a module, at each of both sizes, for a mouse and for fingers."""
    with opening(app, chromium) as open_at:
        yield open_at(request.param, has_touch=True, is_mobile=request.param is PHONE)


@pytest.fixture
def save():
    """Keeps a picture of the page for people to look at."""
    SCREENSHOTS.mkdir(exist_ok=True)

    def shoot(page, name, **options):
        page.screenshot(path=SCREENSHOTS / f"{name}.png", **options)

    return shoot
