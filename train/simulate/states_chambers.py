"""States of the chambers: hypertrophy, enlarged atria, voltage."""

from collections.abc import Iterator

from train.simulate import hypertrophy
from train.simulate.heart import Heart, scaled
from train.simulate.measure import ROW, Ruler, rows
from train.simulate.places import Mark
from train.simulate.state import State
from train.simulate.tagging import HIGH_QRS_MV, INFERIOR, LATERAL, LIMB, VOLTAGE, meets_lvh_voltage


def chamber_states() -> list[State]:
    """Every state of the chambers."""
    return [*_left_ventricle(), *_right_ventricle(), *_atria(), *_voltages()]


def _left_ventricle() -> Iterator[State]:
    often = {
        "left atrial enlargement": 2.0,
        "first degree AV block": 0.7,
        "atrial fibrillation": 1.0,
        "premature ventricular complex": 1.0,
        "left anterior fascicular block": 0.7,
        "nonspecific ST change": 0.5,
        "sinus bradycardia": 0.4,
    }
    strained = ("left ventricular strain", "secondary repolarization abnormality")
    yield State(
        "left ventricular hypertrophy",
        4.0,
        frozenset({"voltage"}),
        (Mark("left ventricular hypertrophy", VOLTAGE, "QRS"),),
        order=3,
        shape=lambda heart, rng: hypertrophy.left_ventricle(
            heart, rng, gain=rng.uniform(1.3, 2.1), strain=False
        ),
        holds=meets_lvh_voltage,
        companions=often,
    )
    yield State(
        "left ventricular hypertrophy with strain",
        3.5,
        frozenset({"voltage", "repolarization"}),
        (
            Mark("left ventricular hypertrophy with strain", VOLTAGE, "QRST"),
            *(Mark(tag, LATERAL, "ST-T") for tag in strained),
        ),
        order=3,
        shape=lambda heart, rng: hypertrophy.left_ventricle(
            heart, rng, gain=rng.uniform(1.4, 2.3), strain=True
        ),
        holds=lambda r: meets_lvh_voltage(r) and r.t_low[ROW["V6"]] < -0.08,
        companions=often,
    )
    yield State(
        "septal hypertrophy",
        0.6,
        frozenset({"voltage", "septal", "inferior", "lateral"}),
        (Mark("septal hypertrophy", VOLTAGE, "QRS"),),
        order=3,
        shape=hypertrophy.septum,
        holds=lambda r: r.q[ROW["V6"]] > 0.18 or r.q[ROW["I"]] > 0.18,
    )


def _right_ventricle() -> Iterator[State]:
    tag, leads = "right ventricular hypertrophy", ("I", "aVF", "V1", "V2", "V5", "V6")
    slots = frozenset({"voltage", "fascicle", "ventricle", "septal"})
    with_it = {"right atrial enlargement": 2.0, "sinus tachycardia": 0.5}
    yield State(
        tag,
        0.7,
        slots,
        (Mark(tag, leads, "QRS"),),
        order=3,
        shape=lambda heart, rng: hypertrophy.right_ventricle(heart, rng, strain=False),
        holds=_right_ventricle_shows,
        companions=with_it,
    )
    yield State(
        "right ventricular hypertrophy with strain",
        0.6,
        slots | {"repolarization"},
        (
            Mark(tag, leads, "QRS"),
            Mark("right ventricular strain", ("V1", "V2", "V3"), "ST-T"),
        ),
        order=3,
        shape=lambda heart, rng: hypertrophy.right_ventricle(heart, rng, strain=True),
        holds=lambda r: _right_ventricle_shows(r) and r.t_low[ROW["V2"]] < -0.08,
        companions=with_it,
    )


def _right_ventricle_shows(ruler: Ruler) -> bool:
    """Axis to the right (about 90 degrees or more), R at least about as tall as S in V1."""
    r, s = ruler.r[ROW["V1"]], ruler.s[ROW["V1"]]
    return bool((ruler.axis_deg > 88 or ruler.axis_deg < -140) and r > 0.45 and r > 0.9 * s)


def _atria() -> Iterator[State]:
    """P 0.08 mV deep in V1, near the usual limit of 0.1; 0.25 mV high in II, which is the limit."""
    left, right = "left atrial enlargement", "right atrial enlargement"
    yield State(
        left,
        1.6,
        frozenset({"atria"}),
        (
            Mark(left, ("I", "II", "V1"), "P"),
            Mark("notched P waves", ("I", "II"), "P"),
            Mark("prolonged P wave", ("I", "II", "V1"), "P"),
        ),
        shape=hypertrophy.left_atrium,
        holds=lambda r: r.p_low[ROW["V1"]] < -0.08,
        companions={"left ventricular hypertrophy": 1.0, "first degree AV block": 0.5},
    )
    yield State(
        right,
        1.0,
        frozenset({"atria"}),
        (Mark(right, (*INFERIOR, "V1"), "P"), Mark("tall P waves", INFERIOR, "P")),
        shape=hypertrophy.right_atrium,
        holds=lambda r: r.p_high[ROW["II"]] >= 0.25,
        companions={"incomplete right bundle branch block": 1.0, "sinus tachycardia": 0.7},
    )


def _voltages() -> Iterator[State]:
    """Low: below 0.5 mV in every limb lead. High has no agreed limit; this one few hearts reach."""
    slot = frozenset({"voltage"})
    yield State(
        "low QRS voltage",
        1.0,
        slot,
        shape=lambda heart, rng: _resize(heart, rng.uniform(0.3, 0.5)),
        holds=lambda r: (r.swing[rows(*LIMB)] < 0.5).all(),
        companions={"nondiagnostic T wave abnormality": 1.0, "sinus tachycardia": 0.6},
    )
    yield State(
        "high QRS voltage",
        0.6,
        slot,
        shape=lambda heart, rng: _resize(heart, rng.uniform(1.4, 2.0)),
        holds=lambda r: (r.swing > HIGH_QRS_MV).any(),
    )
    yield State(
        "voltage criteria for left ventricular hypertrophy",
        1.0,
        slot,
        shape=lambda heart, rng: _resize(heart, rng.uniform(1.3, 1.8)),
        holds=meets_lvh_voltage,
    )


def _resize(heart: Heart, factor: float) -> None:
    heart.qrs = [scaled(item, factor) for item in heart.qrs]
