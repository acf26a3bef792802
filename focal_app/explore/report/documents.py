"""A verified report to be taken away: as text with the features it left out, and as JSON."""

from itertools import chain
from typing import Any

from focal_app.explore.reading.document import NOTICE, record_document, window_document
from focal_app.explore.reading.reading import Finding
from focal_app.explore.report.candidates import Candidate
from focal_app.explore.report.table import Feature, Row, Table, in_words, table_of
from focal_app.explore.report.verdicts import VERDICTS, Verdict
from focal_app.explore.report.verification import Verification

ADDED = "Waveform features that this ECG supports (told at {high:g} % or more, or measured):"
_SCORES = ("probability", "made_of", "left_by", "raised_by", "model_probability", "similarity")
FROM_SUSPECTED = "from a suspected finding"


def enriched_text(found: Verification) -> str:
    """The report as it was, and below it the features that the ECG supports, or why none."""
    table = table_of(found)
    said = found.report.strip() or "\n".join(in_words(row.tag) for row in table.rows)
    features = [f"- {feature_words(one.candidate)}" for one in table.supported]
    added = [ADDED.format(high=100 * found.zones.high)] if features else []
    none = [] if features else [f"No feature added: {table.none}."]
    return "\n".join(chain([said, ""], added, features, none, ["", f"{NOTICE}."])) + "\n"


def feature_words(candidate: Candidate) -> str:
    """A feature, and that only suspected findings propose it where that is so."""
    return f"{candidate.feature} ({FROM_SUSPECTED})" if candidate.suspected else candidate.feature


def document(found: Verification) -> dict[str, Any]:
    """The table as plain values, with the recording and the window that were read."""
    reading = found.reading
    return {
        "record": record_document(reading.record),
        "window": window_document(reading),
        "warnings": list(reading.warnings),
        **table_document(found),
    }


def table_document(found: Verification) -> dict[str, Any]:
    """The report, a row a statement, and what the summary on the page says."""
    table = table_of(found)
    return {
        "report": found.report,
        "zones": {"not_supported_below": found.zones.low, "supported_from": found.zones.high},
        "summary": summary(table),
        "statements": [_statement(row) for row in table.rows],
        "features": [_feature(one) for one in table.proposed],
        "no_feature_because": table.none or None,
        "would_add": [
            {
                "finding": one.finding.prompt,
                "against": list(one.against),
                "why": one.verdict.why,
                **_scores(one.finding),
            }
            for one in table.added
        ],
        "asides": [vars(one) for one in table.asides],
        "not_understood": list(table.left_out),
        "denied_and_stated": [tag.denial for tag in table.overruled],
        "notice": NOTICE,
    }


def summary(table: Table) -> dict[str, list[str]]:
    """The statements by verdict, and what the model would add."""
    by = {name: [in_words(row.tag) for row in table.by_verdict(name)] for name in VERDICTS}
    return {**by, "would add": [one.finding.prompt for one in table.added]}


def _statement(row: Row) -> dict[str, Any]:
    """What the report says, and what the ECG says to it: null where that is nothing."""
    tag, held = row.tag, row.held
    return {
        "text": tag.text,
        "tag": tag.tag,
        "known": tag.known,
        "denied": tag.denied,
        "suspected": tag.suspected,
        "age": tag.age or None,
        "leads": list(tag.leads),
        "value": tag.value.document() if tag.value else None,
        "measured": _rounded(held.measured if held else None),
        "tolerance": _rounded(held.tolerance if held and held.off is not None else None),
        "device": _rounded(held.device if held else None),
        **_verdict(row.verdict),
        **_scores(row.finding),
        "features": [_feature(one) for one in row.features],
    }


def _feature(one: Feature) -> dict[str, Any]:
    return {
        "feature": one.candidate.feature,
        "source": one.candidate.source,
        "proposed_by": list(one.candidate.proposed_by),
        "from_suspected": one.candidate.suspected,
        **_verdict(one.verdict),
        **_scores(one.finding),
    }


def _verdict(one: Verdict) -> dict[str, str]:
    return {"verdict": one.name, "why": one.why}


def _scores(finding: Finding | None) -> dict[str, Any]:
    """The probability as Read tells it, which the zones sort, and the model's own."""
    if finding is None:
        return dict.fromkeys(_SCORES)
    return {
        "probability": round(finding.probability, 6),
        "made_of": finding.made_of,
        "left_by": finding.left_by,
        "raised_by": finding.raised_by,
        "model_probability": round(finding.own_probability, 6),
        "similarity": round(finding.similarity, 6),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
