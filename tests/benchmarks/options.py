"""The command line of a bench that has options of its own."""

import argparse


def bench_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """For `python -m tests.benchmarks.NAME`; `about` is its module's docstring, as it stands."""
    return argparse.ArgumentParser(
        prog=f"python -m tests.benchmarks.{name}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
