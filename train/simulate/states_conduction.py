"""States of conduction: bundles, fascicles, pre-excitation, the AV node."""

from collections.abc import Iterator

from train.simulate import conduction
from train.simulate.measure import Ruler, rows
from train.simulate.places import Mark
from train.simulate.state import WALL_SLOTS, State
from train.simulate.tagging import P_SEEN

_I, _III, _AVL, _V1, _V2, _V6 = rows("I", "III", "aVL", "V1", "V2", "V6")
_LEFT = ("I", "aVL", "V1", "V2", "V3", "V5", "V6")
_RIGHT = ("I", "V1", "V2", "V5", "V6")
_FRONTAL = ("I", "II", "III", "aVL", "aVF")
_EVERY = ("I", "II", "V1", "V2", "V5", "V6")


def conduction_states() -> list[State]:
    """Every state of conduction."""
    return [*_left_bundle(), *_right_bundle(), *_fascicles(), *_others(), *_av_node()]


def _left_bundle() -> Iterator[State]:
    tag, part = "complete left bundle branch block", "incomplete left bundle branch block"
    yield State(
        tag,
        3.0,
        frozenset({"ventricle", "fascicle", "voltage", "repolarization"}) | WALL_SLOTS,
        (Mark(tag, _LEFT, "QRST"), Mark("secondary repolarization abnormality", _LEFT, "ST-T")),
        order=1,
        shape=conduction.complete_left_bundle_branch_block,
        holds=_left_bundle_shows,
        companions={
            "left atrial enlargement": 1.0,
            "first degree AV block": 1.2,
            "premature ventricular complex": 1.2,
            "atrial fibrillation": 1.0,
        },
    )
    yield State(
        part,
        0.8,
        frozenset({"ventricle", "fascicle", "repolarization", "septal", "anterior"}),
        (Mark(part, ("I", "aVL", "V1", "V5", "V6"), "QRS"),),
        order=1,
        shape=conduction.incomplete_left_bundle_branch_block,
        holds=lambda r: r.r[_V6] > 0.3 and r.q[_V6] < 0.03 and r.q[_I] < 0.03,
        companions={"left ventricular hypertrophy": 1.0, "atrial fibrillation": 0.7},
    )


def _left_bundle_shows(ruler: Ruler) -> bool:
    """No q in V6, R in I and V6, no R to speak of in V1."""
    upright = ruler.r[_V6] > 0.25 and ruler.r[_I] > 0.15
    return bool(upright and ruler.q[_V6] < 0.05 and ruler.r[_V1] < 0.4)


def _right_bundle() -> Iterator[State]:
    tag, part = "complete right bundle branch block", "incomplete right bundle branch block"
    yield State(
        tag,
        2.6,
        frozenset({"ventricle", "septal"}),
        (
            Mark(tag, _RIGHT, "QRS"),
            Mark("secondary repolarization abnormality", ("V1", "V2"), "ST-T"),
        ),
        order=2,
        shape=conduction.complete_right_bundle_branch_block,
        holds=_right_bundle_shows,
        companions={
            "left anterior fascicular block": 2.5,
            "left posterior fascicular block": 0.3,
            "first degree AV block": 1.0,
            "atrial fibrillation": 1.0,
            "premature ventricular complex": 0.8,
            "old inferior myocardial infarction": 1.0,
        },
    )
    yield State(
        part,
        4.0,
        frozenset({"ventricle"}),
        (Mark(part, ("V1", "V2"), "QRS"),),
        order=2,
        shape=conduction.incomplete_right_bundle_branch_block,
        holds=lambda r: max(r.r_prime[_V1], r.r_prime[_V2]) >= 0.1 and r.r[_V1] > 0.04,
        companions={
            "left anterior fascicular block": 1.0,
            "sinus bradycardia": 0.5,
            "nondiagnostic T wave abnormality": 0.6,
            "right atrial enlargement": 0.4,
            "left ventricular hypertrophy": 0.4,
        },
        of_the_healthy=True,
    )


def _right_bundle_shows(ruler: Ruler) -> bool:
    """R' (or a lone late R) in V1 or V2, a broad S in I or V6, T turned in V1."""
    late = max(ruler.r_prime[_V1], ruler.r_prime[_V2])
    alone = ruler.r[_V1] > 0.3 and ruler.s[_V1] < 0.1
    broad = max(ruler.s[_I], ruler.s[_V6]) >= 0.1
    return bool((late >= 0.2 or alone) and broad and ruler.t[_V1] < 0.05)


def _fascicles() -> Iterator[State]:
    front, back = "left anterior fascicular block", "left posterior fascicular block"
    yield State(
        front,
        5.0,
        frozenset({"fascicle"}),
        (Mark(front, _FRONTAL, "QRS"),),
        order=1,
        shape=conduction.left_anterior_fascicular_block,
        holds=_left_anterior_shows,
        companions={
            "left ventricular hypertrophy": 1.0,
            "first degree AV block": 0.8,
            "nondiagnostic T wave abnormality": 0.8,
            "premature ventricular complex": 0.6,
            "atrial fibrillation": 0.6,
            "left atrial enlargement": 0.5,
            "old anteroseptal myocardial infarction": 0.6,
        },
    )
    yield State(
        back,
        0.8,
        frozenset({"fascicle", "voltage"}),
        (Mark(back, _FRONTAL, "QRS"),),
        order=1,
        shape=conduction.left_posterior_fascicular_block,
        holds=lambda r: 91 < r.axis_deg <= 180 and r.q[_III] > 0.04 and r.r[_AVL] > 0.03,
        companions={"old inferior myocardial infarction": 0.7},
    )


def _left_anterior_shows(ruler: Ruler) -> bool:
    """Axis to the left by forces that began the other way: q in aVL, r in III.

    The axis counts from -30 degrees, where it leaves the usual, on; the recommendations want -45.
    """
    left = -90 <= ruler.axis_deg <= -31 and ruler.r[_AVL] > 0.25
    return bool(left and ruler.q[_AVL] > 0.03 and ruler.r[_III] > 0.04)


def _others() -> Iterator[State]:
    delay, early = "nonspecific intraventricular conduction delay", "wolff-parkinson-white pattern"
    yield State(
        delay,
        2.0,
        frozenset({"ventricle"}),
        (Mark(delay, _EVERY, "QRS"),),
        order=2,
        shape=conduction.nonspecific_conduction_delay,
        companions={
            "old inferior myocardial infarction": 1.0,
            "left ventricular hypertrophy": 1.0,
            "old anteroseptal myocardial infarction": 1.0,
            "atrial fibrillation": 0.7,
        },
    )
    yield State(
        early,
        0.8,
        frozenset({"ventricle", "fascicle", "av", "voltage", "repolarization"}) | WALL_SLOTS,
        (
            Mark(early, _EVERY, "beat"),
            Mark("delta wave", _EVERY, "delta"),
            Mark("secondary repolarization abnormality", _EVERY, "ST-T"),
        ),
        order=1,
        shape=conduction.wolff_parkinson_white,
    )


def _av_node() -> Iterator[State]:
    first = "first degree AV block"
    dropping = frozenset({"av", "rhythm", "ectopy"})
    yield State(
        first,
        2.5,
        frozenset({"av"}),
        (Mark(first, P_SEEN, "PR"),),
        shape=conduction.slow_av_node,
        companions={
            "left ventricular hypertrophy": 0.7,
            "sinus bradycardia": 0.6,
            "left anterior fascicular block": 0.8,
            "premature atrial complex": 0.4,
        },
    )
    yield State("second degree AV block type 1", 0.4, dropping)
    yield State(
        "second degree AV block type 2",
        0.3,
        dropping,
        companions={"complete right bundle branch block": 0.5},
    )
    yield State("third degree AV block", 0.4, dropping)
