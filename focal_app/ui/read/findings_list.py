"""The list of findings: in short, the likely ones, the possible ones, the rest folded.

Rows are buttons; `findings.js` moves between them by keyboard and tells the server what was
chosen, reworded or removed.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from focal_app.explore.measured.rules import rules_of
from focal_app.explore.measured.sentences import rule_in_words
from focal_app.explore.measured.unnamed import HEADING
from focal_app.explore.reading.prompts import LONGEST, read_as, scored
from focal_app.explore.reading.reading import Finding, most_probable, percent
from focal_app.figures.templates import Templates
from focal_app.lexicon import GROUPS, load_lexicon
from focal_app.ui import wording
from focal_app.ui.gradio_helpers import paragraph
from focal_app.ui.read import wording as said
from focal_app.ui.read.state import View

_fill = Templates(Path(__file__).parent, wording=wording, said=said, longest=LONGEST)
_VERDICTS = {True: "against", False: "fits", None: "noted"}


_Row = dict[str, object]


def findings_list(view: View) -> Markup:
    """The whole list as HTML, or why there is none."""
    if view.reading is None:
        return paragraph(wording.NOT_READ)
    if view.reading.not_read:
        return paragraph(wording.not_read(view.reading.not_read))
    if not view.reading.findings:
        return paragraph(wording.NO_PROMPTS)
    findings = view.reading.findings
    first, against = most_probable(findings), contradicted(findings)
    shown = {one.prompt for one in first}
    others = sorted((one for one in findings if one.prompt not in shown), key=_place)
    folded = [one for one in others if one.improbable]
    possible = _by_group(_without(others, folded))
    told = [one for one in _without(first, against) if one.likely]
    return _fill(
        "findings",
        in_short=said.in_short(told, view.reading.measured, against=bool(against)),
        against=[said.against(one) for one in against],
        unnamed=view.reading.unnamed,
        named_by_none=HEADING,
        groups=_rows([(wording.MOST_PROBABLE, first), *possible], view),
        folded=_rows(_by_group(folded), view),
        others=said.others(len(folded)),
        unfolded=any(one.prompt == view.chosen for one in folded),
    )


def _by_group(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    return [(name, list(found)) for name, found in groupby(findings, _group_name)]


def _without(findings: Sequence[Finding], left_out: Sequence[Finding]) -> list[Finding]:
    names = {one.prompt for one in left_out}
    return [one for one in findings if one.prompt not in names]


def _rows(
    groups: Sequence[tuple[str, Sequence[Finding]]], view: View
) -> list[tuple[str, list[_Row]]]:
    return [(name, [_row(one, view.chosen) for one in found]) for name, found in groups]


def contradicted(findings: Sequence[Finding]) -> list[Finding]:
    """What is likely although measurements refute it, the likeliest first."""
    found = [one for one in findings if one.likely and one.contradicted]
    return sorted(found, key=lambda one: -one.probability)


def _place(finding: Finding) -> tuple[int, float]:
    """Groups in the order in which an ECG is read, and the likeliest first in each."""
    order = GROUPS.index(finding.group) if finding.group in GROUPS else len(GROUPS)
    return order, -finding.probability


def _group_name(finding: Finding) -> str:
    return wording.GROUPS.get(finding.group, wording.OWN_GROUP)


def _row(finding: Finding, chosen: str | None) -> _Row:
    """A finding as it is listed; `known` where the lexicon has it, with meaning and usual leads."""
    statement = load_lexicon().statements.get(scored(finding.prompt).words)
    return {
        "prompt": finding.prompt,
        "percent": percent(finding.probability),
        "width": f"{100 * finding.probability:.1f}%",
        "similarity": finding.similarity,
        "beside": _beside(finding.prompt),
        "chosen": finding.prompt == chosen,
        "likely": finding.likely,
        "known": statement is not None,
        "meaning": statement.description if statement else "",
        "leads": statement.leads if statement else (),
        "measured": said.beside(finding),
        "verdict": _VERDICTS[finding.contradicted],
        "evidence": said.evidence(finding),
        "trust": said.trust(finding),
        "made_of": said.made_of(finding),
        "rules": [rule_in_words(rule) for rule in rules_of(statement.tag)] if statement else (),
    }


def _beside(prompt: str) -> str:
    """Which words were scored, and whether the lexicon knows them."""
    return wording.read_as(prompt, read_as(prompt)) if scored(prompt).known else wording.OWN_WORDS
