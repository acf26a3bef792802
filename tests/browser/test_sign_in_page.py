"""The page that asks for the password, in a browser: who guesses too often is told to wait."""

import pytest
from running import started
from steps import LONGEST_MS

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_who_guesses_too_often_reads_how_long_to_wait_and_who_knows_gets_in(tmp_path, chromium):
    settings = {"FOCAL_AUTH": "ann:word", "FOCAL_CHECKPOINT": "/nowhere"}
    with started(tmp_path, **settings) as app:
        context = chromium.new_context()
        context.set_default_timeout(LONGEST_MS)
        page = context.new_page()
        page.goto(app.url)
        for number in range(6):
            page.get_by_label("username").fill("ann")
            page.get_by_label("password").fill(f"guess {number}")
            with page.expect_response("**/login"):
                page.get_by_role("button", name="Login").click()
        page.get_by_text("Too many wrong passwords").wait_for()
        said = page.inner_text("p.auth")
        page.wait_for_timeout(1000 * int(said.split("again in ")[1].split()[0]) + 1000)
        page.get_by_label("username").fill("ann")
        page.get_by_label("password").fill("word")
        page.get_by_role("button", name="Login").click()
        page.wait_for_selector("#paper svg.ecg")
        context.close()
