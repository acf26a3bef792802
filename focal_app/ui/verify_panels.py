"""The Verify tab's parts that are words: tags, verdicts, what is sent, the report. All escaped."""

import json
from collections.abc import Sequence
from html import escape

from focal_app.explore.llm import LLMServer, conversation
from focal_app.explore.prompts import LONGEST
from focal_app.explore.reading import Finding, percent
from focal_app.explore.report_tags import ReportTag
from focal_app.explore.verification import (
    TagReading,
    Verification,
    Verified,
    document,
    enriched_text,
)
from focal_app.ui import wording_verify as wording
from focal_app.ui.parts import download
from focal_app.ui.verify_view import LIKELY, VerifyView


def chips(state: VerifyView) -> str:
    """The tags, each to be changed in its place, and a field for one more."""
    if not state.tags:
        return ""
    return (
        f'<div class="tags"><h3>{wording.TAGS}</h3><p class="hint">{wording.TAGS_HINT}</p>'
        f'<div class="chips">{"".join(map(_chip, state.tags))}{_one_more()}</div></div>'
    )


def verdicts(state: VerifyView) -> str:
    """Accepted, rejected and the report's own tags; rows are buttons that show a heatmap."""
    found = state.verification
    if found is None:
        return f'<p class="hint">{wording.NOTHING_YET}</p>'
    own = "".join(_tag_row(one, chosen=state.chosen) for one in found.tags)
    said = _section(wording.count(wording.IN_REPORT, len(found.tags)), own)
    if not found.verified:
        return f'<div class="findings">{said}<p class="hint">{wording.NO_FEATURES}</p></div>'
    accepted = _features(found.accepted, state.chosen, wording.NONE_ACCEPTED)
    rejected = _features(found.rejected, state.chosen, wording.NONE_REJECTED)
    return (
        '<div class="findings verdicts">'
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
    shown = escape(f"no {tag.tag}" if tag.denied else tag.tag)
    kind = " denied" if tag.denied else ("" if tag.known else " unknown")
    tip = f' title="{wording.UNKNOWN}"' if not tag.known else ""
    width = min(max(len(tag.tag) + 3 * tag.denied, 6), 40)
    return (
        f'<form class="chip{kind}" data-tag="{escape(tag.tag)}"{tip}>'
        f'<input type="text" name="text" value="{shown}" size="{width}" maxlength="{LONGEST}"'
        f' aria-label="{wording.TAG_LABEL}" autocomplete="off" spellcheck="false">'
        f'<button type="button" class="remove" aria-label="{wording.REMOVE_TAG} {shown}">×'
        "</button></form>"
    )


def _one_more() -> str:
    return (
        f'<form class="chip more" data-tag=""><input type="text" name="text" size="14"'
        f' maxlength="{LONGEST}" placeholder="{wording.ADD_TAG}" aria-label="{wording.ADD_TAG}"'
        ' autocomplete="off" spellcheck="false"></form>'
    )


def _section(title: str, rows: str, kind: str = "said") -> str:
    return f'<section class="{kind}"><h3>{escape(title)}</h3><ul>{rows}</ul></section>'


def _features(rows: Sequence[Verified], chosen: str | None, none: str) -> str:
    said = "".join(
        _row(
            one.finding,
            wording.proposed_by(one.candidate.proposed_by),
            chosen=one.candidate.feature == chosen,
        )
        for one in rows
    )
    return said or f'<li class="hint">{none}</li>'


def _tag_row(one: TagReading, *, chosen: str | None) -> str:
    likely = one.finding.probability >= LIKELY
    at_odds = one.tag.denied == likely
    note = wording.denied_yet_likely() if likely else wording.affirmed_yet_unlikely()
    beside = note if at_odds else wording.DENIED if one.tag.denied else ""
    return _row(one.finding, beside, chosen=one.tag.tag == chosen)


def _row(finding: Finding, beside: str, *, chosen: bool) -> str:
    prompt = escape(finding.prompt)
    likely = " likely" if finding.probability >= LIKELY else ""
    note = f'<span class="beside">{escape(beside)}</span>' if beside else ""
    return (
        f'<li class="row{likely}"><button type="button" class="finding" data-prompt="{prompt}"'
        f' aria-pressed="{str(chosen).lower()}">'
        f'<span class="name">{prompt}{note}</span>'
        f'<span class="percent">{escape(percent(finding.probability))}</span>'
        f'<span class="bar" aria-hidden="true">'
        f'<span style="width:{100 * finding.probability:.1f}%"></span></span></button></li>'
    )
