"""Hits of a search as a table for a terminal, and the options that searches share."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from focal_app.command.shared_options import add_checkpoint
from focal_app.command.table import aligned
from focal_app.explore.cases.label_order import most_telling
from focal_app.explore.reading.document import NOTICE

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery import Filters
    from focal_app.explore.cases.hits import Hit

LABELS_SHOWN = 4


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which gallery, which model, how many, which cases."""
    parser.add_argument(
        "--top", type=_count, default=10, metavar="K", help="how many cases (default 10)"
    )
    parser.add_argument(
        "--gallery",
        metavar="DIR_OR_REPO",
        help="a folder or a Hub data set org/name@revision, made by the same checkpoint (default: "
        "FOCAL_GALLERY, else the embedded one of simulated cases)",
    )
    add_checkpoint(parser)
    parser.add_argument(
        "--label",
        nargs="+",
        action="extend",
        default=[],
        metavar="LABEL",
        dest="labels",
        help="only cases that carry all of these labels, or more specific ones",
    )
    parser.add_argument("--sex", choices=("female", "male"), help="only cases of this sex")
    parser.add_argument(
        "--age",
        nargs=2,
        type=int,
        metavar=("FROM", "TO"),
        help="only cases of these ages in years, both ends included",
    )
    parser.add_argument("--source", metavar="NAME", help="only cases of this source")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _count(text: str) -> int:
    """A number of cases, as argparse reads it."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; needed a whole number, 1 or more")
    return int(text)


def filters_of(options: argparse.Namespace) -> "Filters | None":
    """The filters that were asked for, None where there are none."""
    from focal_app.explore.cases.gallery import Filters

    found = Filters(
        labels=tuple(options.labels),
        sex=options.sex,
        age_years=tuple(options.age) if options.age else None,
        source=options.source,
    )
    return None if found == Filters() else found


def hits_table(hits: "Sequence[Hit]", said: Sequence[str]) -> str:
    """What was asked, the cases in their order, and what the whole is not for."""
    has_probability = any(hit.probability is not None for hit in hits)
    heading = "probability" if has_probability else "closer than"
    rows = [
        (
            str(rank),
            hit.figure or "-",
            hit.case.key,
            _because(hit),
            most_telling(hit.case.facts.labels, LABELS_SHOWN),
        )
        for rank, hit in enumerate(hits, 1)
    ]
    headings = ("rank", heading, "case", "why", "labels")
    table = aligned([headings, *rows]) if rows else ["No case passes."]
    return "\n".join([*said, "", *table, "", NOTICE])


def _because(hit: "Hit") -> str:
    if hit.reasons is None:
        return ", ".join([*hit.why, *hit.measured])
    return hit.reasons.brief
