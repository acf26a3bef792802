"""What is measured in words: for the rows of findings, for JSON, and for the rule on demand."""

from focal_app.explore.measured.result import Measured
from focal_app.explore.measured.rules import Case, Limit, Rule

_UNITS = {
    "rate_per_min": ("rate", "/min"),
    "rr_variation_percent": ("RR varies by", " %"),
    "pr_ms": ("PR", " ms"),
    "qrs_ms": ("QRS", " ms"),
    "qt_ms": ("QT", " ms"),
    "qtc_bazett_ms": ("QTc", " ms (Bazett)"),
    "qtc_fridericia_ms": ("QTc", " ms (Fridericia)"),
    "axis_degrees": ("axis", "°"),
    "p_share_percent": ("P waves before", " % of the beats"),
    "spikes": ("pacing spikes", ""),
    "beats": ("beats", ""),
}
NEARLY_ALL, NEARLY_NONE = 90, 10
REGULAR_PERCENT, IRREGULAR_PERCENT = 5, 10
_FIRST_LINE = (
    ("rate_per_min", "", "/min"),
    ("pr_ms", "PR ", " ms"),
    ("qrs_ms", "QRS ", " ms"),
    ("qtc_bazett_ms", "QTc ", " ms"),
    ("axis_degrees", "axis ", "°"),
)


def said(quantity: str, value: float) -> str:
    """A measured value, a few words."""
    if quantity == "p_share_percent":
        return _p_waves(value)
    if quantity == "spikes":
        return "spikes of a pacemaker" if value else ""
    if quantity == "beats":
        return ""
    name, unit = _UNITS[quantity]
    number = f"{round(value)}".replace("-", "−")
    return f"{name} {number}{unit}"


def regularity(found: Measured) -> str:
    """Whether RR is even, in words; a dash where too few beats were found."""
    varies = found.measurements.rr_variation_percent.value
    if varies is None:
        return "–"
    if varies <= REGULAR_PERCENT:
        return "regular"
    return "irregular" if varies > IRREGULAR_PERCENT else "slightly irregular"


def first_line(found: Measured) -> str:
    """What a printout says first, of what could be measured; empty where nothing could."""
    values = [(getattr(found.measurements, field).value, *words) for field, *words in _FIRST_LINE]
    said = [
        f"{name}{round(value)}{unit}".replace("-", "−")
        for value, name, unit in values
        if value is not None
    ]
    if said and found.measurements.rr_variation_percent.value is not None:
        said.insert(1, regularity(found))
    return ", ".join([*said, *(["spikes of a pacemaker"] if found.spikes_seen else [])])


def rule_in_words(rule: Rule) -> str:
    """The rule with its limits and its source."""
    parts = [
        f"{verb} where {' or '.join(_case(case) for case in cases)}"
        for verb, cases in (("Contradicted", rule.contradicted), ("Supported", rule.supported))
        if cases
    ]
    return f"{'. '.join(parts)}. Criterion: {rule.source}."


def _p_waves(share: float) -> str:
    if share >= NEARLY_ALL:
        return "P waves before each QRS" if share > 99 else "P waves before nearly each QRS"
    if share <= NEARLY_NONE:
        return "no P waves before QRS"
    return f"P waves before {share:.0f} % of the beats"


def _case(case: Case) -> str:
    return " and ".join(_limit(limit) for limit in case)


def _limit(limit: Limit) -> str:
    if limit.quantity == "spikes":
        return "there are pacing spikes" if limit.low else "there are no pacing spikes"
    name, unit = _UNITS[limit.quantity]
    name = name.removesuffix(" by").removesuffix(" varies")
    name = "RR variation" if limit.quantity == "rr_variation_percent" else name
    low, high = (None if b is None else f"{b:g}".replace("-", "−") for b in (limit.low, limit.high))
    if low is None or high is None:
        bound = f"at most {high}" if low is None else f"at least {low}"
        return f"{name} {bound}{unit}"
    return f"{name} {low} to {high}{unit}"
