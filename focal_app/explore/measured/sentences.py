"""What is measured in words: for the rows of findings, for JSON, and for the rule on demand."""

from focal_app.ecg.measured import Measured
from focal_app.ecg.measurement_names import NAMES, Name
from focal_app.ecg.numerals import numeral
from focal_app.explore.measured.rules import Case, Limit, Rule

_OTHER = {
    "p_share_percent": Name("P waves before", "", " % of the beats"),
    "p_before_spikes_percent": Name("P waves before the spikes of", "", " % of the paced beats"),
    "unrelated_p_per_min": Name("P waves unrelated to QRS", "", "/min"),
    "beats": Name("beats", "", ""),
    "early_beats": Name("early beats", "", ""),
    "early_qrs_ms": Name("the widest QRS of these", "", " ms"),
    "early_wider_ms": Name("wider than the other beats' by", "", " ms"),
}
NEARLY_ALL, NEARLY_NONE = 90, 10
AS_WIDE_MS = 6
REGULAR_PERCENT, IRREGULAR_PERCENT = 5, 10
_FIRST_LINE = ("rate_per_min", "pr_ms", "qrs_ms", "qtc_bazett_ms", "axis_degrees")


def said(quantity: str, value: float) -> str:
    """A measured value, a few words."""
    if quantity == "p_share_percent":
        return _p_waves(value)
    if quantity == "p_before_spikes_percent":
        return _p_before_spikes(value)
    if quantity == "unrelated_p_per_min":
        return f"P waves at {value:.0f}/min, unrelated to QRS"
    if quantity == "spikes":
        return "spikes of a pacemaker" if value else ""
    if quantity == "beats":
        return ""
    if quantity == "early_beats":
        return f"{round(value) or 'no'} early beat{'' if value == 1 else 's'}"
    if quantity == "early_qrs_ms":
        return f"QRS there up to {value:.0f} ms"
    if quantity == "early_wider_ms":
        if abs(value) <= AS_WIDE_MS:
            return "as in the other beats"
        return f"{abs(value):.0f} ms {'wider' if value > 0 else 'narrower'} than in the others"
    if quantity == "rr_variation_percent":
        return f"RR varies by {NAMES[quantity].amount(value)}"
    return NAMES[quantity].said(value)


def regularity(found: Measured) -> str:
    """Whether RR is even, in words; a dash where too few beats were found."""
    varies = found.measurements.rr_variation_percent.value
    if varies is None:
        return "–"
    if varies <= REGULAR_PERCENT:
        return "regular"
    return "irregular" if varies > IRREGULAR_PERCENT else "slightly irregular"


def pacing(found: Measured) -> str:
    """Spikes of a pacemaker, where any could be seen; a dash where none could."""
    if found.spikes_seen is None:
        return "–"
    return f"{len(found.waves.spikes_s)} spikes" if found.spikes_seen else "no spikes seen"


def early(found: Measured) -> str:
    """The beats that come early, where there are any: "2, QRS up to 160 ms"."""
    if found.early is None or found.early.qrs_ms is None:
        return ""
    return f"{found.early.count}, QRS up to {found.early.qrs_ms:.0f} ms"


def first_line(found: Measured) -> str:
    """What a printout says first, of what could be measured; empty where nothing could."""
    values = [(field, getattr(found.measurements, field).value) for field in _FIRST_LINE]
    known = [NAMES[field].said(value) for field, value in values if value is not None]
    told = [words.removeprefix("rate ").partition(" (")[0] for words in known]
    if told and found.measurements.rr_variation_percent.value is not None:
        told.insert(1, regularity(found))
    for quantity in ("unrelated_p_per_min", "early_beats", "spikes"):
        if value := found.value(quantity):
            told.append(said(quantity, value))
    return ", ".join(told)


def rule_in_words(rule: Rule) -> str:
    """The rule with its limits and its source."""
    parts = [
        f"{verb} where {' or '.join(_case(case) for case in cases)}"
        for verb, cases in (("Contradicted", rule.contradicted), ("Supported", rule.supported))
        if cases
    ]
    parts += [f"Noted where {_case(case)}: {words}" for words, case in rule.noted]
    return f"{'. '.join(parts)}. Criterion: {rule.source}."


def _p_waves(share: float) -> str:
    if share >= NEARLY_ALL:
        return "P waves before each QRS" if share > 99 else "P waves before nearly each QRS"
    if share <= NEARLY_NONE:
        return "no P waves before QRS"
    return f"P waves before {share:.0f} % of the beats"


def _p_before_spikes(share: float) -> str:
    if share >= NEARLY_ALL:
        return "pacing spikes before QRS, P waves before each spike"
    if share <= NEARLY_NONE:
        return "pacing spikes, no P waves before them"
    return f"pacing spikes, P waves before {share:.0f} % of them"


def _case(case: Case) -> str:
    return " and ".join(_limit(limit) for limit in case)


def _limit(limit: Limit) -> str:
    if limit.quantity == "spikes":
        return "there are pacing spikes" if limit.low else "there are no pacing spikes"
    known = _OTHER.get(limit.quantity) or NAMES[limit.quantity]
    name, unit = known.short, known.unit
    low, high = (None if b is None else numeral(b, "g") for b in (limit.low, limit.high))
    if low is None or high is None:
        bound = f"at most {high}" if low is None else f"at least {low}"
        return f"{name} {bound}{unit}"
    return f"{name} {low} to {high}{unit}"
