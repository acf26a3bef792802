"""A reading as plain values for JSON: rounded, without NaN and without identity."""

from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from focal_app.ecg.measurement_names import rounded
from focal_app.ecg.measurements import Measurements
from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.prompts import read_as
from focal_app.explore.reading.reading import Reading, RecordFacts

NOTICE = "For research and teaching, not for diagnosis"


def document(reading: Reading, *, heatmap: bool) -> dict[str, Any]:
    """Facts, window, warnings and findings as they were asked; on request the heatmap."""
    early, unrelated = reading.measured.early, reading.measured.unrelated_p_per_min
    written = {
        "record": record_document(reading.record),
        "window": window_document(reading),
        "warnings": list(reading.warnings),
        "not_read": reading.not_read,
        "measurements": measurements_document(reading.measured.measurements),
        "pacing_spikes": reading.measured.spikes_seen,
        "unrelated_p_per_min": None if unrelated is None else round(unrelated, 1),
        "early_beats": early and {k: v and round(v, 1) for k, v in vars(early).items()},
        "unnamed": [vars(one) for one in reading.unnamed],
        "findings": [
            {
                "prompt": finding.prompt,
                "read_as": read_as(finding.prompt),
                "group": finding.group,
                "similarity": round(finding.similarity, 6),
                "probability": round(finding.probability, 6),
                "made_of": finding.made_of,
                "left_by": finding.left_by,
                "raised_by": finding.raised_by,
                "model_probability": round(finding.own_probability, 6),
                "measured": finding.measured,
                "contradicted": finding.contradicted,
                "held_out": None if finding.held_out is None else vars(finding.held_out),
            }
            for finding in reading.findings
        ],
    }
    if heatmap:
        written["heatmap"] = _heatmap(reading)
    return {**written, "notice": NOTICE}


def measurements_document(found: Measurements) -> dict[str, dict[str, float | None]]:
    """Every measurement with its spread and the cardiograph's own value, None for none."""
    return {
        field.name: {
            key: rounded(field.name, value)
            for key, value in vars(getattr(found, field.name)).items()
        }
        for field in fields(found)
    }


def record_document(record: RecordFacts) -> dict[str, Any]:
    """What is known of a recording, None where the file does not say."""
    return {
        **vars(record),
        "duration_s": round(record.duration_s, 3),
        "leads": list(record.leads),
        "filters": list(record.filters),
        "statements": list(record.statements),
    }


def window_document(reading: Reading) -> dict[str, float]:
    """The window that was read, in seconds of the recording."""
    return dict(zip(("start_s", "end_s"), reading.window_s, strict=True))


def _heatmap(reading: Reading) -> dict[str, Any]:
    """`seconds` bounds each column; `weights` (findings, leads, columns), 1 is the even share."""
    edges = np.round(reading.edges_s, 3).tolist()
    return {
        "leads": list(LEADS),
        "seconds": [list(bounds) for bounds in pairwise(edges)],
        "weights": [_rows(finding.weights) for finding in reading.findings],
    }


def _rows(weights: np.ndarray) -> list[list[float | None]]:
    return [[round(w, 4) if np.isfinite(w) else None for w in row] for row in weights.tolist()]
