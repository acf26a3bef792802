"""The Verify tab's parts that are words: tags, verdicts, what is sent, the report. All escaped."""

import json
from html import escape

from focal_app.explore.reading.bundled_cases import BundledCase
from focal_app.explore.reading.prompts import LONGEST
from focal_app.explore.reading.reading import Finding, percent
from focal_app.explore.report.language_model import LLMServer, conversation
from focal_app.explore.report.report_tags import ReportTag
from focal_app.explore.report.verification import (
    TagReading,
    Verification,
    Verified,
    document,
    enriched_text,
)
from focal_app.ui.gradio_helpers import download
from focal_app.ui.verify import wording
from focal_app.ui.verify.state import LIKELY, VerifyView


def chips(state: VerifyView) -> str:
    """The tags, each to be changed in its place, and a field for one more."""
    if not state.tags:
        return ""
    return (
        f'<div class="tags"><h3>{wording.TAGS}</h3><p class="hint">{wording.TAGS_HINT}</p>'
        f'<div class="chips">{"".join(map(_chip, state.tags))}{_one_more()}</div></div>'
    )


def verdicts(state: VerifyView, case: BundledCase | None = None) -> str:
    """Accepted, rejected and the report's own tags; rows are buttons that show a heatmap.

    Of a simulated `case` the truth stands beside every feature.
    """
    found = state.verification
    if found is None:
        return f'<p class="hint">{wording.NOTHING_YET}</p>'
    said = _said(found, state.chosen)
    if not found.verified:
        return f'<div class="findings">{said}<p class="hint">{wording.NO_FEATURES}</p></div>'
    accepted = "".join(_feature(one, state, case, strong=True) for one in found.accepted)
    rejected = "".join(_feature(one, state, case, strong=False) for one in found.rejected)
    accepted, rejected = accepted or _none(wording.NONE_ACCEPTED), rejected or _none(wording.NONE)
    truth = f'<p class="hint">{wording.DRAWN_HINT}</p>' if case else ""
    return (
        f'<div class="findings verdicts" style="--line-at:{100 * found.threshold:g}%">{truth}'
        f"{_section(wording.count(wording.ACCEPTED, len(found.accepted)), accepted, 'accepted')}"
        f"{_section(wording.count(wording.REJECTED, len(found.rejected)), rejected, 'rejected')}"
        f"{said}</div>"
    )


def enriched(verification: Verification | None) -> str:
    """The report with the accepted features, to be read and to be saved."""
    if verification is None:
        return ""
    text = enriched_text(verification)
    written = json.dumps(document(verification), indent=2, ensure_ascii=False)
    return (
        f'<details class="enriched" open><summary>{wording.ENRICHED}</summary>'
        f'<pre tabindex="0">{escape(text)}</pre><p class="actions">'
        f"{download(wording.SAVE_TEXT, 'enriched-report.txt', text, kind='text/plain')}"
        f"{download(wording.SAVE_JSON, 'enriched-report.json', written, kind='application/json')}"
        "</p></details>"
    )


def to_be_sent(server: LLMServer, state: VerifyView) -> str:
    """Exactly what the server would get, before it gets it."""
    if not state.affirmed:
        return ""
    first, second = conversation(state.affirmed)
    title = wording.SENT_TITLE if state.features is None else wording.ASKED
    return (
        f'<div class="sent"><h3>{title}</h3>'
        f"<p>{escape(wording.will_be_sent(server.host, server.model))}</p>"
        f'<pre tabindex="0">{escape(first)}</pre><p>{wording.THEN}</p>'
        f"<pre>{escape(second)}</pre>"
        f'<p class="promise">{wording.SENT_PROMISE}</p></div>'
    )


def _chip(tag: ReportTag) -> str:
    shown, kind = escape(tag.words), _kind(tag)
    note = f'<span class="chipnote">{wording.CHIP_NOTES[kind]}</span>' if kind else ""
    width = min(max(len(tag.words), 6), 40)
    return (
        f'<form class="chip {kind}" data-tag="{escape(tag.tag)}">'
        f'<input type="text" name="text" value="{shown}" size="{width}" maxlength="{LONGEST}"'
        f' aria-label="{wording.TAG_LABEL}" autocomplete="off" spellcheck="false">{note}'
        f'<button type="button" class="remove" aria-label="{wording.REMOVE_TAG} {shown}">×'
        "</button></form>"
    )


def _kind(tag: ReportTag) -> str:
    if not tag.known:
        return "unknown"
    return "denied" if tag.denied else "suspected" if tag.suspected else ""


def _one_more() -> str:
    return (
        f'<form class="chip more" data-tag=""><input type="text" name="text" size="14"'
        f' maxlength="{LONGEST}" placeholder="{wording.ADD_TAG}" aria-label="{wording.ADD_TAG}"'
        ' autocomplete="off" spellcheck="false"></form>'
    )


def _section(title: str, rows: str, kind: str = "said") -> str:
    return f'<section class="{kind}"><h3>{escape(title)}</h3><ul>{rows}</ul></section>'


def _said(found: Verification, chosen: str | None) -> str:
    """What the report says, and apart from it the words that are no known term."""
    known = [one for one in found.tags if one.tag.known]
    unknown = [one for one in found.tags if not one.tag.known]
    sections = []
    if known:
        rows = "".join(_tag_row(one, chosen=chosen) for one in known)
        sections.append(_section(wording.count(wording.IN_REPORT, len(known)), rows))
    if unknown:
        hint = f'<li class="hint">{wording.UNKNOWN_HINT}</li>'
        rows = "".join(_tag_row(one, chosen=chosen) for one in unknown)
        title = wording.count(wording.UNKNOWN_TITLE, len(unknown))
        sections.append(_section(title, hint + rows, "unknown"))
    return "".join(sections)


def _feature(one: Verified, state: VerifyView, case: BundledCase | None, *, strong: bool) -> str:
    candidate = one.candidate
    truth = case.draws(candidate.feature) if case else None
    why = wording.proposed_by(candidate.proposed_by, suspected=candidate.suspected)
    said = [why, *([] if truth is None else [wording.DRAWN[truth]])]
    chosen = candidate.feature == state.chosen
    return _row(one.finding, "\n".join(said).strip(), chosen=chosen, strong=strong)


def _none(text: str) -> str:
    return f'<li class="hint">{text}</li>'


def _tag_row(one: TagReading, *, chosen: str | None) -> str:
    likely = one.finding.probability >= LIKELY
    beside = wording.STANCES.get(_kind(one.tag), "" if likely else wording.AFFIRMED)
    return _row(one.finding, beside, chosen=one.tag.tag == chosen, strong=likely)


def _row(finding: Finding, beside: str, *, chosen: bool, strong: bool) -> str:
    prompt = escape(finding.prompt)
    likely = " likely" if strong else ""
    note = "".join(f'<span class="beside">{escape(line)}</span>' for line in beside.splitlines())
    return (
        f'<li class="row{likely}"><button type="button" class="finding" data-prompt="{prompt}"'
        f' aria-pressed="{str(chosen).lower()}">'
        f'<span class="name">{prompt}{note}</span>'
        f'<span class="percent">{escape(percent(finding.probability))}</span>'
        f'<span class="bar" aria-hidden="true">'
        f'<span style="width:{100 * finding.probability:.1f}%"></span></span></button></li>'
    )
