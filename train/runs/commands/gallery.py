"""The command that draws the cases of the embedded gallery."""

import argparse
from pathlib import Path


def add(commands: argparse._SubParsersAction) -> None:
    """Add `gallery-cases`."""
    command = commands.add_parser(
        "gallery-cases",
        help="draw simulated cases of every finding, for `python -m focal_app gallery build`",
    )
    command.add_argument(
        "--count",
        type=int,
        default=340,
        metavar="N",
        help="how many cases; every state is drawn about equally often (default 340)",
    )
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="a folder, made where it is absent; files of the same names are replaced",
    )
    command.add_argument(
        "--seed", type=int, default=5, metavar="N", help="other patients for another seed (5)"
    )
    command.set_defaults(command=_draw)


def _draw(options: argparse.Namespace) -> None:
    from train.publish.gallery_cases import write_gallery_cases

    write_gallery_cases(options.out, count=options.count, seed=options.seed)
