"""python -m focal_app similar recording.hea --top 5 --json

Finds the cases of a gallery that are most like a recording, as a whole or in one respect.
"""

import argparse
import json
from typing import TYPE_CHECKING

from focal_app.command.hits import add_options, filters_of, hits_table
from focal_app.command.read import opened_together
from focal_app.command.shared_options import Commands, add_start
from focal_app.command.signal_options import add_signal_options, told_by
from focal_app.errors import PromptError
from focal_app.explore.reading.document import NOTICE

if TYPE_CHECKING:
    from focal_app.explore.cases.similar import Finding, Segment, Whole

READ_SO = (
    "98 of 100: so many random pairs of its cases are less alike. Of two values the recording's "
    "own comes first."
)
DESCRIPTION = (
    "Find the cases most like a recording: as a whole, in how one finding shows, or in a segment. "
    "The recording itself and copies of it are left out."
)


def add(commands: Commands) -> None:
    """The command `similar` and its options."""
    parser = commands.add_parser(
        "similar", help="find cases like a recording", description=DESCRIPTION
    )
    parser.add_argument("file", metavar="FILE", help="a recording, as for read")
    by = parser.add_mutually_exclusive_group()
    by.add_argument(
        "--finding", metavar="TEXT", help="compare how this finding shows (default: the whole)"
    )
    by.add_argument(
        "--segment",
        nargs=3,
        metavar=("LEAD", "FROM", "TO"),
        help="compare one lead between two times in seconds, such as V1 2 4",
    )
    add_start(parser, "where the window of 10 s begins that is compared (default 0)")
    add_options(parser)
    add_signal_options(parser)
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from focal_app.explore.cases.gallery import Gallery
    from focal_app.explore.cases.hits import hits_document
    from focal_app.explore.cases.similar import similar
    from focal_app.explore.reading.explorer import Explorer

    by = _by(options)
    (ecg,) = opened_together([options.file], told_by(options))
    explorer = Explorer.load(options.checkpoint)
    gallery = Gallery.configured(explorer.model, options.gallery)
    hits = similar(
        explorer,
        gallery,
        ecg,
        by=by,
        filters=filters_of(options),
        top=options.top,
        start_s=options.start_s,
    )
    if options.json:
        written = {"gallery": gallery.title, "hits": hits_document(hits), "notice": NOTICE}
        print(json.dumps(written, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(hits_table(hits, [f"{gallery.title}: nearest first. {READ_SO}"]))
    return 0


def _by(options: argparse.Namespace) -> "Whole | Finding | Segment":
    from focal_app.explore.cases.similar import Finding, Segment, Whole

    if options.finding is not None:
        return Finding(options.finding)
    if options.segment is None:
        return Whole()
    lead, first, last = options.segment
    try:
        return Segment(lead, float(first), float(last))
    except ValueError as error:
        raise PromptError(
            f"found the times {first!r} and {last!r}; needed seconds, such as --segment V1 2 4"
        ) from error
