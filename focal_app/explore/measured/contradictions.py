"""Whether what is measured contradicts a finding, supports it, or says nothing of it.

    judged(found, "atrial fibrillation")    # Judgement("RR varies by 2 %, P waves ...", True, ...)

The probability of a finding is never changed: the sentence stands beside it. A limit holds only
where the value clears it by its own spread, and the cardiograph's own value, where there is one,
lies beyond it too: an uncertain measurement says nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from focal_app.ecg.measured import Measured
from focal_app.explore.measured.rules import Case, Limit, Rule, rules_of
from focal_app.explore.measured.sentences import said
from focal_app.lexicon import load_lexicon

_WITH_SPREAD = ("pr_ms", "qrs_ms", "qtc_bazett_ms", "qtc_fridericia_ms", "axis_degrees")
"""Their spread says how sure the value is; that of a rate or of RR is the heart's own."""


@dataclass(frozen=True)
class Judgement:
    """`measured` says what bears on a finding, None where nothing does or could be measured;
    `contradicted` is None where that decides nothing."""

    measured: str | None = None
    contradicted: bool | None = None


NOTHING = Judgement()


def judged(found: Measured, prompt: str) -> Judgement:
    """What the measurements say of a finding in these words; nothing of words of one's own."""
    statement = load_lexicon().resolve(prompt)
    if statement is None:
        return NOTHING
    rules = list(rules_of(statement.tag))
    for rule in rules:
        if case := _holding(rule.contradicted, found):
            return Judgement(_sentence(case, found), True)
    own = next((rule for rule in rules if rule.statement == statement.tag), None)
    if own and (case := _holding(own.supported, found)):
        noted = _noted(own, found)
        return Judgement(_sentence(case, found) + (f" ({noted})" if noted else ""), False)
    return Judgement(_undecided(own, found))


def _holding(cases: Sequence[Case], found: Measured) -> Case | None:
    return next((case for case in cases if all(_holds(limit, found) for limit in case)), None)


def _holds(limit: Limit, found: Measured) -> bool:
    value, spread = _value(limit.quantity, found)
    if value is None:
        return False
    return all(
        (limit.low is None or low >= limit.low) and (limit.high is None or high <= limit.high)
        for low, high in ((value - spread, value + spread), *_device(limit.quantity, found))
    )


def _device(quantity: str, found: Measured) -> list[tuple[float, float]]:
    """The cardiograph's own value as low and high, where the file has one."""
    device = getattr(getattr(found.measurements, quantity, None), "device", None)
    return [] if device is None else [(device, device)]


def _value(quantity: str, found: Measured) -> tuple[float | None, float]:
    """What was measured, and by how much it has to clear a limit."""
    if quantity not in _WITH_SPREAD:
        return found.value(quantity), 0.0
    return found.value(quantity), getattr(found.measurements, quantity).spread or 0.0


def _sentence(case: Case, found: Measured) -> str:
    values = [(limit.quantity, _value(limit.quantity, found)[0]) for limit in case]
    return ", ".join(
        words for name, value in values if value is not None and (words := said(name, value))
    )


def _undecided(rule: Rule | None, found: Measured) -> str | None:
    """What was measured of the first case that could be, where that is a value and not an absence.

    Before that comes what is noted of it.
    """
    if noted := _noted(rule, found):
        return noted
    for case in [*rule.contradicted, *rule.supported] if rule else ():
        values = tuple(limit for limit in case if limit.quantity not in ("spikes", "beats"))
        words = _sentence(values, found)
        if words or not values:
            return words or None
    return None


def _noted(rule: Rule | None, found: Measured) -> str:
    """All that is noted, but of quantities that an earlier note has told nothing again."""
    notes: list[str] = []
    told: set[str] = set()
    for words, case in rule.noted if rule else ():
        quantities = {limit.quantity for limit in case}
        if not quantities <= told and _holding([case], found):
            notes.append(f"{_sentence(case, found)}: {words}")
            told |= quantities
    return "; ".join(notes)
