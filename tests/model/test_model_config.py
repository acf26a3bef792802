"""Claims about the settings of a model."""

import json
import math

import pytest

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.config import Calibration, EncoderConfig, FocalConfig, TextConfig

CHANGED = FocalConfig(
    signal=SignalSpec(sampling_rate_hz=200, windows=8, window_samples=200, highpass_hz=None),
    encoder=EncoderConfig(64, 3, 4, stem="conv", dropout=0.1, head_bias=False, record_path=True),
    text=TextConfig("other", pooling="cls", max_tokens=32, head="mlp"),
    calibration=Calibration(0.7, -0.3),
    embed_dim=32,
    epsilon=0.05,
    tau=0.2,
    temperature=5.0,
    bias=-4.0,
    storage="float16",
    alignment="global",
)


@pytest.mark.parametrize("config", (FocalConfig(), CHANGED))
def test_settings_survive_json(config):
    assert FocalConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_every_setting_differs_between_the_two_that_are_tried():
    default, changed = FocalConfig().to_dict(), CHANGED.to_dict()
    assert all(default[name] != changed[name] for name in default)


def test_choices_that_came_later_leave_older_settings_as_they_were_written():
    """A checkpoint's fingerprint is over its settings, and a gallery holds to it."""
    values = FocalConfig().to_dict()
    assert "head" not in values["text"] and not {"head_bias", "record_path"} & {*values["encoder"]}
    changed = CHANGED.to_dict()
    assert (changed["text"]["head"], changed["encoder"]["head_bias"]) == ("mlp", False)
    assert changed["encoder"]["record_path"] is True


@pytest.mark.parametrize("part", (None, "signal", "encoder", "text", "calibration"))
def test_an_unknown_key_is_refused_wherever_it_stands(part):
    values = FocalConfig().to_dict()
    (values[part] if part else values)["colour"] = "red"
    with pytest.raises(ConfigError, match="colour"):
        FocalConfig.from_dict(values)


@pytest.mark.parametrize("part", ("signal", "encoder", "text", "calibration"))
def test_a_missing_part_is_refused(part):
    values = FocalConfig().to_dict()
    del values[part]
    with pytest.raises(ConfigError, match=part):
        FocalConfig.from_dict(values)


@pytest.mark.parametrize("name", ("epsilon", "tau", "temperature"))
@pytest.mark.parametrize("value", (0, -1.0, math.nan, math.inf))
def test_numbers_that_no_transport_can_take_are_refused(name, value):
    with pytest.raises(ConfigError, match=name):
        FocalConfig(**{name: value})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: EncoderConfig(width=10, heads=3), "divide"),
        (lambda: EncoderConfig(depth=0), "depth"),
        (lambda: EncoderConfig(heads=0), "heads"),
        (lambda: EncoderConfig(stem="cubic"), "cubic"),
        (lambda: TextConfig(pooling="max"), "max"),
        (lambda: TextConfig(max_tokens=0), "max_tokens"),
        (lambda: TextConfig(head="deep"), "head"),
        (lambda: EncoderConfig(head_bias="no"), "head_bias"),
        (lambda: EncoderConfig(record_path=1), "record_path"),
        (lambda: FocalConfig(embed_dim=0), "embed_dim"),
        (lambda: FocalConfig(storage="int8"), "int8"),
    ],
)
def test_a_refusal_says_what_was_found(make, said):
    with pytest.raises(ConfigError, match=said):
        make()


def test_defaults_are_the_settings_of_the_paper():
    config = FocalConfig()
    assert config.encoder == EncoderConfig(width=192, depth=12, heads=3, stem="linear")
    assert config.text.name == "emilyalsentzer/Bio_ClinicalBERT"
    assert config.text.pooling == "pooler"
    assert (config.embed_dim, config.epsilon, config.tau) == (256, 0.1, 1.0)
    assert (config.temperature, config.bias) == (10.0, 0.0)
