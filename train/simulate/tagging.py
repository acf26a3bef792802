"""Tags that a ruler decides: from measurements of the drawn beat to statements and places.

Limits: AHA/ACCF/HRS recommendations (J Am Coll Cardiol 53:976-1011, 2009) and the fourth
universal definition of infarction (Circulation 138:e618, 2018), where not said otherwise.
"""

from itertools import chain

import numpy as np

from focal_app.ecg.recording import LEADS
from train.simulate.heart import Heart
from train.simulate.measure import ROW, Ruler, rows
from train.simulate.patient import Patient
from train.simulate.places import Mark

INFERIOR = ("II", "III", "aVF")
ANTERIOR = ("V1", "V2", "V3", "V4")
LATERAL = ("I", "aVL", "V5", "V6")
LIMB = LEADS[:6]
CHEST = LEADS[6:]
P_SEEN = ("I", "II", "III", "aVR", "aVF", "V1", "V2")
VOLTAGE = ("I", "aVL", "V1", "V2", "V5", "V6")
HIGH_QRS_MV = np.array([2.2] * 6 + [3.8] * 6)
PEAKED_T_MV = np.array([0.7] * 6 + [1.15] * 6)
"""Beyond 0.5 mV in limb and 1 mV in chest leads, above which T is usually called tall."""


def measured_marks(ruler: Ruler, heart: Heart, patient: Patient) -> list[Mark]:
    """Every tag that holds by measurement, with the leads in which it was measured."""
    return [
        *_axis(ruler),
        *_voltage(ruler, heart),
        *_chest_shape(ruler, heart),
        *_q_waves(ruler, heart),
        *_st(ruler, patient),
        *_t(ruler),
        *_wide(ruler),
    ]


HEALTHY = frozenset(
    {
        "normal QRS axis",
        "normal R wave progression",
        "isoelectric ST segment",
        "upright T waves",
        "narrow QRS complex",
        "clockwise rotation",
        "counterclockwise rotation",
    }
)
"""Measured tags that a healthy heart may have."""


Walls = dict[str, tuple[str, ...]]
"""By a tag, the leads of a wall in which it was measured."""


def _where(values: np.ndarray, leads: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(lead for lead in leads if values[ROW[lead]])


def _in_two(walls: Walls) -> Walls:
    return {tag: leads for tag, leads in walls.items() if len(leads) >= 2}


def _all_of(walls: Walls) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(walls.values())))


def _axis(ruler: Ruler) -> list[Mark]:
    if -90 <= ruler.axis_deg < -30:
        return [Mark("left axis deviation", LIMB, "QRS")]
    if 90 < ruler.axis_deg <= 180:
        return [Mark("right axis deviation", LIMB, "QRS")]
    tag = "extreme axis deviation" if ruler.axis_deg < -90 else "normal QRS axis"
    return [Mark(tag, LIMB, "QRS")]


def _voltage(ruler: Ruler, heart: Heart) -> list[Mark]:
    marks = []
    if (ruler.swing[rows(*LIMB)] < 0.5).all():
        marks.append(Mark("low QRS voltage", LIMB, "QRS"))
        marks.append(Mark("low QRS voltage in limb leads", LIMB, "QRS"))
        if (ruler.swing[rows(*CHEST)] < 1.0).all():
            marks.append(Mark("low QRS voltage in chest leads", CHEST, "QRS"))
    # Low in the limb leads and high in the chest is read as low.
    high = () if marks else _where(ruler.swing > HIGH_QRS_MV, LEADS)
    if high:
        marks.append(Mark("high QRS voltage", high, "QRS"))
    if heart.voltage_judged and meets_lvh_voltage(ruler):
        marks.append(Mark("voltage criteria for left ventricular hypertrophy", VOLTAGE, "QRS"))
    return marks


def sokolow_lyon_mv(ruler: Ruler) -> float:
    """S in V1 plus the taller R of V5 and V6 (Sokolow & Lyon, Am Heart J 37:161, 1949)."""
    deep = max(ruler.s[ROW["V1"]], ruler.q[ROW["V1"]])
    return float(deep + max(ruler.r[ROW["V5"]], ruler.r[ROW["V6"]]))


def meets_lvh_voltage(ruler: Ruler) -> bool:
    """Sokolow-Lyon from 3.5 mV, or R in aVL from 1.1 mV."""
    return sokolow_lyon_mv(ruler) >= 3.5 or bool(ruler.r[ROW["aVL"]] >= 1.1)


def _chest_shape(ruler: Ruler, heart: Heart) -> list[Mark]:
    r, s = ruler.r, np.maximum(ruler.s, ruler.q)
    marks = []
    if tall := _where(r > 2.5, ("V5", "V6")):
        marks.append(Mark("tall R waves in V5-V6", tall, "QRS"))
    v1 = ROW["V1"]  # 0.7 mV is a limit of right ventricular hypertrophy
    if max(r[v1], ruler.r_prime[v1]) >= 0.7 or (r[v1] >= 0.5 and r[v1] > s[v1]):
        marks.append(Mark("tall R wave in V1", ("V1",), "QRS"))
    if deep := _where(s > np.array([9.0] * 6 + [1.9, 2.8, 2.6, 9, 9, 9]), ("V1", "V2", "V3")):
        marks.append(Mark("deep S waves in V1-V3", deep, "QRS"))
    deep = _where(ruler.s >= np.maximum(0.45, 0.8 * r), ("I", "V5", "V6"))
    if "V6" in deep or len(deep) >= 2:
        marks.append(Mark("deep S waves in I, V5-V6", deep, "QRS"))
    if poor_r(ruler):
        marks.append(Mark("poor R wave progression", ("V1", "V2", "V3", "V4"), "QRS"))
    marks += _turn(r, s, poor=poor_r(ruler))
    if all(r[ROW[lead]] < 0.04 and s[ROW[lead]] > 0.15 for lead in ("V1", "V2")):
        marks.append(Mark("QS complexes in V1-V2", ("V1", "V2"), "QRS"))
    if split := _where(
        (ruler.r_prime >= 0.08) & (r >= 0.04) & (ruler.s >= 0.08), ("V1", "V2", "V3")
    ):
        marks.append(Mark("RSR' pattern in V1-V3", split, "QRS"))
    broad = _where((ruler.notches >= 2) & (r > 0.3) & (ruler.s < 0.3 * r), LATERAL)
    if ruler.qrs_s >= 0.12 and len(broad) >= 2:
        marks.append(Mark("broad notched R waves in I, aVL, V5-V6", broad, "QRS"))
    return marks


def _turn(r: np.ndarray, s: np.ndarray, *, poor: bool) -> list[Mark]:
    """Where R outgrows S along the chest: early, late, or as usual (V3 or V4)."""
    if r[ROW["V2"]] > s[ROW["V2"]]:
        return [Mark("counterclockwise rotation", ("V1", "V2", "V3"), "QRS")]
    if r[ROW["V5"]] < s[ROW["V5"]]:
        return [Mark("clockwise rotation", ("V3", "V4", "V5", "V6"), "QRS")]
    grows = all(r[ROW[a]] < r[ROW[b]] for a, b in (("V1", "V2"), ("V2", "V3"), ("V3", "V4")))
    return [Mark("normal R wave progression", CHEST, "QRS")] if grows and not poor else []


def poor_r(ruler: Ruler) -> bool:
    """R in V3 at most 0.3 mV, the usual limit, without a tall R in V1 or V2."""
    r = ruler.r
    return bool(r[ROW["V3"]] <= 0.3 and max(r[ROW["V1"]], r[ROW["V2"]]) <= 0.4)


def q_leads(ruler: Ruler) -> Walls:
    """Leads with a pathological Q or QS, by wall; a wall needs two."""
    whole = (ruler.r < 0.04) & (ruler.q > 0.1)
    long = (ruler.q_s >= 0.03) & (ruler.q >= np.maximum(0.1, 0.25 * ruler.r))
    chest = whole | long
    chest[rows("V2", "V3")] |= ((ruler.q > 0.06) & (ruler.q_s >= 0.02))[rows("V2", "V3")]
    return _in_two(
        {
            "Q waves in inferior leads (II, III, aVF)": _where(whole | long, INFERIOR),
            "Q waves in V1-V4": _where(chest, ANTERIOR),
            "Q waves in lateral leads (I, aVL, V5-V6)": _where(whole | long, LATERAL),
        }
    )


def _q_waves(ruler: Ruler, heart: Heart) -> list[Mark]:
    found = q_leads(ruler)
    marks = [Mark(tag, leads, "QRS") for tag, leads in found.items()]
    if found and heart.voltage_judged:
        marks.append(Mark("pathological Q waves", _all_of(found), "QRS"))
    return marks


def st_sunk_leads(ruler: Ruler) -> tuple[str, ...]:
    """Leads of every wall in which ST is at least 0.05 mV down in two leads."""
    sunk = ruler.st <= -0.05
    walls = [_where(sunk, wall) for wall in (INFERIOR, ("V4", "V5", "V6"))]
    return tuple(lead for wall in walls if len(wall) >= 2 for lead in wall)


def t_inverted_leads(ruler: Ruler) -> tuple[str, ...]:
    """Leads with an inverted T, where two leads of a wall have one."""
    return tuple(
        lead for mark in _t(ruler) if mark.tag == "inverted T waves" for lead in mark.leads
    )


def _st(ruler: Ruler, patient: Patient) -> list[Mark]:
    high = 0.15 if patient.sex == "female" else (0.25 if patient.age_years < 40 else 0.2)
    limits = np.array([0.1] * 7 + [high, high, 0.1, 0.1, 0.1])
    limits[ROW["V1"]] = max(0.12, 0.6 * high)  # in health V1 rises with V2, by less
    raised, sunk = ruler.st >= limits, ruler.st <= -0.05
    marks = []
    lifts = {
        "ST elevation in inferior leads (II, III, aVF)": _where(raised, INFERIOR),
        "ST elevation in V1-V4": _where(raised, ANTERIOR),
        "ST elevation in lateral leads (I, aVL, V5-V6)": _where(raised, LATERAL),
    }
    drops = {
        "ST depression in inferior leads": _where(sunk, INFERIOR),
        "ST depression in V4-V6": _where(sunk, ("V4", "V5", "V6")),
        "ST depression in V1-V3": _where(sunk, ("V1", "V2", "V3")),
        "": _where(sunk, ("I", "aVL")),
    }
    # A front that rises in two leads and sinks in two others is named by what rises.
    unnamed = {"", "ST depression in V1-V3" if len(lifts["ST elevation in V1-V4"]) >= 2 else ""}
    for general, walls in (("ST elevation", lifts), ("ST depression", drops)):
        kept = _in_two(walls)
        marks += [Mark(tag, leads, "ST") for tag, leads in kept.items() if tag not in unnamed]
        if kept:
            marks.append(Mark(general, _all_of(kept), "ST"))
    if int(sunk.sum()) >= 6:
        marks.append(Mark("diffuse ST depression", _where(sunk, LEADS), "ST"))
    if ruler.st[ROW["aVR"]] >= 0.1:
        marks.append(Mark("ST elevation in aVR", ("aVR",), "ST"))
    if not marks and not raised.any() and bool((ruler.st > -0.04).all()):
        marks.append(Mark("isoelectric ST segment", (*LIMB, "V4", "V5", "V6"), "ST"))
    return marks


def _t(ruler: Ruler) -> list[Mark]:
    turned = (ruler.t <= -0.1) | ((ruler.t_low <= -0.15) & (ruler.t < 0.3))
    kept = _in_two(
        {
            "inverted T waves in inferior leads": _where(turned, INFERIOR),
            "inverted T waves in V1-V4": _where(turned, ("V2", "V3", "V4")),
            "inverted T waves in lateral leads (I, aVL, V5-V6)": _where(turned, LATERAL),
        }
    )
    marks = [Mark(tag, leads, "T") for tag, leads in kept.items()]
    if kept:
        leads = _all_of(kept)
        marks.append(Mark("inverted T waves", leads, "T"))
        deep = _where(ruler.t_low <= -0.5, leads)
        if len(deep) >= 2:
            marks.append(Mark("deep T wave inversion", deep, "T"))
    upright = _where(ruler.t >= 0.1, ("I", "II", "V3", "V4", "V5", "V6"))
    if len(upright) == 6 and not kept:
        marks.append(Mark("upright T waves", upright, "T"))
    # T below a tenth of R is low, where R is above 0.3 mV: here a little more.
    low = (np.abs(ruler.t) < 0.1 * ruler.r) & (ruler.r > 0.35)
    flat = _where(low & (np.abs(ruler.t_low) < 0.1), ("I", "II", "V3", "V4", "V5", "V6"))
    if len(flat) >= 3:
        marks.append(Mark("low amplitude T waves", flat, "T"))
    peaked = _where(ruler.t > PEAKED_T_MV, LEADS)
    if len(peaked) >= 2 and len(flat) < 3:
        marks.append(Mark("peaked T waves", peaked, "T"))
    return marks


def _wide(ruler: Ruler) -> list[Mark]:
    tag = "wide QRS complex" if ruler.qrs_s >= 0.12 else "narrow QRS complex"
    return [Mark(tag, LEADS, "QRS")]
