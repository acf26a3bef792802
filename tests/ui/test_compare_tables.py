"""A bare table as the earlier ECG: a sentence says where its rate, unit and leads are told."""

import hospital_files
import numpy as np
import pytest

from focal_app.ui.compare.tab import Handlers, Parts


@pytest.fixture
def handlers(reader):
    return Handlers(Parts(*(object() for _ in range(8))), lambda: reader)


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
