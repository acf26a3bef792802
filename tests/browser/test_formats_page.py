"""Hospital files on the page: chosen, dropped, asked about, and drawn where they are not read."""

import base64
from dataclasses import replace

import hospital_files
import pytest
from steps import DESKTOP, PHONE, first_case, serious, sideways, trouble, until

from focal_app.explore.reading.bundled_cases import load_case

pytestmark = pytest.mark.browser
as_at_first = first_case
FIELD = '.toolbar input[type="file"]'
MADE = """content => {
  const bytes = Uint8Array.from(atob(content), letter => letter.charCodeAt(0));
  const held = new DataTransfer();
  held.items.add(new File([bytes], "recording"));
  return held;
}"""


@pytest.fixture(scope="module")
def ecg():
    return load_case("normal")


@pytest.fixture(params=[DESKTOP, PHONE], ids=["1440", "390"])
def page(request, page_at):
    opened = page_at(request.param)
    opened.wait_for_selector("#findings .finding")
    return opened


def choose(page, content):
    page.set_input_files(
        FIELD, {"name": "recording", "mimeType": "application/octet-stream", "buffer": content}
    )


def until_facts(page, words):
    until(page, "words => document.querySelector('#recording').innerText.includes(words)", words)


def test_a_file_is_chosen_or_dropped_on_the_paper(page, ecg):
    choose(page, hospital_files.muse(ecg))
    until_facts(page, "GE MUSE XML")
    until_facts(page, "statements: Sinus rhythm; Left bundle branch block")
    held = page.evaluate_handle(MADE, base64.b64encode(hospital_files.dicom(ecg)).decode())
    for event in ("dragover", "drop"):
        page.dispatch_event("#paper", event, {"dataTransfer": held})
    until_facts(page, "DICOM")
    assert page.locator(".readingnow").count() == 0


def test_mere_numbers_are_asked_about_and_read_at_the_button(page, ecg):
    choose(page, hospital_files.csv(ecg))
    page.wait_for_selector("#asking-apply", state="visible")
    assert page.input_value("#asking-rate input") == "500"
    assert page.input_value("#asking-leads textarea, #asking-leads input").startswith("- I II")
    assert "CSV" not in page.inner_text("#recording")
    assert sideways(page) <= 0
    page.fill("#asking-rate input", "5")
    page.click("#asking-apply")
    assert "sampling rate of 5 Hz" in trouble(page, "#asking-trouble")
    assert serious(page) == []
    page.fill("#asking-rate input", "500")
    page.keyboard.press("Tab")
    page.click("#asking-apply")
    until_facts(page, "CSV")
    assert not page.locator("#asking-apply").is_visible()
    assert page.locator("#findings .finding").count() > 10


def test_too_few_leads_are_drawn_and_not_read(page, ecg):
    content = hospital_files.edf(ecg)
    for lead in ("V1", "V2", "V3", "V4", "V5", "V6"):
        content = content.replace(f"ECG {lead} ".encode(), f"RESP {lead[1]} ".encode())
    choose(page, content)
    until_facts(page, "not read by the model")
    assert page.locator("#paper svg").count() > 0
    assert "at least 8 of 12" in page.inner_text("#findings")
    flat = ecg.signal_mv.copy()
    flat[6:] = 0
    choose(page, hospital_files.edf(replace(ecg, signal_mv=flat)))
    until_facts(page, "EDF")
    page.wait_for_selector("#findings:has-text('found 6 leads with signal')")
    assert "/min" in page.inner_text("#measured") and " ms" in page.inner_text("#measured")
    assert page.locator('#paper [data-lead="II"] path.trace').count() > 0
    choose(page, hospital_files.scp(ecg)[:-9])
    assert "announces more bytes than it holds" in trouble(page, "#trouble")
