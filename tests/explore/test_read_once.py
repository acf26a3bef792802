"""A reading does once what the whole page asks of an ECG: order, derive, judge, bridge."""

import copy
import sys
from collections import Counter

import numpy as np
import pytest

from focal_app.ecg import gaps, leads
from focal_app.ecg.leads import completed
from focal_app.ecg.pacing import spike_times_s
from focal_app.ecg.recording import ECG
from focal_app.explore.reading.bundled_cases import load_case
from focal_app.explore.reading.explorer import Explorer

DERIVED = ("III", "aVR", "aVL", "aVF")
COUNTED = {
    **{"ordered": leads.ordered_by_name, "flat": gaps.flat_rows, "bridged": gaps.fill_gaps},
    **{"clipped": gaps.clipped_rows, "beatless": leads.beatless_rows, "spikes": spike_times_s},
}


@pytest.fixture
def done(monkeypatch) -> Counter:
    """How often each of these was done to each signal, wherever it is called by its name."""
    counted: Counter = Counter()

    def noting(name, original):
        def noted(given, *more, **options):
            signal = getattr(given, "signal_mv", given)
            counted[name, signal.shape, signal.tobytes(), options.get("maximum_gap_s")] += 1
            return original(given, *more, **options)

        return noted

    for name, original in COUNTED.items():
        noted = noting(name, original)
        for module in [one for path, one in sys.modules.items() if path.startswith("focal_app.")]:
            for known in [key for key, one in vars(module).items() if one is original]:
                monkeypatch.setattr(module, known, noted)
    return counted


def eight_leads(times: int) -> ECG:
    """A case, so many times one after another, without the leads that follow from I and II.

    With a gap and a stretch that holds still, which only some of those who read it bridge.
    """
    case = load_case("normal")
    names = tuple(lead for lead in case.leads if lead not in DERIVED)
    signal = np.tile(case.signal_mv[[case.leads.index(lead) for lead in names]], times)
    signal[2, 1000:1040], signal[4, 2000:2700] = np.nan, 0.1
    return ECG(signal, names, case.sampling_rate_hz, case.source)


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
