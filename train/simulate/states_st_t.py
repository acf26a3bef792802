"""States of ST, T and U without a territory."""

import numpy as np

from train.simulate import repolarization
from train.simulate.measure import ROW, Ruler, rows
from train.simulate.places import Mark
from train.simulate.state import State
from train.simulate.tagging import st_sunk_leads, t_inverted_leads

_SLOT = frozenset({"repolarization"})
_LEFT = ("I", "II", "aVF", "V4", "V5", "V6")
_LATERAL = ("I", "aVL", "V4", "V5", "V6")


def st_t_states() -> list[State]:
    """Every state of repolarisation that is not bound to a wall."""
    often = {
        "premature ventricular complex": 0.6,
        "atrial fibrillation": 0.8,
        "sinus tachycardia": 0.6,
        "first degree AV block": 0.5,
        "left anterior fascicular block": 0.6,
        "incomplete right bundle branch block": 0.6,
        "sinus bradycardia": 0.5,
    }
    return [
        State(
            "nondiagnostic T wave abnormality",
            5.0,
            _SLOT,
            (
                Mark("nondiagnostic T wave abnormality", _LEFT, "T"),
                Mark("nonspecific T wave change", _LEFT, "T"),
            ),
            order=6,
            shape=repolarization.nonspecific_t,
            holds=_dull_t,
            companions=often,
        ),
        State(
            "nonspecific ST change",
            2.0,
            _SLOT,
            (Mark("nonspecific ST change", _LEFT, "ST-T"),),
            order=6,
            shape=repolarization.nonspecific_st,
            holds=lambda r: -0.1 < r.st[rows("II", "V4", "V5", "V6")].min() <= -0.03,
            companions=often,
        ),
        State(
            "low amplitude T waves",
            1.5,
            _SLOT,
            (),
            order=6,
            shape=repolarization.low_t,
            holds=_flat_t,
            companions=often,
        ),
        State(
            "inverted T waves",
            1.5,
            _SLOT,
            (),
            order=6,
            shape=repolarization.inverted_t,
            holds=lambda r: bool(t_inverted_leads(r)),
            companions=often,
        ),
        State(
            "ST depression",
            2.0,
            _SLOT,
            (),
            order=6,
            shape=repolarization.st_depression,
            holds=lambda r: bool(st_sunk_leads(r)),
            companions=often,
        ),
        State(
            "myocardial ischemia",
            3.0,
            _SLOT,
            (Mark("myocardial ischemia", _LEFT, "ST-T"),),
            order=6,
            shape=repolarization.diffuse_ischemia,
            holds=lambda r: int((r.st[rows("I", "II", "V4", "V5", "V6")] <= -0.07).sum()) >= 3,
            companions=often,
        ),
        State(
            "digitalis effect",
            1.0,
            _SLOT,
            (Mark("digitalis effect", _LEFT, "ST-T"),),
            order=6,
            shape=repolarization.digitalis,
            holds=lambda r: int((r.st[rows("I", "II", "V4", "V5", "V6")] <= -0.04).sum()) >= 2,
            companions={"atrial fibrillation": 3.0},
        ),
        State(
            "long QT interval", 1.2, _SLOT, order=6, shape=repolarization.long_qt, companions=often
        ),
        State(
            "peaked T waves",
            0.5,
            _SLOT,
            (Mark("hyperkalemia", ("II", "V2", "V3", "V4", "V5"), "T"),),
            order=6,
            shape=repolarization.high_potassium,
            holds=lambda r: int((r.t > _PEAKED).sum()) >= 2,
        ),
        State(
            "prominent U waves",
            0.5,
            _SLOT,
            (
                Mark("prominent U waves", ("II", "V2", "V3", "V4", "V5"), "U"),
                Mark("hypokalemia", ("II", "V2", "V3", "V4", "V5"), "U"),
            ),
            order=6,
            shape=repolarization.low_potassium,
        ),
        State(
            "early repolarization",
            1.0,
            _SLOT,
            (Mark("early repolarization", ("II", "V2", "V3", "V4", "V5"), "ST"),),
            order=6,
            shape=repolarization.early_repolarization,
            holds=lambda r: int((r.st[rows("II", "V2", "V3", "V4", "V5")] >= 0.1).sum()) >= 2,
            of_the_healthy=True,
        ),
        State(
            "ventricular aneurysm",
            0.4,
            _SLOT | {"septal", "anterior"},
            (
                Mark("ventricular aneurysm", ("V1", "V2", "V3", "V4"), "ST"),
                Mark("anteroseptal myocardial infarction", ("V1", "V2", "V3", "V4"), "QRST"),
            ),
            order=6,
            shape=repolarization.aneurysm,
            holds=lambda r: (
                int((r.st[rows("V2", "V3", "V4")] >= 0.12).sum()) >= 2 and r.r[ROW["V3"]] < 0.3
            ),
        ),
    ]


_PEAKED = np.array([0.7] * 6 + [1.15] * 6)
"""Beyond 0.5 mV in limb and 1 mV in chest leads, above which T is usually called tall."""


def _dull_t(ruler: Ruler) -> bool:
    """T low or slightly turned in two left leads at least."""
    rows = [ROW[lead] for lead in ("I", "II", "V4", "V5", "V6")]
    dull = (ruler.t[rows] < np.maximum(0.17 * ruler.r[rows], 0.1)) & (ruler.t[rows] > -0.2)
    return int(dull.sum()) >= 3


def _flat_t(ruler: Ruler) -> bool:
    """T below a tenth of an R of some size, the limit of the AHA/ACCF/HRS (see `tagging`)."""
    rows = [ROW[lead] for lead in ("I", "II", "V3", "V4", "V5", "V6")]
    low = (np.abs(ruler.t[rows]) < 0.1 * ruler.r[rows]) & (ruler.r[rows] > 0.35)
    return int(low.sum()) >= 3 and bool((np.abs(ruler.t_low[rows]) < 0.1).all())
