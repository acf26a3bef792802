"""A finished verification at another threshold: the scores stand, and no ECG is read again.

accept_at(Path("runs/ablation/scored-base"), 0.8, Path("runs/ablation/fine-0.80/verified"))
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from train.data import verified_files as verified
from train.data.verified_files import Line, read_lines, read_manifest
from train.enrich.verify import BELOW, PART


def accept_at(scored: Path, threshold: float, out: Path) -> None:
    """Write to `out` what the verification in `scored` would have been at this threshold."""
    manifest = read_manifest(scored)
    about = {**manifest["about"], "threshold": threshold}
    verified.refuse_another(out, about)
    if (out / verified.MANIFEST).is_file():
        return
    verified.start(out, about)
    score = json.dumps(verified.read_score(scored), indent=2) + "\n"
    verified.write_whole(out / verified.SCORE, score)
    lines = [_at(line, threshold) for line in read_lines(scored)]
    parts = [lines[first : first + PART] for first in range(0, len(lines), PART)]
    for number, part in enumerate(parts):
        verified.write_part(out / verified.part_name(number), part)
    verified.finish(out, len(parts), _counted(manifest["counts"], lines))


def _at(line: Line, threshold: float) -> Line:
    """A record's candidates, those that only the threshold decides decided anew."""
    open_ = [*line["accepted"], *(one for one in line["rejected"] if one["reason"] == BELOW)]
    other = [one for one in line["rejected"] if one["reason"] != BELOW]
    pairs = [{"feature": one["feature"], "probability": one["probability"]} for one in open_]
    # What was kept without a probability is what no score can judge.
    accepted = [p for p in pairs if p["probability"] is None or p["probability"] >= threshold]
    below = [{**pair, "reason": BELOW} for pair in pairs if pair not in accepted]
    return {**line, "accepted": accepted, "rejected": [*other, *below]}


def _counted(counts: dict[str, Any], lines: Sequence[Line]) -> dict[str, Any]:
    """The counts of the verification, with those that the threshold changes."""
    accepted = sum(len(line["accepted"]) for line in lines)
    below = sum(one["reason"] == BELOW for line in lines for one in line["rejected"])
    rejected = {reason: n for reason, n in counts["rejected"].items() if reason != BELOW}
    rejected |= {BELOW: below} if below else {}
    return {**counts, "accepted": accepted, "rejected": rejected}
