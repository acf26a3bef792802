"""One reading end to end: a 10 s recording and the everyday prompts."""

from dataclasses import fields

from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import ECG
from focal_app.explore.reading.bundled_cases import bundled_cases, load_case
from focal_app.explore.reading.explorer import EMBEDDED, Explorer
from focal_app.explore.reading.prompts import prompt_set
from tests.benchmarks.timing import Row, best_ms

AIM_MS = 150


def rows() -> list[Row]:
    """Time of a reading: of a recording that was measured before and of one that was not, with the
    prompts known and with every prompt new."""
    what = "One reading, 10 s and the everyday prompts"
    if not EMBEDDED.is_dir():
        return [Row(what, "skipped: no embedded checkpoint in assets/", f"{AIM_MS} ms")]
    explorer = Explorer.load()
    ecg, prompts = load_case(bundled_cases()[0].name), prompt_set("everyday").prompts
    bare = ECG(**{field.name: getattr(ecg, field.name) for field in fields(ECG)})
    times = best_ms(
        {
            "known": lambda: explorer.read(ecg, prompts),
            "unmeasured": lambda: explorer.read(bare, prompts),
            "new": lambda: Explorer(explorer.model).read(ecg, prompts),
            "prepare": lambda: prepare(ecg, explorer.spec),
        },
        rounds=10,
    )
    known, new, unmeasured = times["known"], times["new"], times["unmeasured"]
    return [
        Row(what, f"{known:.0f} ms", f"{AIM_MS} ms", known <= AIM_MS),
        Row(
            "The same, of a recording that was not measured yet",
            f"{unmeasured:.0f} ms",
            f"{AIM_MS} ms",
            unmeasured <= AIM_MS,
        ),
        Row(f"The same, all {len(prompts)} prompts asked for the first time", f"{new:.0f} ms"),
        Row("Preparing the recording alone", f"{times['prepare'] / known:.0%} of the reading"),
    ]
