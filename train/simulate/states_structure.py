"""States of conduction and of the chambers."""

from dataclasses import replace

import numpy as np

from train.simulate import conduction, hypertrophy
from train.simulate.heart import Heart
from train.simulate.measure import ROW, Ruler
from train.simulate.places import Mark
from train.simulate.state import WALL_SLOTS, State
from train.simulate.tagging import meets_lvh_voltage


def _p_tag(tag: str, leads: tuple[str, ...]) -> Mark:
    return Mark(tag, leads, "P")


def conduction_states() -> list[State]:
    """Bundles, fascicles, pre-excitation and the AV node."""
    s = frozenset
    every = ("I", "II", "V1", "V2", "V5", "V6")
    return [
        State(
            "complete left bundle branch block",
            3.0,
            s({"ventricle", "fascicle", "voltage", "repolarization"}) | WALL_SLOTS,
            (
                Mark(
                    "complete left bundle branch block",
                    ("I", "aVL", "V1", "V2", "V3", "V5", "V6"),
                    "QRST",
                ),
            ),
            order=1,
            shape=conduction.complete_left_bundle_branch_block,
            holds=lambda r: bool(
                r.r[ROW["V6"]] > 0.25
                and r.q[ROW["V6"]] < 0.05
                and r.r[ROW["V1"]] < 0.4
                and r.r[0] > 0.15
            ),
            companions={
                "left atrial enlargement": 1,
                "first degree AV block": 1.2,
                "premature ventricular complex": 1.2,
                "atrial fibrillation": 1,
            },
        ),
        State(
            "incomplete left bundle branch block",
            0.8,
            s({"ventricle", "fascicle", "repolarization", "septal", "anterior"}),
            (Mark("incomplete left bundle branch block", ("I", "aVL", "V1", "V5", "V6"), "QRS"),),
            order=1,
            shape=conduction.incomplete_left_bundle_branch_block,
            holds=lambda r: bool(r.r[ROW["V6"]] > 0.3 and r.q[ROW["V6"]] < 0.03 and r.q[0] < 0.03),
            companions={"left ventricular hypertrophy": 1, "atrial fibrillation": 0.7},
        ),
        State(
            "complete right bundle branch block",
            2.6,
            s({"ventricle", "septal"}),
            (Mark("complete right bundle branch block", ("I", "V1", "V2", "V5", "V6"), "QRS"),),
            order=2,
            shape=conduction.complete_right_bundle_branch_block,
            holds=_right_bundle_shows,
            companions={
                "left anterior fascicular block": 2.5,
                "left posterior fascicular block": 0.3,
                "first degree AV block": 1,
                "atrial fibrillation": 1,
                "premature ventricular complex": 0.8,
                "old inferior myocardial infarction": 1,
            },
        ),
        State(
            "incomplete right bundle branch block",
            4.0,
            s({"ventricle"}),
            (Mark("incomplete right bundle branch block", ("V1", "V2"), "QRS"),),
            order=2,
            shape=conduction.incomplete_right_bundle_branch_block,
            holds=lambda r: bool(
                max(r.r_prime[ROW["V1"]], r.r_prime[ROW["V2"]]) >= 0.1 and r.r[ROW["V1"]] > 0.04
            ),
            companions={
                "left anterior fascicular block": 1,
                "sinus bradycardia": 0.5,
                "nondiagnostic T wave abnormality": 0.6,
                "right atrial enlargement": 0.4,
                "left ventricular hypertrophy": 0.4,
            },
        ),
        State(
            "left anterior fascicular block",
            5.0,
            s({"fascicle"}),
            (Mark("left anterior fascicular block", ("I", "II", "III", "aVL", "aVF"), "QRS"),),
            order=1,
            shape=conduction.left_anterior_fascicular_block,
            holds=lambda r: bool(-90 <= r.axis_deg <= -38 and r.r[ROW["aVL"]] > 0.3),
            companions={
                "left ventricular hypertrophy": 1,
                "first degree AV block": 0.8,
                "nondiagnostic T wave abnormality": 0.8,
                "premature ventricular complex": 0.6,
                "atrial fibrillation": 0.6,
                "left atrial enlargement": 0.5,
            },
        ),
        State(
            "left posterior fascicular block",
            0.8,
            s({"fascicle", "voltage"}),
            (Mark("left posterior fascicular block", ("I", "II", "III", "aVL", "aVF"), "QRS"),),
            order=1,
            shape=conduction.left_posterior_fascicular_block,
            holds=lambda r: bool(
                r.axis_deg > 91 and r.q[ROW["III"]] > 0.04 and r.r[ROW["aVL"]] > 0.03
            ),
            companions={"old inferior myocardial infarction": 0.7},
        ),
        State(
            "nonspecific intraventricular conduction delay",
            2.0,
            s({"ventricle"}),
            (Mark("nonspecific intraventricular conduction delay", every, "QRS"),),
            order=2,
            shape=conduction.nonspecific_conduction_delay,
            companions={
                "old inferior myocardial infarction": 1,
                "left ventricular hypertrophy": 1,
                "old anteroseptal myocardial infarction": 1,
                "atrial fibrillation": 0.7,
            },
        ),
        State(
            "wolff-parkinson-white pattern",
            0.8,
            s({"ventricle", "fascicle", "av", "voltage", "repolarization"}) | WALL_SLOTS,
            (
                Mark("wolff-parkinson-white pattern", every, "beat"),
                Mark("delta wave", every, "delta"),
                Mark("short PR interval", ("I", "II", "V1"), "PR"),
            ),
            order=1,
            shape=conduction.wolff_parkinson_white,
        ),
        State(
            "first degree AV block",
            2.5,
            s({"av"}),
            (Mark("first degree AV block", ("I", "II", "III", "V1"), "PR"),),
            shape=conduction.slow_av_node,
            companions={
                "left ventricular hypertrophy": 0.7,
                "sinus bradycardia": 0.6,
                "left anterior fascicular block": 0.8,
                "premature atrial complex": 0.4,
            },
        ),
        State("second degree AV block type 1", 0.4, s({"av", "rhythm", "ectopy"})),
        State(
            "second degree AV block type 2",
            0.3,
            s({"av", "rhythm", "ectopy"}),
            companions={"complete right bundle branch block": 0.5},
        ),
        State("third degree AV block", 0.4, s({"av", "rhythm", "ectopy"})),
    ]


def _right_bundle_shows(ruler: Ruler) -> bool:
    """R' (or a lone late R) in V1 or V2, and a broad S in I or V6."""
    late = max(ruler.r_prime[ROW["V1"]], ruler.r_prime[ROW["V2"]])
    alone = ruler.r[ROW["V1"]] > 0.3 and ruler.s[ROW["V1"]] < 0.1
    return bool((late >= 0.2 or alone) and max(ruler.s[0], ruler.s[ROW["V6"]]) >= 0.1)


def chamber_states() -> list[State]:
    """Hypertrophy, atrial enlargement and voltage."""
    s = frozenset
    voltage_leads = ("I", "aVL", "V1", "V2", "V5", "V6")
    lvh = Mark("left ventricular hypertrophy", voltage_leads, "QRS")
    strain = Mark("left ventricular hypertrophy", ("I", "aVL", "V5", "V6"), "ST-T")
    often = {
        "left atrial enlargement": 2.0,
        "first degree AV block": 0.7,
        "atrial fibrillation": 1.0,
        "premature ventricular complex": 1.0,
        "left anterior fascicular block": 0.7,
        "nonspecific ST change": 0.5,
        "sinus bradycardia": 0.4,
    }
    return [
        State(
            "left ventricular hypertrophy",
            4.0,
            s({"voltage"}),
            (lvh,),
            order=3,
            shape=lambda heart, rng: hypertrophy.left_ventricle(
                heart, rng, gain=rng.uniform(1.35, 2.1), strain=False
            ),
            holds=meets_lvh_voltage,
            companions=often,
        ),
        State(
            "left ventricular hypertrophy with strain",
            3.5,
            s({"voltage", "repolarization"}),
            (lvh, strain, Mark("ST-T change", ("I", "aVL", "V5", "V6"), "ST-T")),
            order=3,
            shape=lambda heart, rng: hypertrophy.left_ventricle(
                heart, rng, gain=rng.uniform(1.4, 2.3), strain=True
            ),
            holds=lambda r: meets_lvh_voltage(r) and bool(r.t_low[ROW["V6"]] < -0.08),
            companions=often,
        ),
        State(
            "right ventricular hypertrophy",
            1.2,
            s({"voltage", "fascicle", "ventricle", "septal"}),
            (Mark("right ventricular hypertrophy", ("I", "aVF", "V1", "V2", "V5", "V6"), "QRS"),),
            order=3,
            shape=lambda heart, rng: hypertrophy.right_ventricle(
                heart, rng, strain=bool(rng.random() < 0.6)
            ),
            holds=lambda r: bool(
                (r.axis_deg > 88 or r.axis_deg < -140)
                and r.r[ROW["V1"]] > 0.45
                and r.r[ROW["V1"]] > 0.9 * r.s[ROW["V1"]]
            ),
            companions={"right atrial enlargement": 2.0, "sinus tachycardia": 0.5},
        ),
        State(
            "septal hypertrophy",
            0.6,
            s({"voltage", "septal", "inferior", "lateral"}),
            (Mark("septal hypertrophy", ("I", "aVL", "V1", "V2", "V5", "V6"), "QRS"),),
            order=3,
            shape=hypertrophy.septum,
            holds=lambda r: bool(r.q[ROW["V6"]] > 0.18 or r.q[0] > 0.18),
        ),
        State(
            "left atrial enlargement",
            1.6,
            s({"atria"}),
            (
                _p_tag("left atrial enlargement", ("I", "II", "V1")),
                _p_tag("notched P waves", ("I", "II")),
            ),
            shape=hypertrophy.left_atrium,
            holds=lambda r: bool(r.p_low[ROW["V1"]] < -0.08),
            companions={"left ventricular hypertrophy": 1.0, "first degree AV block": 0.5},
        ),
        State(
            "right atrial enlargement",
            1.0,
            s({"atria"}),
            (
                _p_tag("right atrial enlargement", ("II", "III", "aVF", "V1")),
                _p_tag("tall P waves", ("II", "III", "aVF")),
            ),
            shape=hypertrophy.right_atrium,
            holds=lambda r: bool(r.p_high[1] >= 0.22),
            companions={"incomplete right bundle branch block": 1.0, "sinus tachycardia": 0.7},
        ),
        State(
            "low QRS voltage",
            1.0,
            s({"voltage"}),
            order=5,
            shape=_shrink,
            holds=lambda r: bool((r.swing[:6] < 0.5).all()),
            companions={"nondiagnostic T wave abnormality": 1, "sinus tachycardia": 0.6},
        ),
        State(
            "high QRS voltage",
            0.6,
            s({"voltage"}),
            order=5,
            shape=_grow,
            holds=lambda r: bool((r.swing > np.array([2.2] * 6 + [3.8] * 6)).any()),
        ),
        State(
            "voltage criteria for left ventricular hypertrophy",
            1.0,
            s({"voltage"}),
            order=5,
            shape=_grow,
            holds=meets_lvh_voltage,
        ),
    ]


def _scale_qrs(heart: Heart, factor: float) -> None:
    heart.qrs = [replace(w, dipole=factor * w.dipole, local=factor * w.local) for w in heart.qrs]


def _shrink(heart: Heart, rng: np.random.Generator) -> None:
    _scale_qrs(heart, float(rng.uniform(0.3, 0.5)))


def _grow(heart: Heart, rng: np.random.Generator) -> None:
    _scale_qrs(heart, float(rng.uniform(1.4, 2.0)))
