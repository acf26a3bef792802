"""The list of findings: the most probable first, the others by group, each with its bar.

Rows are buttons; `findings.js` moves between them by keyboard and tells the server what was
chosen, reworded or removed.
"""

from collections.abc import Sequence
from html import escape
from itertools import groupby

from focal_app.explore.reading.prompts import LONGEST, read_as
from focal_app.explore.reading.reading import Finding, percent
from focal_app.explore.report.report_tags import report_tags
from focal_app.lexicon import GROUPS, Statement, load_lexicon
from focal_app.ui import wording
from focal_app.ui.read.state import View

LIKELY, FEW = 0.5, 3
"""From this probability on findings stand first; so few where none reaches it."""


def findings_list(view: View) -> str:
    """The whole list as HTML, or why there is none."""
    if view.reading is None:
        return f'<p class="hint">{wording.NOT_READ}</p>'
    if not view.reading.findings:
        return f'<p class="hint">{wording.NO_PROMPTS}</p>'
    first = most_probable(view.reading.findings)
    shown = {finding.prompt for finding in first}
    others = sorted((f for f in view.reading.findings if f.prompt not in shown), key=_place)
    blocks = [(wording.MOST_PROBABLE, first)]
    blocks += [(name, list(found)) for name, found in groupby(others, key=_group_name)]
    groups = "".join(_group(name, found, view.chosen) for name, found in blocks)
    return f'<div class="findings" role="group" aria-label="{wording.FINDINGS}">{groups}</div>'


def most_probable(findings: Sequence[Finding]) -> list[Finding]:
    """What is likely, or the few likeliest where nothing is; the likeliest first."""
    ordered = sorted(findings, key=lambda finding: -finding.probability)
    return [f for f in ordered if f.probability >= LIKELY] or ordered[:FEW]


def waiting() -> str:
    """What stands in place of the list until the model is there."""
    return f'<p class="hint waiting" role="status">{wording.WAITING}</p>'


def _place(finding: Finding) -> tuple[int, float]:
    """Groups in the order in which an ECG is read, and the likeliest first in each."""
    order = GROUPS.index(finding.group) if finding.group in GROUPS else len(GROUPS)
    return order, -finding.probability


def _group_name(finding: Finding) -> str:
    return wording.GROUPS.get(finding.group, wording.OWN_GROUP)


def _group(name: str, findings: list[Finding], chosen: str | None) -> str:
    rows = "".join(_row(finding, chosen=finding.prompt == chosen) for finding in findings)
    return f"<section><h3>{escape(name)}</h3><ul>{rows}</ul></section>"


def _row(finding: Finding, *, chosen: bool) -> str:
    prompt = escape(finding.prompt)
    likely = " likely" if finding.probability >= LIKELY else ""
    statement = load_lexicon().resolve(finding.prompt)
    tip = escape(statement.description) if statement else ""
    said = _beside(finding.prompt)
    beside = f'<span class="beside">{escape(said)}</span>' if said else ""
    return (
        f'<li class="row{likely}">'
        f'<button type="button" class="finding" data-prompt="{prompt}" title="{tip}"'
        f' aria-pressed="{str(chosen).lower()}" aria-expanded="{str(chosen).lower()}">'
        f'<span class="name">{prompt}{beside}</span>'
        f'<span class="percent">{escape(percent(finding.probability))}</span>'
        f'<span class="bar" aria-hidden="true">'
        f'<span style="width:{100 * finding.probability:.1f}%"></span></span></button>'
        f"{_detail(finding, statement)}</li>"
    )


def _beside(prompt: str) -> str:
    """Which words were scored, and whether the lexicon knows any of them."""
    if load_lexicon().resolve(prompt):
        return wording.read_as(prompt, read_as(prompt))
    known = any(tag.known for tag in report_tags(prompt))
    return wording.OWN_WORDS if known else wording.UNKNOWN_WORDS


def _detail(finding: Finding, statement: Statement | None) -> str:
    """What opens below a chosen row: meaning, usual leads, and the prompt to edit in place."""
    prompt = escape(finding.prompt)
    meaning = f"<p>{escape(statement.description)}</p>" if statement else ""
    leads = statement.leads if statement else ()
    usual = f"<p>{escape(wording.usually_in(leads))}</p>" if leads else ""
    return (
        f'<form class="detail" data-prompt="{prompt}">{meaning}{usual}'
        f'<p class="score">{escape(wording.similarity(finding.similarity))}</p>'
        f"<label>{wording.REWORD}"
        f'<input type="text" name="text" value="{prompt}" maxlength="{LONGEST}"'
        f' autocomplete="off" spellcheck="false"></label>'
        f'<div class="actions"><button type="submit" class="small">{wording.SAVE}</button>'
        f'<button type="button" class="small remove">{wording.REMOVE}</button></div></form>'
    )
