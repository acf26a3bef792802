"""The Verify tab's parts that are words: the zones, the summary, the table, what is sent."""

import json
from math import log
from pathlib import Path

from markupsafe import Markup

from focal_app.explore.reading.bundled_cases import BundledCase
from focal_app.explore.reading.prompts import LONGEST
from focal_app.explore.reading.reading import Finding
from focal_app.explore.reading.zones import Zones
from focal_app.explore.report.candidates import MODEL, model_proposals
from focal_app.explore.report.documents import document, enriched_text
from focal_app.explore.report.language_model import LLMServer, conversation
from focal_app.explore.report.table import Added, Feature, Row, Table, in_words, table_of
from focal_app.explore.report.verdicts import VERDICTS, Verdict
from focal_app.explore.report.verification import Verification
from focal_app.figures.templates import Templates
from focal_app.ui.gradio_helpers import download, paragraph
from focal_app.ui.verify import wording
from focal_app.ui.verify.state import VerifyView

_fill = Templates(Path(__file__).parent, wording=wording, longest=LONGEST)
_TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99)
_END = log(0.999 / 0.001)
"""The scale goes from 0.1 % to 99.9 %, as wide below 1 % as between 1 % and 9 %."""
_Row = dict[str, object]


def zones(found: Zones) -> Markup:
    """The three zones on one scale, and what was measured of them."""
    measured = [
        (wording.measured_on(one), wording.shares(one.above(found.high), one.above(found.low)))
        for one in found.measured
    ]
    ticks = [(f"{100 * tick:g} %", _at(tick)) for tick in _TICKS]
    named, low, high = wording.in_zones(found), _at(found.low), _at(found.high)
    return _fill("zones", named=named, measured=measured, ticks=ticks, low=low, high=high)


def summary(found: Verification | None, *, stale: bool = False) -> Markup:
    """What the ECG agrees with, what it leaves open or does not support, what it would add.

    `stale` says that it was another ECG, or another window; the page dims what was found there.
    """
    if found is None:
        return Markup()
    table = table_of(found)
    parts = [
        (wording.SUMMED[name], _kind(name), [in_words(row.tag) for row in table.by_verdict(name)])
        for name in VERDICTS
    ]
    parts.insert(3, (wording.WOULD_ADD, "added", [one.finding.prompt for one in table.added]))
    return _fill("summary", parts=[part for part in parts if part[2]], stale=stale)


def verdicts(state: VerifyView, case: BundledCase | None = None) -> Markup:
    """The table; names are buttons that show a heatmap.

    Of a simulated `case` the truth stands beside every feature.
    """
    found = state.verification
    if found is None:
        return paragraph(wording.NOTHING_YET)
    table, chosen = table_of(found), state.chosen
    lines = [wording.aside(one) for one in table.asides]
    if table.left_out:
        lines.append(wording.not_understood(table.left_out))
    if table.overruled:
        lines.append(wording.overruled([tag.denial for tag in table.overruled]))
    return _fill(
        "table",
        rows=[_statement(row, chosen, case) for row in table.rows],
        proposed=[_feature(one, chosen, case) for one in table.proposed],
        added=[_added(one, chosen) for one in table.added],
        aside=lines,
        no_feature=_none(state, table),
        simulated=case is not None and bool(table.features),
        low=_at(found.zones.low),
        high=_at(found.zones.high),
    )


def enriched(state: VerifyView) -> Markup:
    """The report with the features that the ECG supports, to be read and to be saved."""
    found = state.verification
    if found is None:
        return Markup()
    text = enriched_text(found)
    written = json.dumps(document(found), indent=2, ensure_ascii=False)
    name = "enriched-report"
    return _fill(
        "enriched",
        text=text,
        save_text=download(wording.SAVE_TEXT, f"{name}.txt", text, kind="text/plain"),
        save_json=download(wording.SAVE_JSON, f"{name}.json", written, kind="application/json"),
    )


def to_be_sent(server: LLMServer, state: VerifyView) -> Markup:
    """Exactly what the server would get, before it gets it."""
    if not state.affirmed:
        return Markup()
    first, second = conversation(state.affirmed)
    title = wording.SENT_TITLE if state.features is None else wording.ASKED
    return _fill("sent", title=title, server=server, first=first, second=second)


def _none(state: VerifyView, table: Table) -> str:
    """Why no feature was added: nothing asked, no answer, none proposed, none supported."""
    if state.source == MODEL and state.features is None:
        return wording.no_feature(wording.UNREACHABLE if state.failed else wording.NOT_ASKED)
    none = wording.no_feature(table.none) if table.none else ""
    told = model_proposals(state.features or (), state.tags).words if state.source == MODEL else ""
    return f"{none} {told}".strip()


def _statement(
    row: Row, chosen: str | None, case: BundledCase | None
) -> tuple[_Row, str, list[_Row], str, bool]:
    """A row, its tag, its features, what became of these, and whether one of them is chosen."""
    name = in_words(row.tag)
    said = wording.own_words(row.tag, name)
    shown = _row(name, said, row.finding, row.verdict, chosen, denied=row.tag.denied)
    features = [_feature(one, chosen, case) for one in row.features]
    became = wording.counted([one.verdict.name for one in row.features])
    return shown, row.tag.tag, features, became, any(one["chosen"] for one in features)


def _feature(one: Feature, chosen: str | None, case: BundledCase | None) -> _Row:
    drawn = case.draws(one.candidate.feature) if case else None
    beside = wording.beside(suspected=one.candidate.suspected, drawn=drawn)
    return _row(one.candidate.feature, beside, one.finding, one.verdict, chosen)


def _added(one: Added, chosen: str | None) -> _Row:
    beside = wording.against(one.against)
    return _row(one.finding.prompt, beside, one.finding, one.verdict, chosen)


def _row(
    name: str,
    beside: str,
    finding: Finding | None,
    verdict: Verdict,
    chosen: str | None,
    *,
    denied: bool = False,
) -> _Row:
    """A statement or a feature; no `prompt` and no place `at` the scale where nothing was read.

    What speaks for the row lies at the right: of what is `denied` the scale is turned round.
    """
    label, mark = wording.VERDICTS[verdict.name]
    why = f"{verdict.why[:1].upper()}{verdict.why[1:]}"
    return {
        "name": name,
        "beside": beside,
        "prompt": finding.prompt if finding else "",
        "at": _at(abs(finding.probability - denied)) if finding else "",  # on the scale of zones
        "denied": denied,
        "chosen": finding is not None and finding.prompt == chosen,
        "verdict": {"kind": _kind(verdict.name), "name": label, "mark": mark, "why": why},
    }


def _kind(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _at(probability: float) -> str:
    """The place of a probability on the scale."""
    sure = min(max(probability, 0.001), 0.999)
    return f"{50 * (1 + log(sure / (1 - sure)) / _END):.1f}%"
