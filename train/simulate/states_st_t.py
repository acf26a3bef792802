"""States of ST, T and U without a territory.

ST counts as sunk from 0.05 mV and as raised from 0.1 mV (see `tagging`). The limits in mV in which
a state `holds` are chosen around these, with no source of their own: each says why beside it.
"""

from functools import partial

import numpy as np

from train.simulate import repolarization
from train.simulate.measure import ROW, Ruler, rows
from train.simulate.places import Mark
from train.simulate.state import State
from train.simulate.tagging import PEAKED_T_MV, st_sunk_leads, t_inverted_leads

_SLOT = frozenset({"repolarization"})
_LEFT = ("I", "II", "aVF", "V4", "V5", "V6")
_WITH_CHEST = ("II", "V2", "V3", "V4", "V5")
_FRONT = ("V1", "V2", "V3", "V4")


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
    state = partial(State, slots=_SLOT, order=6)
    common = partial(state, companions=often)
    return [
        common(
            "nondiagnostic T wave abnormality",
            5.0,
            marks=(
                Mark("nondiagnostic T wave abnormality", _LEFT, "T"),
                Mark("nonspecific T wave change", _LEFT, "T"),
            ),
            shape=repolarization.nonspecific_t,
            holds=_dull_t,
        ),
        common(
            "nonspecific ST change",
            2.0,
            marks=(Mark("nonspecific ST change", _LEFT, "ST-T"),),
            shape=repolarization.nonspecific_st,
            # Less than twice the limit, from which a depression is clear (`states_territory`).
            holds=lambda r: -0.1 < r.st[rows("II", "V4", "V5", "V6")].min() <= -0.03,
        ),
        common("low amplitude T waves", 1.5, shape=repolarization.low_t, holds=_flat_t),
        common("inverted T waves", 1.5, shape=repolarization.inverted_t, holds=t_inverted_leads),
        common("ST depression", 2.0, shape=repolarization.st_depression, holds=st_sunk_leads),
        common(
            "myocardial ischemia",
            3.0,
            marks=(Mark("myocardial ischemia", _LEFT, "ST-T"),),
            shape=repolarization.diffuse_ischemia,
            # Beyond the limit of a depression, and in more leads than its two.
            holds=lambda r: (r.st[rows("I", "II", "V4", "V5", "V6")] <= -0.07).sum() >= 3,
        ),
        state(
            "digitalis effect",
            1.0,
            marks=(Mark("digitalis effect", _LEFT, "ST-T"),),
            shape=repolarization.digitalis,
            # Known by its scoop: it need not be as deep as a depression.
            holds=lambda r: (r.st[rows("I", "II", "V4", "V5", "V6")] <= -0.04).sum() >= 2,
            companions={"atrial fibrillation": 3.0},
        ),
        common("long QT interval", 1.2, shape=repolarization.long_qt),
        state(
            "peaked T waves",
            0.5,
            marks=(Mark("hyperkalemia", _WITH_CHEST, "T"),),
            shape=repolarization.high_potassium,
            holds=lambda r: (r.t > PEAKED_T_MV).sum() >= 2,
        ),
        state(
            "prominent U waves",
            0.5,
            marks=tuple(
                Mark(tag, _WITH_CHEST, "U") for tag in ("prominent U waves", "hypokalemia")
            ),
            shape=repolarization.low_potassium,
        ),
        state(
            "early repolarization",
            1.0,
            marks=(Mark("early repolarization", _WITH_CHEST, "ST"),),
            shape=repolarization.early_repolarization,
            holds=lambda r: (r.st[rows(*_WITH_CHEST)] >= 0.1).sum() >= 2,
            of_the_healthy=True,
        ),
        state(
            "ventricular aneurysm",
            0.4,
            slots=_SLOT | {"septal", "anterior"},
            marks=(
                Mark("ventricular aneurysm", _FRONT, "ST"),
                Mark("anteroseptal myocardial infarction", _FRONT, "QRST"),
            ),
            shape=repolarization.aneurysm,
            # ST that stayed up, over a scar: R in V3 below the limit of poor progression.
            holds=lambda r: (
                (r.st[rows("V2", "V3", "V4")] >= 0.12).sum() >= 2 and r.r[ROW["V3"]] < 0.3
            ),
        ),
    ]


def _dull_t(ruler: Ruler) -> bool:
    """T low or slightly turned in three left leads at least: chosen limits.

    They lie around those of `tagging`, where T below a tenth of R is flat and at -0.1 mV inverted.
    """
    left = rows("I", "II", "V4", "V5", "V6")
    dull = (ruler.t[left] < np.maximum(0.17 * ruler.r[left], 0.1)) & (ruler.t[left] > -0.2)
    return dull.sum() >= 3


def _flat_t(ruler: Ruler) -> bool:
    """T below a tenth of an R of some size, the limit of the AHA/ACCF/HRS (see `tagging`)."""
    upright = rows("I", "II", "V3", "V4", "V5", "V6")
    low = (np.abs(ruler.t[upright]) < 0.1 * ruler.r[upright]) & (ruler.r[upright] > 0.35)
    return low.sum() >= 3 and bool((np.abs(ruler.t_low[upright]) < 0.1).all())
