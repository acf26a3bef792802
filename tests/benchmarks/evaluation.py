"""Zero-shot passes: recordings a second, and what routing costs beyond the encoder."""

import tempfile
from pathlib import Path

from focal_app.explore.reading.explorer import EMBEDDED
from focal_app.model.focal import Focal
from tests.benchmarks.timing import Row, best_ms
from tests.benchmarks.training import new_model
from train.benchmark.embeddings import embed
from train.benchmark.inference_time import PLAIN, inference_time
from train.benchmark.prompts import prompts_of
from train.benchmark.sets import load_set
from train.benchmark.zeroshot import class_logits

ECG = Path(__file__).parents[3] / "shared" / "ecg" / "ptb-xl"
AIM = 1.05
"""The paper says that Semi-UOT adds nothing that matters: at most so many times the encoder."""


def rows() -> list[Row]:
    """Relative times of the ways to read, and recordings a second on real files."""
    if not EMBEDDED.is_dir():
        return [Row("A zero-shot pass", "skipped: no embedded checkpoint in assets/")]
    model = Focal.load(EMBEDDED)
    sizes = {"recipe `paper`": new_model().eval(), "embedded checkpoint": model}
    return [row for name, one in sizes.items() for row in _ways(name, one)] + _passes(model)


def _ways(name: str, model: Focal) -> list[Row]:
    found = inference_time(model)
    return [
        Row(
            f"Reading {found.batch} ECGs with the {name}: {way.name}, against the encoder alone",
            f"{way.relative:.2f} times ({way.ecg_per_second:.0f} ECG/s)",
            f"{AIM} times",
            way.relative <= AIM,
        )
        for way in found.ways
        if way.name != PLAIN
    ]


def _passes(model: Focal) -> list[Row]:
    """The first pass over files reads and encodes; every later one finds the embeddings."""
    what = "Zero-shot pass over PTB-XL files"
    if not ECG.is_dir():
        return [Row(what, "skipped: no recordings beside the project")]
    chosen = load_set("ptbxl-super", ECG)
    headers = [item.header for item in chosen.present()[:64] if item.header]
    asked = prompts_of("ptbxl-super", chosen.classes, by="prompt", data=ECG)
    with tempfile.TemporaryDirectory() as kept:
        again = embed(model, headers, cache=Path(kept))
        times = best_ms(
            {
                "first": lambda: class_logits(model, embed(model, headers), asked),
                "again": lambda: class_logits(model, again, asked),
            },
            rounds=2,
        )
    rate = {name: 1000 * len(headers) / ms for name, ms in times.items()}
    ratio = rate["again"] / rate["first"]
    return [
        Row(f"{what}, from the files", f"{rate['first']:.0f} ECG/s"),
        Row(f"{what}, embeddings cached", f"{rate['again']:.0f} ECG/s, {ratio:.0f} times as fast"),
    ]
