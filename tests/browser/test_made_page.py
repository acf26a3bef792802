"""What a reader has to see of a paced ECG, its spikes as small as carts leave them, and of an LBBB
with S waves of 6 mV.
"""

import re

import numpy as np
import pytest
from drawn_traces import crossed_mm, drawn
from made_records import left_bundle_branch_block, paced, write_record
from steps import serious, sideways, texts, until

from focal_app.figures.sheet import CROSSING_MM
from focal_app.ui.read import wording

pytestmark = pytest.mark.browser
FIBRILLATING, TRACKED, ATRIAL = 11, 28, 2
"""Patients of the simulator: the atria fibrillate, the pacemaker follows their P waves, or it makes
them and QRS is narrow."""
SEEN_MM = 2.0
"""How tall a stroke is seen: QRS without its spike rises by 1.2 mm at most in the time."""
DEEPEST_MV = -6.0
PLACED = "prompt => document.querySelector('#places h2')?.textContent.includes(prompt)"


def redrawn(page, act):
    """Does something that changes the paper, and waits for that."""
    before = page.locator("#paper .leaf").inner_html()
    act()
    until(page, "old => document.querySelector('#paper .leaf').innerHTML !== old", before)


def opened(page, folder, signal_mv):
    """Opens an ECG that was made."""
    files = write_record(folder, signal_mv)
    redrawn(page, lambda: page.set_input_files(".toolbar input[type=file]", files))


def setting(page, name, value):
    redrawn(page, lambda: page.select_option(f"#tools select[name={name}]", value))


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
    _, across, height_mm = drawn(page)[-1]
    second = across / 25
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
    signal_mv, spikes_s = paced(seed)
    opened(page, tmp_path, signal_mv)
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


def test_a_likely_finding_that_is_contradicted_says_so_in_its_row_and_above_all(
    shared_page, tmp_path, save
):
    """Spikes before the P waves of an otherwise normal ECG, which the model does not see."""
    page = shared_page
    opened(page, tmp_path, paced(ATRIAL, "atrial pacing")[0])
    assert texts(page, ".inshort p.against") == [f"{wording.CONTRADICTED}:"]
    assert wording.ALL_CONTRADICTED in page.inner_text(".inshort")
    lines = texts(page, ".inshort li.against")
    told = [re.fullmatch(r"(.+) (\d+) %: but (.+)", line).groups() for line in lines]
    assert [prompt for prompt, _, _ in told] == ["sinus rhythm", "normal ECG"]
    assert int(told[0][1]) >= int(told[1][1]) >= 50  # the strongest first
    for prompt, _, measured in told:
        row = page.locator(f'#findings .row:has(button[data-prompt="{prompt}"])')
        assert row.locator(".beside.against").inner_text() == f"but {measured}"
        row.locator("button.finding").click()
        until(page, PLACED, prompt)
        assert f"Measured: {measured}; this contradicts it." in row.locator(".detail").inner_text()
        row.locator("summary", has_text=wording.RULE).click()
        rule = row.locator(".detail details").inner_text()
        assert "Contradicted where " in rule and "Criterion: " in rule
    assert sideways(page) <= 0 and serious(page) == []
    save(page, f"contradicted-{page.viewport_size['width']}", full_page=True)


def test_an_lbbb_with_s_waves_of_6_mv_keeps_its_rows_apart_and_is_named(
    shared_page, tmp_path, save
):
    page, wide, wrong = shared_page, shared_page.viewport_size["width"], []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    opened(page, tmp_path, left_bundle_branch_block(DEEPEST_MV))
    assert re.match(r"Probably: .*left bundle branch block \(9\d %\)", page.inner_text(".inshort"))
    for layout, gains in (("12x1", "5 mm/mV (V1–V6: 2.5)"), ("3x4", "10 mm/mV (V1–V6: 5)")):
        if page.input_value("#tools select[name=layout]") != layout:
            setting(page, "layout", layout)
        assert gains in page.text_content("#paper text.scale")
        assert page.locator("#paper .break").count() == 0
        assert max(crossed_mm(page)) <= CROSSING_MM and sideways(page) <= 0
        page.evaluate("scrollTo(0, 0)")
        save(page, f"lbbb-{layout}-{wide}", full_page=True)
        save(page.locator("#paper"), f"lbbb-{layout}-{wide}-paper")
    setting(page, "gain_mm_per_mv", "10")
    said = page.locator("#paper text.peak").all_text_contents()
    heights_mv = [float(one.removesuffix(" mV").replace("−", "-")) for one in said]
    assert page.locator("#paper .break").count() == len(said) > 0
    assert min(heights_mv) == pytest.approx(DEEPEST_MV, abs=0.3)  # from the level of the lead
    save(page, f"lbbb-broken-{wide}", full_page=True)
    setting(page, "gain_mm_per_mv", "auto")
    assert wrong == []
