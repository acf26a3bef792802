"""The command line of a bench that has options of its own."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from focal_app.errors import FocalError


def run(main: Callable[[], None]) -> None:
    """Runs a bench; an error that a user can mend is one line and exit code 2."""
    try:
        main()
    except FocalError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


def at_least_one(text: str) -> int:
    """A count of what is drawn."""
    if not (text.isascii() and text.isdecimal() and (count := int(text))):
        raise argparse.ArgumentTypeError(f"found {text!r}; needed a whole number, 1 or more")
    return count


def bench_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """For `python -m tests.benchmarks.NAME`; `about` is its module's docstring, as it stands."""
    return argparse.ArgumentParser(
        prog=f"python -m tests.benchmarks.{name}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def real_and_drawn(name: str, about: str | None, *, drawn: int) -> argparse.Namespace:
    """The options of a bench that looks at real recordings and at drawn ones: `real`, `drawn`."""
    parser = bench_parser(name, about)
    parser.add_argument("--real", type=Path, required=True, metavar="DIR", help="holds the sources")
    parser.add_argument(
        "--drawn", type=at_least_one, default=drawn, metavar="N", help="ECGs of each rhythm"
    )
    return parser.parse_args()
