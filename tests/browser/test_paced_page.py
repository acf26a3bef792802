"""A paced ECG on the page, its spikes as small as carts leave them: what a reader has to see."""

import re

import numpy as np
import pytest
from made_records import paced, write_record
from steps import sideways, until

pytestmark = pytest.mark.browser
FIBRILLATING, TRACKED = 11, 28
"""Patients of the simulator: the atria fibrillate, or the pacemaker follows their P waves."""
UNITS_PER_MM, SEEN_MM = 50, 2.0
"""What a path counts in (figures/traces.py), and how tall a stroke is seen: QRS without its spike
rises by 1.2 mm at most in the time."""


def opened(page, folder, seed):
    """Opens a paced ECG; the seconds of its spikes."""
    signal_mv, spikes_s = paced(seed)
    before = page.locator("#paper .leaf").inner_html()
    files = write_record(folder, signal_mv, name="paced")
    page.set_input_files(".toolbar input[type=file]", files)
    until(page, "old => document.querySelector('#paper .leaf').innerHTML !== old", before)
    return spikes_s


def measured(page):
    """The values of the strip by their names."""
    names, values = page.locator("#measured dt"), page.locator("#measured dd .value")
    return dict(zip(names.all_inner_texts(), values.all_inner_texts(), strict=True))


def row(page, prompt):
    """What the row of a finding says, and what stands in it on demand."""
    button = f'button.finding[data-prompt="{prompt}"]'
    return " ".join(page.locator(f"{button}, {button} + form").all_text_contents())


def strokes_mm(page, times_s):
    """How far the rhythm strip as drawn leaves its level within 12 ms of each time."""
    trace = page.locator("#paper g.strip").last.locator("path.trace")
    right, across = re.fullmatch(
        r"translate\((\S+) \S+\) scale\((\S+) \S+\)", trace.get_attribute("transform")
    ).groups()
    start, level, *steps = map(int, re.findall(r"-?\d+", trace.get_attribute("d")))
    along = start + np.cumsum([0, *steps[::2]])
    height_mm = -(level + np.cumsum([0, *steps[1::2]])) / UNITS_PER_MM
    second = (float(right) + float(across) * along) / 25
    heights = [height_mm[abs(second - at_s) < 0.012] for at_s in times_s]
    return [np.ptp(one) for one in heights]


@pytest.mark.parametrize(
    ("seed", "pr_ms", "sinus"),
    [
        (FIBRILLATING, None, "pacing spikes, no P waves before them; this contradicts it"),
        (TRACKED, 160, "P waves before each spike: the ventricles are paced, and that fits atrial"),
    ],
    ids=["fibrillating", "tracked"],
)
def test_a_paced_ecg_tells_of_its_spikes_and_of_nothing_that_is_the_pacemakers(
    shared_page, tmp_path, save, seed, pr_ms, sinus
):
    page = shared_page
    spikes_s = opened(page, tmp_path, seed)
    strip = measured(page)
    assert strip["Pacing"] == f"{len(spikes_s)} spikes"
    assert float(strip["QRS"].removesuffix(" ms")) > 150
    if pr_ms is None:
        assert strip["PR"] == "–"
    else:
        assert float(strip["PR"].removesuffix(" ms")) == pytest.approx(pr_ms, abs=15)
    short = page.inner_text(".inshort")
    assert "Probably: paced rhythm" in short and "spikes of a pacemaker" in short
    assert "named by no probable finding" not in short, "QRS, QT and axis are the stimulus's"
    assert "fits: spikes of a pacemaker" in row(page, "paced rhythm")
    assert sinus in row(page, "sinus rhythm")
    assert min(strokes_mm(page, spikes_s)) > SEEN_MM
    save(page, f"paced-{seed}-{page.viewport_size['width']}", full_page=True)
    page.click("#tools input[name=fiducials]")
    until(page, "!!document.querySelector('#paper g.waves')")
    shown = page.locator("#paper path.spike").count()
    assert shown == 4 * len(spikes_s)  # in each row of the 3×4, and in the rhythm strip
    assert sideways(page) <= 0
    save(page, f"paced-{seed}-marked-{page.viewport_size['width']}", full_page=True)
    page.click("#tools input[name=fiducials]")
    until(page, "!document.querySelector('#paper g.waves')")
