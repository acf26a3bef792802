"""The settings by which a recording becomes model input; they are saved beside the weights."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

from focal_app.errors import ConfigError

Normalisation = Literal["millivolt", "record-robust", "record-minmax"]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)


@dataclass(frozen=True, kw_only=True)
class SignalSpec:
    """`windows` patches of `window_samples` a lead at `sampling_rate_hz`.

    normalisation: `millivolt` keeps mV (median-centred, clipped to ±5); `record-robust` divides
        by one robust amplitude of the record, so that lead ratios stay; `record-minmax` maps the
        whole record to [0, 1], as published.
    highpass_hz: cutoff of the zero-phase high-pass, None for no filter.
    minimum_leads: fewer leads with signal are refused.
    minimum_duration_s: a shorter recording is refused.
    maximum_gap_s: a longer gap is left unseen instead of interpolated.
    """

    sampling_rate_hz: int = 500
    windows: int = 10
    window_samples: int = 500
    normalisation: Normalisation = "record-robust"
    highpass_hz: float | None = 0.5
    minimum_leads: int = 8
    minimum_duration_s: float = 1.0
    maximum_gap_s: float = 0.2

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other or make no signal."""
        for name in ("sampling_rate_hz", "windows", "window_samples", "minimum_leads"):
            _check(name, getattr(self, name), whole=True)
        for name in ("minimum_duration_s", "maximum_gap_s"):
            _check(name, getattr(self, name))
        if self.highpass_hz is not None:
            _check("highpass_hz", self.highpass_hz)
        self._check_ranges()

    @property
    def samples(self) -> int:
        """Samples a lead, T."""
        return self.windows * self.window_samples

    @property
    def duration_s(self) -> float:
        """Seconds that the model sees at once."""
        return self.samples / self.sampling_rate_hz

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """The settings of `to_dict`; a key that this version does not know is refused."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(settings) - known):
            raise ConfigError(
                f"found unknown signal settings ({', '.join(unknown)}); known are "
                f"{', '.join(sorted(known))}. Update FOCAL Explorer, or correct the file."
            )
        return cls(**settings)

    def _check_ranges(self) -> None:
        if self.normalisation not in NORMALISATIONS:
            raise ConfigError(
                f"found normalisation {self.normalisation!r}; one of "
                f"{', '.join(NORMALISATIONS)} is needed."
            )
        self._check_within(
            sampling_rate_hz=(50, 10_000),
            windows=(1, 10_000),
            window_samples=(1, 1_000_000),
            minimum_leads=(1, 12),
        )
        self._check_within(
            minimum_duration_s=(0.0, self.duration_s),
            maximum_gap_s=(0.0, self.duration_s),
            highpass_hz=(0.01, self.sampling_rate_hz / 4),
        )

    def _check_within(self, **ranges: tuple[float, float]) -> None:
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise ConfigError(f"found {name} = {value:g}; {low:g} to {high:g} is needed.")


def _check(name: str, value: object, *, whole: bool = False) -> None:
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds):
        kind = "a whole number" if whole else "a number"
        raise ConfigError(f"found {name} = {value!r}; {kind} is needed.")
