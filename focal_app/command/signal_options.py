"""What a table of mere numbers does not say, as options of the commands that read recordings."""

import argparse

from focal_app.ecg.tables.question import UNITS, SignalQuestion, leads_of


def add_signal_options(parser: argparse.ArgumentParser) -> None:
    """Rate, unit and leads of CSV, NPY, NPZ and plain MAT files."""
    group = parser.add_argument_group(
        "tables of numbers", "What CSV, NPY, NPZ and MAT files do not say; other files do."
    )
    group.add_argument(
        "--rate-hz", type=float, metavar="HZ", help="samples a second; all seconds follow from it"
    )
    group.add_argument(
        "--unit", choices=UNITS, help="what one step of the numbers is; all amplitudes follow"
    )
    group.add_argument(
        "--leads",
        metavar="NAMES",
        help="a lead for each column, in one quoted line, such as 'I II V1 V2 V3 V4 V5 V6'; "
        "- for a column that is no lead",
    )


def signal_of(options: argparse.Namespace) -> SignalQuestion | None:
    """What was told of the numbers, or nothing at all."""
    told = SignalQuestion(
        rate_hz=options.rate_hz,
        unit=options.unit,
        leads=leads_of(options.leads) if options.leads else None,
    )
    return None if told == SignalQuestion() else told
