"""What the device measured far otherwise is said; small differences are not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.errors import RecordingError
from focal_app.explore.cases.similar import similar
from focal_app.explore.measured.contradictions import judged
from focal_app.explore.measured.device import differences, impossible_rate
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer
from focal_app.model.measuring import measured
from focal_app.ui.read.measured_strip import strip

FORMATS = Path(__file__).parents[3] / "shared" / "ecg" / "formats"


def beside(device, **changes):
    """The normal case as a cardiograph with these values of its own would have written it."""
    normal = load_case("normal")
    source = replace(normal.source, device_values=device)
    return completed(replace(normal, source=source, **changes))


def test_a_wide_difference_is_said_and_a_small_one_is_not(explorer: Explorer):
    usual = measured(load_case("normal")).measurements
    qrs, axis = usual.qrs_ms.value, usual.axis_degrees.value
    assert qrs is not None and axis is not None
    near = measured(beside({"qrs_ms": qrs + 15, "axis_degrees": axis + 355}))
    assert differences(near) == () and "differs" not in strip(near)
    ecg = beside({"qrs_ms": qrs + 30, "qt_ms": usual.qt_ms.value})
    (said,) = differences(measured(ecg))
    assert said == f"QRS: {qrs:.0f} ms here, the device gives {qrs + 30:.0f} ms. Look at the strip."
    assert said in explorer.read(ecg, ["LBBB"]).warnings
    assert said in strip(measured(ecg)) and strip(measured(ecg)).count("device differs") == 1


def test_beats_that_no_heart_has_leave_all_blank_and_name_the_file(explorer, gallery):
    """One beat of the normal case every four seconds, as a damaged file may have it."""
    normal = load_case("normal")
    waves = measured(normal).waves
    first, last = (round(at * normal.sampling_rate_hz) for at in (waves.p_s[2, 0], waves.t_s[2, 1]))
    beat = normal.signal_mv[:, first:last] - normal.signal_mv[:, first : first + 1]
    rows = np.zeros_like(normal.signal_mv)
    for start in (500, 2500, 4300):
        rows[:, start : start + beat.shape[1]] = beat
    found = measured(slow := beside({"rate_per_min": 72.0}, signal_mv=rows))
    assert {one.value for one in vars(found.measurements).values()} == {None}
    assert judged(found, "third degree AV block").measured is None, "no P waves are measured either"
    said = impossible_rate(found)
    assert "beats come in a minute, and the device gives 72" in said
    reading = explorer.read(slow, ["LBBB"])
    assert (reading.not_read, reading.findings) == (said, ())
    with pytest.raises(RecordingError, match="the device gives 72"):
        similar(explorer, gallery, slow)
    assert impossible_rate(measured(beside({"rate_per_min": 72.0}))) is None


@pytest.mark.skipif(not FORMATS.is_dir(), reason="needs the shared recordings")
def test_the_shared_files_whose_device_says_otherwise_say_so():
    said = {}
    for path in sorted(FORMATS.rglob("*.xml")):
        if path.name.startswith(("sierra", "liryc", "braveheart")):
            said[path.name] = differences(
                measured(completed(read_recording([path])), duration_s=10)
            )
    assert [name for name, lines in said.items() if lines] == [
        "sierra-1.03.xml",
    ]
    assert "the device gives 135 ms" in said["sierra-1.03.xml"][0]
    (liryc,) = FORMATS.rglob("liryc-example.xml")
    found = measured(completed(read_recording([liryc])), duration_s=10)
    assert "the device gives 57" in impossible_rate(found)
