"""The real app as a process of its own, and a real Chromium in front of it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@dataclass(frozen=True)
class App:
    """A running app: where it listens, and the folder in which it may write."""

    url: str
    temporary: Path


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    """`python app.py` on a free port, with every look-up outside switched off."""
    temporary = tmp_path_factory.mktemp("app")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
        "TMPDIR": str(temporary),
    }
    command = [sys.executable, "app.py"]
    with (temporary / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process, temporary / "log")
            yield App(url, temporary)
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    for _ in range(240):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.25)
    pytest.fail(f"the app did not start:\n{log.read_text()}")


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


@pytest.fixture
def open_page(app, chromium):
    """Opens the page at a size; afterwards nothing may have gone outside or wrong."""
    opened = []

    def open_at(viewport=None, **options):
        context = chromium.new_context(viewport=viewport or DESKTOP, **options)
        page = context.new_page()
        asked, wrong = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        opened.append((context, asked, wrong))
        page.goto(app.url)
        page.wait_for_selector("button.finding", timeout=60_000)
        page.wait_for_selector("#paper .js-plotly-plot .scatterlayer path.js-line")
        return page

    yield open_at
    for context, asked, wrong in opened:
        context.close()
        local = (app.url, "data:", "blob:", app.url.replace("http", "ws"))
        assert [url for url in asked if not url.startswith(local)] == []
        assert wrong == []


@pytest.fixture
def save():
    """Keeps a picture of the page for people to look at."""
    SCREENSHOTS.mkdir(exist_ok=True)

    def shoot(page, name, **options):
        page.screenshot(path=SCREENSHOTS / f"{name}.png", **options)

    return shoot
