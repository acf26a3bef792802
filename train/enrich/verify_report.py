"""What a verification did: candidates a report, acceptance by feature, thresholds, examples.

    write_report(Path("runs/embedded/verified"))

Written beside the parts as `report.json` and `report.md`. The threshold curve has two sides: how
many of the candidates each threshold keeps, and what it did to candidates of validation records
of which is known whether they are there.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from train.data import verified_files as verified
from train.data.verified_files import Line
from train.enrich.candidate_calibration import THRESHOLDS

EXAMPLES = 6
SHOWN = 40
"""Features in the Markdown table; the JSON file holds all."""


def write_report(folder: Path) -> dict[str, Any]:
    """Write both files of a finished verification; returns what the JSON file holds."""
    manifest = verified.read_manifest(folder)
    curve = verified.read_score(folder)
    report = {
        "threshold": manifest["about"]["threshold"],
        "unit": manifest["about"]["unit"],
        "score": {name: curve[name] for name in ("name", "meaning", "scale", "shift")},
        "counts": manifest["counts"],
        **summarise(verified.read_lines(folder)),
        "known_candidates": curve["fitted"],
    }
    written = json.dumps(report, indent=2, ensure_ascii=False)
    verified.write_whole(folder / "report.json", written + "\n")
    verified.write_whole(folder / "report.md", markdown(report))
    return report


def summarise(lines: Iterable[Line]) -> dict[str, Any]:
    """Candidates a report, acceptance by feature, the candidates above each threshold, examples."""
    per_report: Counter[int] = Counter()
    accepted: Counter[int] = Counter()
    by_feature: dict[str, list[tuple[bool, float | None]]] = defaultdict(list)
    judged: list[float] = []
    examples: list[Line] = []
    for line in lines:
        per_report[len(line["accepted"]) + len(line["rejected"])] += 1
        accepted[len(line["accepted"])] += 1
        for side in ("accepted", "rejected"):
            for one in line[side]:
                by_feature[one["feature"]].append((side == "accepted", one["probability"]))
        # What the threshold decided: no rule spoke before it.
        below = [one for one in line["rejected"] if one["reason"].startswith("below")]
        scores = (one["probability"] for one in (*line["accepted"], *below))
        judged += [score for score in scores if score is not None]
        if len(examples) < EXAMPLES and line["accepted"] and line["rejected"]:
            examples.append(line)
    return {
        "candidates_per_report": _spread(per_report),
        "accepted_per_report": _spread(accepted),
        "thresholds": _kept(np.array(judged)),
        "features": sorted(
            (_feature(name, found) for name, found in by_feature.items()),
            key=lambda one: (-one["candidates"], one["feature"]),
        ),
        "examples": examples,
    }


def _spread(counts: Counter[int]) -> dict[str, Any]:
    """Mean and number of reports by count."""
    reports = sum(counts.values())
    total = sum(value * number for value, number in counts.items())
    return {
        "mean": total / reports if reports else 0.0,
        "reports": {str(value): counts[value] for value in sorted(counts)},
    }


def _kept(probability: np.ndarray) -> list[dict[str, Any]]:
    return [
        {
            "threshold": round(threshold, 2),
            "kept": int((probability >= threshold).sum()),
            "share": float((probability >= threshold).mean()) if len(probability) else None,
        }
        for threshold in THRESHOLDS
    ]


def _feature(name: str, found: Sequence[tuple[bool, float | None]]) -> dict[str, Any]:
    scores = [probability for _, probability in found if probability is not None]
    return {
        "feature": name,
        "candidates": len(found),
        "accepted": sum(taken for taken, _ in found),
        "mean_probability": float(np.mean(scores)) if scores else None,
    }


def markdown(report: dict[str, Any]) -> str:
    """The report as a page."""
    counts, score, known = report["counts"], report["score"], report["known_candidates"]
    left = len(report["features"]) - SHOWN
    lines = [
        "# Verification of candidate features",
        "",
        f"Score: {report['unit']}; here the probability {score['meaning']}. "
        f"Threshold {report['threshold']:g}.",
        "",
        *([f"**Note:** {known['note']}.", ""] if "note" in known else []),
        f"- {counts['records']} records, {counts['without_candidates']} of them without candidates "
        f"for their tags, {counts['unreadable']} that could not be used",
        f"- {counts['candidates']} candidates, {report['candidates_per_report']['mean']:.2f} a "
        f"report; {counts['accepted']} accepted, {report['accepted_per_report']['mean']:.2f} a "
        "report",
        *(f"- {count} rejected: {reason}" for reason, count in counts["rejected"].items()),
        "",
        "## Thresholds",
        "",
        *_threshold_table(report),
        "",
        "## Features",
        "",
        "| feature | candidates | accepted | share | mean probability |",
        "|---|---|---|---|---|",
        *(_row(one) for one in report["features"][:SHOWN]),
        *(["", f"And {left} more in report.json."] if left > 0 else []),
        "",
        "## Examples",
        "",
        *(line for example in report["examples"] for line in _example(example)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _threshold_table(report: dict[str, Any]) -> list[str]:
    """Candidates kept by threshold, and the known candidates beside them where there are."""
    known = {row["threshold"]: row for row in report["known_candidates"].get("curve", [])}
    head = ["| threshold | candidates kept |", "|---|---|"]
    if known:
        found = report["known_candidates"]
        head = [
            f"Known candidates: {found['true']} stated and {found['false']} planted ones of "
            f"{found['records']} validation records, each half of the records judged by the curve "
            f"of the other; expected calibration error {found['expected_error']:.3f}.",
            "",
            "| threshold | candidates kept | known true kept | known false rejected |",
            "|---|---|---|---|",
        ]
    rows = []
    for row in report["thresholds"]:
        kept = "-" if row["share"] is None else f"{row['share']:.1%}"
        cells = [f"{row['threshold']:g}", kept]
        if known:
            beside = known[row["threshold"]]
            cells += [f"{beside['true_kept']:.1%}", f"{beside['false_rejected']:.1%}"]
        rows.append(f"| {' | '.join(cells)} |")
    return head + rows


def _row(one: dict[str, Any]) -> str:
    share = one["accepted"] / one["candidates"]
    mean = "-" if one["mean_probability"] is None else f"{one['mean_probability']:.2f}"
    name = _plain(one["feature"])
    return f"| {name} | {one['candidates']} | {one['accepted']} | {share:.0%} | {mean} |"


def _example(line: Line) -> list[str]:
    shown = [f"{_plain(one['feature'])} ({_probability(one)})" for one in line["accepted"]]
    against = [f"{_plain(one['feature'])} ({_reason(one)})" for one in line["rejected"]]
    return [
        f"**{_plain('; '.join(line['tags']))}**",
        "",
        f"- accepted: {'; '.join(shown)}",
        f"- rejected: {'; '.join(against)}",
        "",
    ]


def _reason(one: dict[str, Any]) -> str:
    if one["probability"] is None or not one["reason"].startswith("below"):
        return one["reason"]
    return _probability(one)


def _probability(one: dict[str, Any]) -> str:
    """A score; what was kept without one was not judged."""
    return "not judged" if one["probability"] is None else f"{one['probability']:.2f}"


def _plain(text: str) -> str:
    """Text of a model as words of a page: no markup of its own."""
    return "".join(f"\\{c}" if c in "\\|*_`<>[]#" else c for c in " ".join(text.split()))
