"""A reading as plain values for JSON: rounded, without NaN and without identity."""

from itertools import pairwise
from typing import Any

import numpy as np

from focal_app.ecg.recording import ECG
from focal_app.explore.reading.prompts import read_as
from focal_app.explore.reading.reading import Reading

NOTICE = "For research and teaching, not for diagnosis"


def document(reading: Reading, *, heatmap: bool) -> dict[str, Any]:
    """Facts, window, warnings and findings as they were asked; on request the heatmap."""
    written = {
        "record": record_facts(reading.ecg),
        "window": dict(zip(("start_s", "end_s"), window_s(reading), strict=True)),
        "warnings": list(reading.warnings),
        "findings": [
            {
                "prompt": finding.prompt,
                "read_as": read_as(finding.prompt),
                "group": finding.group,
                "similarity": round(finding.similarity, 6),
                "probability": round(finding.probability, 6),
            }
            for finding in reading.findings
        ],
    }
    if heatmap:
        written["heatmap"] = _heatmap(reading)
    return {**written, "notice": NOTICE}


def record_facts(ecg: ECG) -> dict[str, Any]:
    """What is known of a recording, None where the file does not say."""
    return {
        "format": ecg.source.format,
        "sampling_rate_hz": ecg.sampling_rate_hz,
        "duration_s": round(ecg.duration_s, 3),
        "leads": list(ecg.leads),
        "age_years": ecg.source.age_years,
        "sex": ecg.source.sex,
    }


def window_s(reading: Reading) -> tuple[float, float]:
    """Start and end of what was read, in seconds of the recording."""
    end_s = min(float(reading.edges_s[-1]), reading.ecg.duration_s)
    return round(reading.start_s, 3), round(end_s, 3)


def _heatmap(reading: Reading) -> dict[str, Any]:
    """`seconds` bounds each column; `weights` (findings, leads, columns), 1 is the even share."""
    edges = np.round(reading.edges_s, 3).tolist()
    return {
        "leads": list(reading.leads),
        "seconds": [list(bounds) for bounds in pairwise(edges)],
        "weights": [_rows(finding.weights) for finding in reading.findings],
    }


def _rows(weights: np.ndarray) -> list[list[float | None]]:
    return [[round(w, 4) if np.isfinite(w) else None for w in row] for row in weights.tolist()]
