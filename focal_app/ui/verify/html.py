"""The Verify tab's parts that are words: tags, verdicts, what is sent, the report."""

import json
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from focal_app.explore.reading.bundled_cases import BundledCase
from focal_app.explore.reading.prompts import LONGEST
from focal_app.explore.reading.reading import Finding, percent
from focal_app.explore.report.language_model import LLMServer, conversation
from focal_app.explore.report.verification import (
    TagReading,
    Verification,
    Verified,
    document,
    enriched_text,
)
from focal_app.figures.templates import Templates
from focal_app.ui.gradio_helpers import bar_width, download, paragraph
from focal_app.ui.verify import wording
from focal_app.ui.verify.state import VerifyView
from focal_app.words.statements import ReportTag

_fill = Templates(Path(__file__).parent, wording=wording, longest=LONGEST)


@dataclass(frozen=True)
class _Row:
    """A tag or a feature with its score, and what stands beside it."""

    prompt: str
    percent: str
    width: str
    beside: tuple[str, ...]
    chosen: bool
    likely: bool


def chips(state: VerifyView) -> Markup:
    """The tags, each to be changed in its place, and a field for one more."""
    tags = [(tag, _kind(tag), min(max(len(tag.words), 6), 40)) for tag in state.tags]
    return _fill("chips", tags=tags, asides=state.asides) if tags else Markup()


def verdicts(state: VerifyView, case: BundledCase | None = None) -> Markup:
    """Accepted, rejected and the report's own tags; rows are buttons that show a heatmap.

    Of a simulated `case` the truth stands beside every feature.
    """
    found = state.verification
    if found is None:
        return paragraph(wording.NOTHING_YET)
    return _fill(
        "verdicts",
        proposed=bool(found.verified),
        simulated=case is not None,
        line=f"{100 * found.threshold:g}%",
        accepted=[_feature(one, state, case, likely=True) for one in found.accepted],
        rejected=[_feature(one, state, case, likely=False) for one in found.rejected],
        known=[_tag(one, state.chosen) for one in found.tags if one.tag.known],
        unknown=[_tag(one, state.chosen) for one in found.tags if not one.tag.known],
    )


def enriched(verification: Verification | None) -> Markup:
    """The report with the accepted features, to be read and to be saved."""
    if verification is None:
        return Markup()
    text = enriched_text(verification)
    written = json.dumps(document(verification), indent=2, ensure_ascii=False)
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


def _kind(tag: ReportTag) -> str:
    if not tag.known:
        return "unknown"
    if tag.value:
        return "value"
    return "denied" if tag.denied else "suspected" if tag.suspected else ""


def _feature(one: Verified, state: VerifyView, case: BundledCase | None, *, likely: bool) -> _Row:
    candidate = one.candidate
    truth = case.draws(candidate.feature) if case else None
    why = wording.proposed_by(candidate.proposed_by, suspected=candidate.suspected)
    beside = (why, "" if truth is None else wording.DRAWN[truth])
    return _row(one.finding, *beside, chosen=candidate.feature == state.chosen, likely=likely)


def _tag(one: TagReading, chosen: str | None) -> _Row:
    """A statement with the model's score; of what is measured or unknown, a sentence instead."""
    if one.finding is None:
        held = wording.held(one.tag.value, one.measured, agrees=one.agrees)
        beside = held if one.tag.value else wording.STANCES["unknown"]
        return _Row(one.tag.words, "", "", (beside,), chosen=False, likely=bool(one.agrees))
    likely = one.finding.likely
    beside = wording.STANCES.get(_kind(one.tag), "" if likely else wording.AFFIRMED)
    age = wording.AGES.get(one.tag.age, "")
    return _row(one.finding, beside, age, chosen=one.tag.prompt == chosen, likely=likely)


def _row(finding: Finding, *beside: str, chosen: bool, likely: bool) -> _Row:
    return _Row(
        finding.prompt,
        percent(finding.probability),
        bar_width(finding),
        tuple(filter(None, beside)),
        chosen,
        likely,
    )
