"""Options that several commands share: what is asked, by which model, and from which second on."""

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What a command adds itself to."""


def add_checkpoint(parser: argparse.ArgumentParser, about: str = "") -> None:
    """By which model; `about` says more of one on the Hub, and of the embedded one."""
    parser.add_argument(
        "--checkpoint",
        metavar="DIR_OR_REPO",
        help="use another model: a folder, or org/name@revision"
        + (about or " (default: the embedded one)"),
    )


def add_start(parser: argparse.ArgumentParser, about: str) -> None:
    """Where the window of 10 s begins."""
    parser.add_argument(
        "--start", type=float, default=0.0, metavar="SECONDS", dest="start_s", help=about
    )


def add_prompts(parser: argparse.ArgumentParser, about: str, about_set: str) -> None:
    """Which findings."""
    parser.add_argument(
        "--prompt",
        nargs="+",
        action="extend",
        default=[],
        metavar="TEXT",
        dest="prompts",
        help=about,
    )
    parser.add_argument("--prompt-set", metavar="NAME", help=about_set)
