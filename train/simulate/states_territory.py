"""States that have a territory: infarction, injury, ischaemia."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from train.simulate import infarction, repolarization
from train.simulate.heart import Heart
from train.simulate.measure import ROW, Ruler, rows
from train.simulate.places import Mark
from train.simulate.state import TERRITORY_LEADS, State
from train.simulate.tagging import poor_r, q_leads


def _infarct_shows(ruler: Ruler, territory: str) -> bool:
    """Old infarction: Q in the wall, or R lost over it; posterior: tall R in V2.

    Q may be a little smaller than a pathological one (30 ms, 0.1 mV), as many scars leave it.
    """
    q_small = (ruler.q_s >= 0.024) & (ruler.q >= np.maximum(0.06, 0.2 * ruler.r))
    if territory == "posterior":
        r, s = ruler.r[ROW["V2"]], ruler.s[ROW["V2"]]
        return r >= 0.6 and r > 0.8 * s
    if "infer" in territory:
        return q_small[rows("II", "III", "aVF")].sum() >= 2
    if territory == "lateral":
        return q_small[rows("I", "aVL", "V5", "V6")].sum() >= 2
    r2, r3 = ruler.r[rows("V2", "V3")]
    reversed_r = r3 <= 0.5 and r3 < r2
    return "Q waves in V1-V4" in q_leads(ruler) or poor_r(ruler) or reversed_r


def _old(heart: Heart, rng: np.random.Generator, territory: str) -> None:
    """A scar; in most T is low to the left, and turned over it, or ST a little high, or neither."""
    turned = 0.35 if "infer" in territory or "later" in territory else 0.2
    infarction.scar(heart, rng, territory, size=rng.uniform(0.2, 1.0))
    if rng.random() < 0.6:
        repolarization.flatten_left_t(heart, rng, keep=rng.uniform(0.1, 0.8))
    fate = rng.random()
    if fate < turned:
        infarction.residual_t(heart, rng, territory, size=rng.uniform(0.10, 0.38))
    elif fate < turned + 0.2:
        infarction.injure(heart, rng, territory, size=rng.uniform(0.03, 0.09))


def _acute(heart: Heart, rng: np.random.Generator, territory: str) -> None:
    if rng.random() < 0.6:
        infarction.scar(heart, rng, territory, size=rng.uniform(0.25, 0.9))
    infarction.injure(heart, rng, territory, size=rng.uniform(0.18, 0.45))


def _st_lifted(ruler: Ruler, territory: str) -> bool:
    """ST above the 0.1 mV of the universal definition of infarction; posterior: its mirror."""
    if territory == "posterior":
        return ruler.st[ROW["V2"]] <= -0.08
    core = TERRITORY_LEADS[territory][:3]
    return (ruler.st[rows(*core)] >= 0.11).sum() >= 2


def _st_t_abnormal(ruler: Ruler, territory: str) -> bool:
    """T 0.1 mV or ST 0.05 mV down in two leads (universal definition of infarction)."""
    over = rows(*TERRITORY_LEADS[territory])
    return ((ruler.t_low[over] <= -0.1) | (ruler.st[over] <= -0.05)).sum() >= 2


def _st_sunk(ruler: Ruler, territory: str) -> bool:
    """ST clearly down in two leads: twice the 0.05 mV of that definition."""
    return (ruler.st[rows(*TERRITORY_LEADS[territory])] <= -0.1).sum() >= 2


_INFARCT_WEIGHTS = {
    "inferior": 5.0,
    "anteroseptal": 5.0,
    "anterior": 2.5,
    "anterolateral": 1.6,
    "lateral": 1.2,
    "inferolateral": 1.4,
    "posterior": 0.4,
    "inferoposterior": 0.5,
    "inferoposterolateral": 0.4,
}
"""How often each is drawn, acute or old; inferior and anteroseptal ones are the commonest."""
_INJURY = {
    "anteroseptal": 0.7,
    "anterolateral": 0.7,
    "inferior": 0.4,
    "lateral": 0.4,
    "inferolateral": 0.4,
}
_ISCHEMIA = {
    "anterior": 0.8,
    "anteroseptal": 0.8,
    "anterolateral": 1.8,
    "lateral": 1.2,
    "inferior": 1.0,
    "inferolateral": 1.2,
}


def _acute_marks(territory: str) -> tuple[Mark, ...]:
    """An acute infarction raises ST, but for the posterior one, which shows its mirror image."""
    leads = TERRITORY_LEADS[territory]
    tags = ["acute myocardial infarction"]
    if territory != "posterior":
        tags.append("ST elevation myocardial infarction")
    if territory in ("inferior", "anterior", "lateral"):
        tags.append(f"acute {territory} myocardial infarction")
    return tuple(Mark(tag, leads, "ST-T") for tag in tags)


def infarctions() -> Iterator[State]:
    """Old and acute infarction of every territory."""
    with_scar = {
        "left anterior fascicular block": 2.0,
        "left ventricular hypertrophy": 1.0,
        "left ventricular hypertrophy with strain": 1.0,
        "nondiagnostic T wave abnormality": 1.2,
        "low amplitude T waves": 1.0,
        "ST depression": 1.0,
        "nonspecific ST change": 0.7,
        "low QRS voltage": 0.9,
        "premature ventricular complex": 0.8,
        "premature atrial complex": 0.5,
        "first degree AV block": 0.8,
        "atrial fibrillation": 0.9,
        "incomplete right bundle branch block": 0.6,
        "complete right bundle branch block": 0.8,
        "left atrial enlargement": 0.6,
        "sinus tachycardia": 0.8,
        "ischemia in anterolateral leads": 0.7,
        "nonspecific intraventricular conduction delay": 0.8,
        "long QT interval": 0.3,
        "old inferior myocardial infarction": 1.0,
        "old anteroseptal myocardial infarction": 1.0,
    }
    for territory, weight in _INFARCT_WEIGHTS.items():
        leads = TERRITORY_LEADS[territory]
        mark = Mark(f"{territory} myocardial infarction", leads, "QRST")
        scarred = Mark("old myocardial infarction", leads, "QRST")
        walls = frozenset(infarction.TERRITORIES[territory])
        yield State(
            f"old {territory} myocardial infarction",
            0.85 * weight,
            walls,
            (mark, scarred),
            order=4,
            shape=partial(_old, territory=territory),
            holds=partial(_infarct_shows, territory=territory),
            companions=with_scar,
        )
        yield State(
            f"acute {territory} myocardial infarction",
            0.15 * weight,
            walls | {"repolarization"},
            (mark, *_acute_marks(territory)),
            order=6,
            shape=partial(_acute, territory=territory),
            holds=partial(_st_lifted, territory=territory),
            companions={
                "premature ventricular complex": 1.0,
                "sinus tachycardia": 1.0,
                "sinus bradycardia": 0.6,
                "first degree AV block": 0.7,
            },
        )


def ischemias() -> Iterator[State]:
    """Ischaemia and subendocardial injury of every territory."""
    for territory, weight in _ISCHEMIA.items():
        mark = Mark(f"ischemia in {territory} leads", TERRITORY_LEADS[territory], "ST-T")
        yield State(
            mark.tag,
            weight,
            frozenset({"repolarization"}),
            (mark,),
            order=6,
            shape=partial(repolarization.ischemia, territory=territory),
            holds=partial(_st_t_abnormal, territory=territory),
            companions={
                "left ventricular hypertrophy": 1.0,
                "atrial fibrillation": 0.6,
                "first degree AV block": 0.5,
                "premature ventricular complex": 0.7,
                "old inferior myocardial infarction": 0.6,
            },
        )
    for territory, weight in _INJURY.items():
        tag = f"subendocardial injury in {territory} leads"
        yield State(
            tag,
            weight,
            frozenset({"repolarization"}),
            (Mark(tag, TERRITORY_LEADS[territory], "ST-T"),),
            order=6,
            shape=partial(repolarization.subendocardial_injury, territory=territory),
            holds=partial(_st_sunk, territory=territory),
            companions={"left ventricular hypertrophy": 0.5, "sinus tachycardia": 0.7},
        )
