"""What the menu hands over, by mouse, by keyboard and on a phone; nothing is left on the server."""

import io
import json
import re
import zipfile

import pydicom
import pytest
from PIL import Image
from steps import DESKTOP, PHONE, sideways, until

from focal_app.explore.reading.bundled_cases import bundled_cases
from focal_app.ui.read import wording_take_away as wording
from focal_app.ui.server.upload_folder import LOCK

pytestmark = pytest.mark.browser
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def as_at_first(page):
    """Closes the menu."""
    if menu(page).get_attribute("open") is not None:
        page.click("#take-away summary")


def menu(page):
    return page.locator("#take-away details")


def choose_finding(page, prompt):
    page.locator(f'button.finding[data-prompt="{prompt}"]').click()
    until(page, "() => document.querySelector('#paper .tint')")


def take(page, kind):
    """Chooses from the menu; the name and the content of what the browser saves."""
    page.click("#take-away summary")
    with page.expect_download() as saved:
        page.click(f'#take-away button[data-kind="{kind}"]')
    return saved.value.suggested_filename, saved.value.path().read_bytes()


def test_every_file_of_the_menu_is_what_it_says(page_at, app, save):
    page = page_at(DESKTOP, **CLIPBOARD)
    choose_finding(page, "sinus rhythm")
    files = {kind: take(page, kind) for kind in wording.CHOICES if kind != "text"}
    until(page, "() => document.querySelector('#take-away-said').textContent.includes('dcm')")
    save(page, "take-away-1440")
    assert files["pdf"][1].startswith(b"%PDF") and files["pdf"][0] == "reading.pdf"
    svg = files["svg"][1].decode()
    millimetres = float(re.search(r'width="([\d.]+)mm"', svg)[1])
    with Image.open(io.BytesIO(files["png"][1])) as picture:
        assert picture.width == pytest.approx(millimetres / 25.4 * 300, abs=4)
        assert len(picture.convert("RGB").resize((200, 100)).getcolors(20_000)) > 20
    told = json.loads(files["json"][1])
    assert "sinus rhythm" in [found["prompt"] for found in told["findings"]]
    assert b"finding,sinus rhythm" in files["csv"][1]
    with zipfile.ZipFile(io.BytesIO(files["wfdb"][1])) as archive:
        assert archive.namelist() == ["recording.hea", "recording.dat"]
    assert pydicom.dcmread(io.BytesIO(files["dicom"][1])).Modality == "ECG"
    names = [name for name, _ in files.values()]
    assert not [name for name in names if any(case.name in name for case in bundled_cases())]
    assert [path.name for path in app.left() if path.name != LOCK] == []


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["1440", "390"])
def test_the_menu_works_by_keyboard_alone(page_at, save, viewport):
    page = page_at(viewport, **CLIPBOARD)
    page.focus("#take-away summary")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.kind") == list(wording.CHOICES)[1]
    save(page, f"take-away-menu-{viewport['width']}")
    box = page.locator("#take-away .menu > div").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= viewport["width"]
    assert sideways(page) <= 0
    page.keyboard.press("Escape")
    assert menu(page).get_attribute("open") is None
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    assert saved.value.suggested_filename == "reading.pdf"


def test_findings_are_copied_as_text(page_at):
    page = page_at(DESKTOP, **CLIPBOARD)
    page.click("#take-away summary")
    page.click('#take-away button[data-kind="text"]')
    until(page, "() => document.querySelector('#take-away-said').textContent.includes('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "% " in copied and "not for diagnosis" in copied


def test_a_click_elsewhere_closes_the_menu(page_at):
    page = page_at(DESKTOP, **CLIPBOARD)
    page.click("#take-away summary")
    page.click("#masthead h1")
    assert menu(page).get_attribute("open") is None
