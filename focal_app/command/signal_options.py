"""What a table of mere numbers does not say, as options of the commands that read recordings."""

import argparse
import dataclasses
from dataclasses import dataclass

from focal_app.ecg.recording import ECG
from focal_app.ecg.tables.question import UNITS, SignalQuestion, SignalTable, leads_of
from focal_app.errors import ConfigError


@dataclass
class Told:
    """What was told of tables of numbers, and whether any file was one."""

    answers: SignalQuestion
    needed: bool = False

    def made(self, table: SignalTable) -> ECG:
        """The recording of a table, by the answers."""
        self.needed = True
        return table.answered(self.answers)

    def refuse_unneeded(self) -> None:
        """A `ConfigError` that names the options where no file was a table."""
        if self.needed:
            return
        given = dataclasses.asdict(self.answers).items()
        flags = [f"--{name.replace('_', '-')}" for name, answer in given if answer is not None]
        raise ConfigError(
            f"found {' and '.join(flags)}, without effect: rate, unit and leads stand in the file; "
            "leave it out, or give a table of numbers"
        )


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


def told_by(options: argparse.Namespace) -> Told | None:
    """What was told of the numbers, or nothing at all."""
    answers = SignalQuestion(
        rate_hz=options.rate_hz,
        unit=options.unit,
        leads=None if options.leads is None else leads_of(options.leads),
    )
    return None if answers == SignalQuestion() else Told(answers)
