"""python -m focal_app compare earlier.hea later.hea --json

Says what changed between two ECGs of one patient, and what is as before.
"""

import argparse
import json

from focal_app.command.read import Question, opened_together
from focal_app.command.shared_options import Commands, add_checkpoint, add_prompts
from focal_app.command.signal_options import add_signal_options, told_by
from focal_app.command.table import aligned
from focal_app.explore.comparing.comparison import Comparison, compare, document
from focal_app.explore.measured.sentences import pacing
from focal_app.explore.reading.document import NOTICE
from focal_app.explore.reading.reading import percent

DESCRIPTION = (
    "Say what is new, what is gone and what is as before in an ECG, against an earlier one of the "
    "same patient: of its measurements and of its findings. The first 10 s of each are read."
)


def add(commands: Commands) -> None:
    """The command `compare` and its options."""
    parser = commands.add_parser(
        "compare", help="compare with an earlier ECG of the patient", description=DESCRIPTION
    )
    for name in ("earlier", "later"):
        parser.add_argument(name, metavar=name.upper(), help=f"the file of the {name} recording")
    add_prompts(
        parser,
        "findings to compare, after both files (default: the everyday set)",
        "compare the findings of a set, see `read --help`",
    )
    add_checkpoint(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    add_signal_options(parser)
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from focal_app.explore.reading.explorer import Explorer

    asked = Question(prompts=tuple(options.prompts), prompt_set=options.prompt_set).asked
    earlier, later = opened_together((options.earlier, options.later), told_by(options))
    found = compare(Explorer.load(options.checkpoint), earlier, later, asked)
    if options.json:
        print(json.dumps(document(found), indent=2, allow_nan=False))
    else:
        print(_table(found))
    return 0


def _table(found: Comparison) -> str:
    """What changed and what is likely, in aligned columns; what is absent in both is left out."""
    measured = [
        (
            one.name.amount(one.earlier.value),
            one.name.amount(one.later.value),
            one.verdict,
            one.name.heading,
        )
        for one in found.measured
    ]
    then, now = (pacing(one.measured) for one in (found.earlier, found.later))
    measured.append((then, now, found.pacing, "Pacing"))
    findings = [
        (percent(one.earlier.probability), percent(one.later.probability), one.verdict, one.prompt)
        for one in found.findings
        if one.likely
    ]
    rows = [("earlier", "later", "verdict", "what"), *measured, *findings]
    warnings = [f"Warning: {warning}" for warning in found.warnings]
    return "\n".join([*warnings, *aligned(rows), "", NOTICE])
