"""The real app as a process of its own, and a real Chromium in front of it."""

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from running import started
from steps import BOTH_SIZES, DESKTOP, LONGEST_MS, TIMERS, settled

FAILED = pytest.StashKey[bool]()
SCREENSHOTS = os.environ.get("FOCAL_TEST_SCREENSHOTS")
FOUND = filter(None, map(shutil.which, ("chromium-headless-shell", "chromium")))
CHROMIUM = Path(next(FOUND, "/usr/bin/chromium"))
"""The shell draws and runs a page as Chromium does, and opens one for half the CPU time."""
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


@pytest.fixture(scope="session")
def contexts(chromium):
    """A visitor's browser at each size, for all tests: it keeps the scripts that it has fetched."""
    made = {}

    def context_of(**options):
        key = json.dumps(options, sort_keys=True)
        if key not in made:
            made[key] = chromium.new_context(**options)
            made[key].set_default_timeout(LONGEST_MS)
            made[key].add_init_script(TIMERS)
        return made[key]

    return context_of


@contextmanager
def opening(app, contexts):
    """What opens the page at a size, and what holds that since then, or since it was asked last,
    none has gone outside or wrong; at the end that is held once more."""
    opened = []

    def open_at(viewport=None, **options):
        page = contexts(viewport=viewport or DESKTOP, **options).new_page()
        asked, wrong = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.extend(violations(said.text)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        opened.append((page, asked, wrong))
        page.goto(app.url)
        page.wait_for_selector("button.finding")
        page.wait_for_selector("#paper svg.ecg path.trace")
        settled(page)
        return page

    def nothing_wrong():
        local = (app.url, "data:", "blob:", app.url.replace("http", "ws"))
        found = []
        for page, asked, wrong in opened:
            if not page.is_closed():
                page.wait_for_timeout(0)  # what has happened on it is told before this is over
            found += [url for url in asked if not url.startswith(local)] + wrong
            asked.clear()
            wrong.clear()
        assert found == []

    yield open_at, nothing_wrong
    for page, _, _ in opened:
        page.close()
    nothing_wrong()


@pytest.fixture
def open_page(app, contexts):
    """A page for one test."""
    with opening(app, contexts) as (open_at, _):
        yield open_at


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Keeps with a module that a test has failed, or what was made for it or cleared away."""
    report = yield
    if report.failed:
        item.getparent(pytest.Module).stash[FAILED] = True
    return report


@pytest.fixture(scope="module")
def kept_pages(app, contexts):
    """The pages of a module by their sizes, and what `opening` gives."""
    with opening(app, contexts) as (open_at, nothing_wrong):
        yield {}, open_at, nothing_wrong


@pytest.fixture
def kept_page_at(kept_pages, request):
    """Opens the page at a size, once for all tests of a module, as the test before left it.

    Where a test has failed its pages are none for the next, nor for the same test once more: they
    are closed, since a browser keeps to six connections with a server.
    """
    kept, open_at, nothing_wrong = kept_pages
    stash = request.node.getparent(pytest.Module).stash
    if stash.get(FAILED, False):
        stash[FAILED] = False
        for page in kept.values():
            page.close()
        kept.clear()

    def page_of(viewport, bring_back=None, **options):
        key = json.dumps([viewport, options], sort_keys=True)
        if key not in kept:
            kept[key] = open_at(viewport, **options)
        elif bring_back:
            bring_back(kept[key])
        return kept[key]

    yield page_of
    nothing_wrong()


@pytest.fixture
def page_at(kept_page_at, request):
    """Opens the page at a size, once for all tests of a module.

    Between tests the module's `as_at_first` brings it back, or else each test leaves it as it was.
    """
    bring_back = getattr(request.module, "as_at_first", None)
    return lambda viewport=DESKTOP, **options: kept_page_at(viewport, bring_back, **options)


@pytest.fixture(params=BOTH_SIZES)
def shared_page(kept_page_at, request):
    """The page at each of both sizes, for a mouse and for fingers, as the test before left it."""
    return kept_page_at(**BOTH_SIZES[request.param])


@pytest.fixture
def save():
    """Keeps a picture of the page for people to look at, where they name a folder for it."""

    def shoot(page, name, **options):
        if SCREENSHOTS:
            page.screenshot(path=Path(SCREENSHOTS, f"{name}.png"), **options)

    return shoot
