"""The figures of `make bench`, as a Markdown table.

python -m tests.benchmarks
python -m tests.benchmarks transport reading

Those with options of their own are called by their name: python -m tests.benchmarks.carts --help
"""

import argparse
import importlib
from collections.abc import Iterator

import torch

from tests.benchmarks.timing import Row

PARTS = (
    *("transport", "reading", "formats", "taking_away", "start", "page", "users"),
    *("enrichment", "shards", "training", "training_focal", "evaluation", "search", "filters"),
    "text",
)
WITH_OPTIONS = (
    *(
        "bottleneck",
        "carts",
        "contradictions",
        "defined",
        "early",
        "free_phrases",
        "normal",
        "own_words",
    ),
    *("paced", "percentages", "reading_ahead", "retrieval", "ruler_readings", "scale", "simulated"),
    *("waves",),
)
THREADS = 2


def main() -> None:
    """Measure the chosen parts and print a line as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which of {', '.join(PARTS)} (default: all)")
    chosen = parser.parse_args().parts or PARTS
    for part in chosen:
        if part in WITH_OPTIONS:
            parser.error(f"call it as `python -m tests.benchmarks.{part}`; it has its own options")
        if part not in PARTS:
            parser.error(f"found {part!r}; needed one of {', '.join((*PARTS, *WITH_OPTIONS))}")
    torch.set_num_threads(THREADS)
    print("| what | found | aim | met |\n|---|---|---|---|")
    for row in _measured(chosen):
        met = {True: "yes", False: "NO", None: "-"}[row.met]
        print(f"| {row.what} | {row.found} | {row.aim or '-'} | {met} |", flush=True)


def _measured(parts: tuple[str, ...]) -> Iterator[Row]:
    for part in parts:
        yield from importlib.import_module(f"tests.benchmarks.{part}").rows()


if __name__ == "__main__":
    main()
