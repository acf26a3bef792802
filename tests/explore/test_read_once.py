"""A reading does once what the whole page asks of an ECG: order, derive, judge, bridge."""

import copy
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg import complete, gaps, leads
from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.pacing import spike_times_s
from focal_app.ecg.readers import READERS
from focal_app.ecg.recording import ECG
from focal_app.ecg.wfdb_reader import load_wfdb
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer
from focal_app.ui.read import state
from focal_app.ui.read.handlers import Handlers
from focal_app.ui.read.showing import reading_paper
from focal_app.ui.read.state import View

DERIVED = ("III", "aVR", "aVL", "aVF")
COUNTED = {
    **{"ordered": leads.ordered_by_name, "flat": gaps.flat_rows, "bridged": gaps.fill_gaps},
    **{"clipped": gaps.clipped_rows, "beatless": complete.beatless_rows, "spikes": spike_times_s},
}


@pytest.fixture
def done(monkeypatch) -> Counter:
    """How often each of these was done to each signal, wherever it is called by its name.

    What comes back as it was given was not done.
    """
    counted: Counter = Counter()

    def noting(name, original):
        def noted(given, *more, **options):
            signal, found = getattr(given, "signal_mv", given), original(given, *more, **options)
            if found is not given:
                key = name, signal.shape, signal.tobytes(), options.get("maximum_gap_s")
                counted[key] += 1
            return found

        return noted

    for name, original in COUNTED.items():
        noted = noting(name, original)
        for module in [one for path, one in sys.modules.items() if path.startswith("focal_app.")]:
            for known in [key for key, one in vars(module).items() if one is original]:
                monkeypatch.setattr(module, known, noted)
    return counted


def eight_leads(times: int) -> ECG:
    """A case, so many times one after another, without the leads that follow from I and II.

    The other way round, with a gap and a stretch that holds still, which only some of those who
    read it bridge.
    """
    case = load_case("normal")
    names = tuple(lead for lead in case.leads if lead not in DERIVED)
    signal = np.tile(case.signal_mv[[case.leads.index(lead) for lead in names]], times)
    signal[2, 1000:1040], signal[4, 2000:2700] = np.nan, 0.1
    return ECG(signal[::-1], names[::-1], case.sampling_rate_hz, case.source)


def files_of(ecg: ECG, folder: Path) -> list[str]:
    """The files of a recording, whose leads lie in them as they lie in it."""
    count = len(ecg.leads)
    load_wfdb().wrsamp(
        "case",
        ecg.sampling_rate_hz,
        ["mV"] * count,
        list(ecg.leads),
        ecg.signal_mv.T.astype(float),
        fmt=["16"] * count,
        write_dir=str(folder),
    )
    return [str(folder / name) for name in ("case.hea", "case.dat")]


class Parts:
    """Stands for the parts of the page: each is its own name."""

    def __getattr__(self, name: str) -> object:
        return Parts() if name == "asking" else name


@pytest.mark.parametrize("times", [1, 3], ids=["10 s", "30 s"])
def test_from_the_upload_to_the_paper_each_of_these_is_done_once_to_a_signal(
    done, explorer, monkeypatch, tmp_path, times
):
    """Read in this process, as where a system cannot fork, so that what a reader does counts.

    Whether a lead is flat is asked there as well, so that a file without any signal is refused:
    of what a reader finds numbers and words alone come back.
    """
    monkeypatch.setattr(READERS, "read", read_recording)
    paths = files_of(eight_leads(times), tmp_path)
    asked = {"prompt_set": "everyday", "prompts": ("atrial fibrillation",)}
    before = View(ecg=load_case("normal"), case="normal", about="", **asked)
    done.clear()
    updates = Handlers(Parts(), lambda: explorer).open_upload(before, paths)
    assert (
        "Derived III" in " ".join(updates["view"].reading.warnings) and "<svg" in updates["paper"]
    )
    assert {name for name, *_ in done} == set(COUNTED)
    assert [name for name, *_ in done].count("ordered") == 1
    assert [name for (name, *_), times in done.items() if times > 1] == ["flat"]
    done.clear()
    anew = state.with_prompts(updates["view"], ("ST elevation",), chosen="ST elevation")
    assert "<svg" in reading_paper(state.read(anew, explorer))
    assert {"ordered", "beatless", "spikes"}.isdisjoint(name for name, *_ in done)


@pytest.mark.parametrize(("times", "start_s"), [(1, 0.0), (3, 7.0)], ids=["10 s", "from 7 s on"])
def test_each_of_these_is_done_once_to_a_signal_however_often_it_is_read(
    done, explorer, times, start_s
):
    ecg = eight_leads(times)
    done.clear()
    complete = completed(ecg)
    reading = explorer.read(complete, ["atrial fibrillation"], start_s=start_s)
    assert "Derived III, aVR, aVL and aVF" in " ".join(reading.warnings)
    assert {name for name, *_ in done} == set(COUNTED)
    assert [name for name, *_ in done].count("ordered") == 1, "nothing is derived unordered"
    assert [name for (name, *_), times in done.items() if times > 1] == []
    done.clear()
    explorer.read(complete, ["ST elevation"], start_s=start_s)
    assert {"ordered", "flat", "beatless", "spikes"}.isdisjoint(name for name, *_ in done)


def test_a_reading_completes_what_is_not_complete_once(done, explorer):
    ecg = eight_leads(1)
    done.clear()
    explorer.fine(ecg, "atrial fibrillation", step_s=0.5)
    assert [name for name, *_ in done].count("ordered") == 1


PROMPTS = ("atrial fibrillation", "ST elevation", "sinus rhythm")


def test_a_window_is_encoded_once_whatever_is_looked_for_in_it(explorer, monkeypatch):
    windows, patches = [], explorer.patches
    monkeypatch.setattr(explorer, "patches", lambda *p: windows.append(len(p)) or patches(*p))
    ecg = completed(eight_leads(3))
    assert not explorer.has_fine(ecg, start_s=7.0)
    for start_s, encoded in ((7.0, [1, 5]), (7.0, []), (0.0, [1, 5]), (7.0, [1, 5])):
        for prompt in PROMPTS:
            anew, asked = Explorer(explorer.model), {"start_s": start_s, "tau": 0.1}
            for one, other in (
                (explorer.fine(ecg, prompt, **asked), anew.fine(eight_leads(3), prompt, **asked)),
                *zip(
                    explorer.read(ecg, [prompt], **asked).findings,
                    anew.read(eight_leads(3), [prompt], **asked).findings,
                    strict=True,
                ),
            ):
                np.testing.assert_array_equal(one.weights, other.weights)
        assert sorted(windows) == encoded
        assert explorer.has_fine(ecg, start_s=start_s) and not explorer.has_fine(ecg, start_s=1.0)
        windows.clear()


def test_what_one_model_encoded_is_none_of_another_model_s(explorer):
    ecg, other = completed(eight_leads(1)), Explorer.load()
    found = [one.read(ecg, PROMPTS[:1]).findings[0].similarity for one in (explorer, other)]
    assert found[1] == other.read(eight_leads(1), PROMPTS[:1]).findings[0].similarity != found[0]


def test_what_was_encoded_counts_for_no_copy_of_the_recording(explorer):
    """Another process may have other weights."""
    ecg = completed(eight_leads(1))
    explorer.fine(ecg, PROMPTS[0])
    copied = copy.deepcopy(ecg)
    assert explorer.has_fine(ecg) and not explorer.has_fine(copied)
