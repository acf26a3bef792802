"""Looks for inputs that make a parser crash, hang, swell, or touch what is not its own.

python -m tests.fuzz --seconds 60 --seed 1
python -m tests.fuzz --inputs 20000 --results build/fuzz.json
python -m tests.fuzz --replay

Findings are kept in tests/fuzz/corpus, where every test run tries them again; inputs that only
brought something new are kept in --new, from which a later run goes on. The exit code is 1 where
something was found. A run of hours is `make fuzz`.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.fuzzing import Fuzzed, fuzz, replay
from tests.fuzz.kept import CORPUS, all_kept, keep
from tests.fuzz.targets import targets


def main() -> None:
    """Fuzz, print a table, keep what was found."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as tempfile.tempdir:
        result = _run(options)
    sys.exit(1 if result.findings else 0)


def _run(options: argparse.Namespace) -> Fuzzed:
    chosen = {name: targets()[name] for name in options.only or targets()}
    corpus = [one for one in all_kept(CORPUS) if one.target in chosen]
    begun = time.monotonic()
    if options.replay:
        result = replay(chosen, corpus)
    else:
        print(f"seed {options.seed}", file=sys.stderr)
        result = fuzz(
            chosen,
            seed=options.seed,
            corpus=corpus + (all_kept(options.new) if options.new else []),
            inputs=options.inputs,
            seconds=options.seconds,
            tell=lambda told: print(f"found {told}", file=sys.stderr, flush=True),
        )
    _tell(result, time.monotonic() - begun)
    if options.results:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text(json.dumps(_document(result, options.seed), indent=1) + "\n")
    if not options.replay:
        _keep(result, options.keep, options.new)
    return result


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, help="how long to go on (default 60)")
    parser.add_argument("--inputs", type=int, help="how many inputs to try, in place of a time")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(10**6), help="makes the inputs the same again"
    )
    parser.add_argument("--only", nargs="+", choices=[*targets()], help="these parsers alone")
    parser.add_argument("--new", type=Path, help="folder of inputs that brought something new")
    parser.add_argument(
        "--keep", type=Path, default=CORPUS, help="where findings go (default tests/fuzz/corpus)"
    )
    parser.add_argument("--results", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--replay", action="store_true", help="only try what is kept, once each")
    options = parser.parse_args()
    if options.seconds is None and options.inputs is None:
        options.seconds = 60.0
    return options


def _tell(result: Fuzzed, seconds: float) -> None:
    print(
        "| parser | inputs | refused | slowest | most memory | found |\n|---|---|---|---|---|---|"
    )
    for name, one in result.figures.items():
        found = "; ".join(f"{kind} ({times})" for kind, times in one.found.items()) or "-"
        print(
            f"| {name} | {one.inputs} | {one.refused} | {one.slowest_s:.2f} s | "
            f"{one.largest_mb:.0f} MB | {found} |"
        )
    total = sum(one.inputs for one in result.figures.values())
    print(f"\n{total} inputs in {seconds:.0f} s; {len(result.findings)} kinds of findings")


def _document(result: Fuzzed, seed: int) -> dict[str, object]:
    figures = {
        name: {**vars(one), "found": dict(one.found)} for name, one in result.figures.items()
    }
    return {"seed": seed, "parsers": figures, "findings": [f"{t}: {k}" for t, k in result.findings]}


def _keep(result: Fuzzed, findings: Path, new: Path | None) -> None:
    for found in result.findings.values():
        print(f"kept {keep(found, findings).name}", file=sys.stderr)
    for found in result.new if new else ():
        keep(found, new)


if __name__ == "__main__":
    main()
