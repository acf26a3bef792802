"""Commands of the training package.

python -m train data ptb-xl PTB-XL --out runs/NAME/data/ptb-xl
python -m train text --config embedded
python -m train coarse --config embedded --real ../shared/ecg
python -m train evaluate zeroshot --checkpoint assets/checkpoint --data PTB-XL --folds 7 8
python -m train verify --checkpoint DIR --shards DIR --candidates DIR --out DIR
python -m train embed --config embedded
"""

import argparse
import sys

from focal_app.errors import FocalError
from train.runs.commands import data, embedded, enrich, evaluate, gallery, push, training, verify

FAMILIES = (data, training, embedded, evaluate, gallery, enrich, verify, push)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; an error that a user can mend is one line and exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except FocalError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m train", description="Train and measure FOCAL models."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for family in FAMILIES:
        family.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
