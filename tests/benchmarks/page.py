"""What travels to a browser: Gradio's own files, the first page, and the paper of a finding."""

import shutil
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from focal_app.explore.reading.explorer import EMBEDDED
from tests.benchmarks.start import running_app
from tests.benchmarks.timing import Row

AIM_KB, WHOLE_AIM_KB = 400, 1200
CALIPERS_AIM_MS, FINE_AIM_S = 50, 1.5
CALIPERS = """() => {
    const paper = document.querySelector("#paper svg.ecg"), box = paper.getBoundingClientRect();
    const at = (name, x) => paper.dispatchEvent(new PointerEvent(name,
        { bubbles: true, clientX: box.x + x, clientY: box.y + 150 }));
    at("pointerdown", 200);
    const took = [...Array(50).keys()].map(step => {
        const start = performance.now();
        at("pointermove", 210 + 5 * step);
        return performance.now() - start;
    });
    at("pointerup", 460);
    return Math.max(...took);
}"""
WAIT_MS = 120_000
FOUND = filter(None, map(shutil.which, ("chromium", "chromium-headless-shell")))
CHROMIUM = Path(next(FOUND, "/usr/bin/chromium"))
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TRACES = "#paper svg.ecg path.trace"
STATIC = ("/assets/", "/static/", "/theme.css", "/svelte/", "/gradio_api/startup-events")


def rows() -> list[Row]:
    """Kilobytes as they cross the wire."""
    what, aim = "Bytes to the browser for a page", f"{AIM_KB} KB"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return [Row(what, "skipped: playwright is not installed", aim)]
    if not CHROMIUM.exists():
        return [Row(what, "skipped: no Chromium on this machine", aim)]
    with running_app() as (url, _, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        try:
            return _measured(browser.new_page(viewport={"width": 1440, "height": 900}), url)
        finally:
            browser.close()


def _measured(page: Any, url: str) -> list[Row]:  # noqa: ANN401
    wire = Wire(page)
    page.goto(url)
    page.wait_for_selector(TRACES, timeout=WAIT_MS)
    has_model = EMBEDDED.is_dir()
    if has_model:
        page.wait_for_selector("button.finding", timeout=WAIT_MS)
    page.wait_for_timeout(1000)
    static, first = wire.kilobytes(static=True), wire.kilobytes(static=False)
    made = [
        _row("Bytes to the browser for the first page", first),
        Row("Gradio's own scripts and styles, cached by the browser", f"{static:,.0f} KB"),
        _row("The page in all, at the first visit", static + first, aim_kb=WHOLE_AIM_KB),
        _calipers(page),
    ]
    if not has_model:
        return [*made, Row("Bytes for the paper of a finding", "skipped: no embedded checkpoint")]
    others = page.locator('button.finding[aria-pressed="false"]:visible')
    prompts = [others.nth(i).get_attribute("data-prompt") for i in range(others.count())]
    took = _to_fine(page, prompts[0])
    made.append(Row("Click to the fine heatmap", f"{took:.2f} s", "1.5 s", took <= FINE_AIM_S))
    chosen = wire.kilobytes(static=False)
    traces = page.locator(TRACES).count()
    page.select_option("#tools select[name=layout]", "12x1")
    page.wait_for_function(f"document.querySelectorAll({TRACES!r}).length != {traces}")
    page.wait_for_timeout(1000)
    made += [
        _row("Bytes for the paper of a finding, 3x4", chosen - first),
        _row("Bytes for the same, every lead for 10 s", wire.kilobytes(static=False) - chosen),
    ]
    for further in prompts[1:2]:
        took = _to_fine(page, further)
        made.append(Row("Click to the fine heatmap of a further finding", f"{took:.2f} s"))
    return made


def _to_fine(page: Any, prompt: str) -> float:  # noqa: ANN401
    """Seconds from the click on a finding until its fine heatmap is on the paper."""
    page.evaluate("document.querySelectorAll('#paper g.tint').forEach((one) => one.remove())")
    start = time.perf_counter()
    page.click(f"button.finding[data-prompt='{prompt}']")
    page.wait_for_selector("#paper g.tint[data-step='0.2']", timeout=WAIT_MS)
    took = time.perf_counter() - start
    page.wait_for_timeout(1000)
    return took


def _calipers(page: Any) -> Row:  # noqa: ANN401
    page.click('[data-tool="calipers"]')
    took = float(page.evaluate(CALIPERS))
    page.click('[data-tool="calipers"]')
    what, aim = "A caliper's answer to a move, the slowest of 50", f"{CALIPERS_AIM_MS} ms"
    return Row(what, f"{took:.1f} ms", aim, took <= CALIPERS_AIM_MS)


def _row(what: str, kilobytes: float, *, aim_kb: int = AIM_KB) -> Row:
    return Row(what, f"{kilobytes:.0f} KB", f"{aim_kb} KB", kilobytes <= aim_kb)


class Wire:
    """Counts what a page receives, by address, as the browser's own protocol reports it."""

    def __init__(self, page: Any) -> None:  # noqa: ANN401
        self.urls: dict[str, str] = {}
        self.bytes: defaultdict[str, int] = defaultdict(int)
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.dataReceived", self._received)
        session.on("Network.loadingFinished", self._finished)

    def kilobytes(self, *, static: bool) -> float:
        """What has come so far: files that are the same for every app, or everything else."""
        chosen = (
            n for i, n in self.bytes.items() if self._is_static(self.urls.get(i, "")) == static
        )
        return sum(chosen) / 1000

    def _asked(self, event: dict) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def _received(self, event: dict) -> None:
        self.bytes[event["requestId"]] += event["encodedDataLength"] or event["dataLength"]

    def _finished(self, event: dict) -> None:
        """The final count, as compressed; a stream that stays open never has one."""
        self.bytes[event["requestId"]] = int(event["encodedDataLength"])

    def _is_static(self, url: str) -> bool:
        return any(part in url for part in STATIC)
