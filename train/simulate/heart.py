"""One patient's heart: the waves of a beat as dipoles in time, and the beat they draw.

Times are in seconds from the onset of QRS, dipoles in mV along x (left), y (feet), z (back).
"""

from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float

from train.simulate.projection import BASE_LEADS, Torso


@dataclass(frozen=True)
class Wave:
    """One kernel: exp(-|u|^power / 2), u = (t - at) / (rise before, fall after).

    `dipole` (3,) is projected on every lead; `local` adds mV in single leads, for what no
    dipole can draw. A power of 2 is a bell, 4 a plateau.
    """

    at_s: float
    rise_s: float
    fall_s: float
    dipole: Float[np.ndarray, "3"]
    local: Float[np.ndarray, "8"]
    power: float = 2.0


def wave(
    at_s: float,
    width_s: float,
    dipole: tuple[float, float, float] | np.ndarray = (0.0, 0.0, 0.0),
    *,
    fall_s: float | None = None,
    local: dict[str, float] | np.ndarray | None = None,
    power: float = 2.0,
) -> Wave:
    """A wave from plain numbers; `local` may name single leads of BASE_LEADS."""
    if isinstance(local, dict):
        local = by_lead(local)
    return Wave(
        at_s=at_s,
        rise_s=width_s,
        fall_s=width_s if fall_s is None else fall_s,
        dipole=np.asarray(dipole, dtype=float),
        local=np.zeros(8) if local is None else np.asarray(local, dtype=float),
        power=power,
    )


def by_lead(values: dict[str, float]) -> Float[np.ndarray, "8"]:
    """Values of single leads in the order of BASE_LEADS, zero elsewhere."""
    return np.array([values.get(lead, 0.0) for lead in BASE_LEADS])


@dataclass
class Heart:
    """The waves of one kind of beat; states change it in place while a patient is made.

    `p` is timed from the onset of P, all others from the onset of QRS. `tags` gathers what the
    states claim of the drawing (measured tags come later).
    """

    torso: Torso
    qrs_s: float
    t_peak_s: float
    qt_s: float
    pr_s: float
    p_s: float
    p: list[Wave] = field(default_factory=list)
    qrs: list[Wave] = field(default_factory=list)
    st: list[Wave] = field(default_factory=list)
    t: list[Wave] = field(default_factory=list)
    voltage_judged: bool = True
    """False where wide or paced beats make voltage and Q wave criteria meaningless."""

    def __post_init__(self) -> None:
        self.matrix: Float[np.ndarray, "8 3"] = self.torso.matrix()

    def see_through(self, torso: Torso) -> None:
        """The same heart, lying differently or under other electrodes."""
        self.torso = torso
        self.matrix = torso.matrix()

    def leads_of(self, item: Wave) -> Float[np.ndarray, "8"]:
        """The wave's peak in the eight independent leads, in mV."""
        return self.matrix @ item.dipole + item.local

    def t_vector(self) -> tuple[Float[np.ndarray, "3"], Float[np.ndarray, "8"]]:
        """Dipole and local part of T at its peak."""
        weights = [_bell(item, self.t_peak_s) for item in self.t]
        dipole = sum(
            (k * item.dipole for k, item in zip(weights, self.t, strict=True)), np.zeros(3)
        )
        local = sum((k * item.local for k, item in zip(weights, self.t, strict=True)), np.zeros(8))
        return dipole, local

    def qrs_size(self) -> float:
        """Overall size of QRS against the average adult."""
        return float(np.linalg.norm([self.leads_of(item) for item in self.qrs]) / 3.6)


def draw(
    heart: Heart,
    waves: list[Wave],
    times_s: Float[np.ndarray, "B n"],
    *,
    stretch: Float[np.ndarray, " B"] | None = None,
) -> Float[np.ndarray, "B 8 n"]:
    """The sum of `waves` at `times_s`, in the eight independent leads, in mV.

    `stretch` slows the waves of single beats: place and width times this.
    """
    if not waves:
        return np.zeros((times_s.shape[0], 8, times_s.shape[1]))
    slow = np.ones((1, 1, 1)) if stretch is None else stretch[:, None, None]
    at = np.array([item.at_s for item in waves])[:, None] * slow
    rise = np.array([item.rise_s for item in waves])[:, None] * slow
    fall = np.array([item.fall_s for item in waves])[:, None] * slow
    power = np.array([item.power for item in waves])[:, None]
    peaks = np.stack([heart.leads_of(item) for item in waves], axis=1)
    # Single precision: 1e-7 of a millivolt is far below what any machine stores.
    offset = (times_s[:, None, :] - at).astype(np.float32)
    width = np.where(offset < 0, rise.astype(np.float32), fall.astype(np.float32))
    raised = _raised(np.abs(offset) / width, power)
    return (peaks.astype(np.float32) @ np.exp(np.float32(-0.5) * raised)).astype(float)


def _raised(scaled: np.ndarray, power: np.ndarray) -> np.ndarray:
    """`scaled` to the power of each wave; squares for the many, which is ten times as fast."""
    raised = scaled * scaled
    for row in np.flatnonzero(power[:, 0] != 2.0):
        raised[:, row] = scaled[:, row] ** power[row, 0]
    return raised


def _bell(item: Wave, time_s: float) -> float:
    offset = time_s - item.at_s
    return float(
        np.exp(-0.5 * abs(offset / (item.rise_s if offset < 0 else item.fall_s)) ** item.power)
    )


def later(item: Wave, shift_s: float) -> Wave:
    """The same wave, moved."""
    return replace(item, at_s=item.at_s + shift_s)


def scaled(item: Wave, factor: float) -> Wave:
    """The same wave, larger or smaller."""
    return replace(item, dipole=factor * item.dipole, local=factor * item.local)


def stretch_qrs(heart: Heart, qrs_s: float) -> None:
    """A longer QRS pushes ST and T later by most of the difference."""
    extra = 0.75 * (qrs_s - heart.qrs_s)
    heart.t = [later(item, extra) for item in heart.t]
    heart.st = [later(item, extra) for item in heart.st]
    heart.qrs_s = float(qrs_s)
    heart.t_peak_s += extra
    heart.qt_s += extra


def copy_of(heart: Heart) -> Heart:
    """The same heart, free to change: waves are immutable, lists are new."""
    return replace(heart, p=[*heart.p], qrs=[*heart.qrs], st=[*heart.st], t=[*heart.t])


def slower(item: Wave, factor: float) -> Wave:
    """The same wave, later and broader by `factor`."""
    return replace(
        item, at_s=item.at_s * factor, rise_s=item.rise_s * factor, fall_s=item.fall_s * factor
    )
