"""Settings of the signal: saved and loaded whole, refused when they make no signal."""

import json

import pytest

from focal_app.ecg.signal_spec import NORMALISATIONS, SignalSpec
from focal_app.errors import ConfigError


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_settings_survive_json(normalisation: str) -> None:
    spec = SignalSpec(sampling_rate_hz=250, normalisation=normalisation, highpass_hz=None)
    assert SignalSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


def test_the_default_is_ten_seconds_at_500_hz() -> None:
    assert (SignalSpec().samples, SignalSpec().duration_s) == (5000, 10.0)


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"unknown signal settings \(window\)"):
        SignalSpec.from_dict({"window": 3})


@pytest.mark.parametrize(
    "settings",
    [
        {"sampling_rate_hz": 0},
        {"sampling_rate_hz": 500.0},
        {"sampling_rate_hz": "500"},
        {"windows": 0},
        {"windows": True},
        {"window_samples": -5},
        {"normalisation": "z-score"},
        {"highpass_hz": 0.0},
        {"highpass_hz": 200.0},
        {"highpass_hz": float("nan")},
        {"minimum_leads": 13},
        {"minimum_duration_s": 11.0},
        {"maximum_gap_s": -0.1},
    ],
)
def test_settings_out_of_range_are_refused(settings: dict) -> None:
    with pytest.raises(ConfigError, match="is needed"):
        SignalSpec.from_dict(settings)
