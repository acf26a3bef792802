"""One reading end to end: a 10 s recording and the everyday prompts."""

from dataclasses import fields

from focal_app.ecg.complete import completed
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import ECG
from focal_app.explore.reading.bundled_cases import bundled_cases, load_case
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.reading.prompts import prompt_set
from tests.benchmarks.timing import Row, best_ms

AIM_MS = 150


def rows() -> list[Row]:
    """Time of a reading: of a recording that was read before and of one that was not, with the
    prompts known and with every prompt new; and of a fine heatmap."""
    what = "One reading, 10 s and the everyday prompts"
    if not EMBEDDED.is_dir():
        return [Row(what, "skipped: no embedded checkpoint in assets/", f"{AIM_MS} ms")]
    explorer = Explorer.load()
    ecg, prompts = load_case(bundled_cases()[0].name), prompt_set("everyday").prompts
    bare = ECG(**{field.name: getattr(ecg, field.name) for field in fields(ECG)})
    measured_before = completed(bare)
    times = best_ms(
        {
            "again": lambda: explorer.read(ecg, prompts),
            "first": lambda: explorer.read(bare, prompts),
            "new": lambda: Explorer(explorer.model).read(measured_before, prompts),
            "prepare": lambda: prepare(ecg, explorer.spec),
            "fine first": lambda: explorer.fine(bare, prompts[0]),
            "fine": lambda: explorer.fine(ecg, prompts[0]),
        },
        rounds=10,
    )
    first = times["first"]
    return [
        Row(what, f"{first:.0f} ms", f"{AIM_MS} ms", first <= AIM_MS),
        Row("The same, of a recording that was read before", f"{times['again']:.0f} ms"),
        Row(f"The same, all {len(prompts)} prompts new to a model", f"{times['new']:.0f} ms"),
        Row("Preparing the recording alone", f"{times['prepare'] / first:.0%} of the reading"),
        Row("A fine heatmap, the first of a recording", f"{times['fine first']:.0f} ms"),
        Row("A fine heatmap of a further finding", f"{times['fine']:.1f} ms"),
    ]
