"""Compare: its numbers add up, and a bare table is sent to where its rate and unit are told."""

import hospital_files
import numpy as np
import pytest

from focal_app.ecg.measurement_names import NAMES
from focal_app.ecg.measurements import Measurement
from focal_app.explore.comparing.changes import Change
from focal_app.ui.compare import wording
from focal_app.ui.compare.tab import Handlers


@pytest.fixture
def handlers(reader, parts):
    return Handlers(parts, lambda: reader)


@pytest.mark.parametrize("kind", ["CSV", "NPY"])
def test_a_bare_table_is_sent_to_read_first(handlers, view, ecg, tmp_path, kind):
    path = tmp_path / "aa" / f"doe.{kind.lower()}"
    path.parent.mkdir()
    if kind == "CSV":
        path.write_bytes(hospital_files.csv(ecg))
    else:
        np.save(path, ecg.signal_mv)
    updates = handlers.open_upload(view, None, [str(path)])
    assert list(updates) == [handlers.parts.trouble] and not path.exists()
    said = str(updates[handlers.parts.trouble])
    assert f"Found a table ({kind})" in said and "Open it in Read first" in said
    assert "rate, unit and leads" in said and "doe." not in said


@pytest.mark.parametrize(
    ("field", "then", "now", "shown"),
    [
        ("rate_per_min", 64.6, 73.4, ("65/min", "73/min", "+8")),
        ("axis_degrees", 41.4, -42.3, ("41°", "−42°", "−83")),
        ("axis_degrees", -170.0, 175.0, ("−170°", "175°", "−15")),
        ("lateral_t_mv", 0.334, 0.245, ("0.33 mV", "0.24 mV", "−0.09")),
        ("pr_ms", 152.6, 153.4, ("153 ms", "153 ms", "+0")),
    ],
)
def test_a_change_is_the_difference_of_the_numbers_beside_it(field, then, now, shown):
    """A rate of 65/min and then 73/min was told as 9 higher."""
    pair = (Measurement(then, 1.0), Measurement(now, 1.0))
    change = Change(field, NAMES[field], *pair, by=now - then, verdict="as before")
    assert wording.values(change) == shown
