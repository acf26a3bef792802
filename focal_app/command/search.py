"""python -m focal_app search "atrial fibrillation without LBBB" --top 5 --json

Finds the cases of a gallery that show what a text asks for.
"""

import argparse
import json

from focal_app.command.hits import add_options, filters_of, hits_table
from focal_app.command.shared_options import Commands

DESCRIPTION = (
    "Find cases by text: several findings ('and', ','), alternatives ('or'), negation ('without', "
    "'no'), places ('in V1-V3'), abbreviations. How the text was understood is printed first."
)


def add(commands: Commands) -> None:
    """The command `search` and its options."""
    parser = commands.add_parser("search", help="find cases by text", description=DESCRIPTION)
    parser.add_argument("text", metavar="TEXT", help="what the cases should show, in quotes")
    add_options(parser)
    parser.add_argument(
        "--labelled",
        action="store_true",
        help="only cases whose labels say so too, whatever the model finds in others",
    )
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from focal_app.explore.cases.gallery import Gallery
    from focal_app.explore.cases.query import parse
    from focal_app.explore.cases.search import search, search_document
    from focal_app.explore.reading.explorer import Explorer

    parse(options.text)  # a text that cannot be asked is told of before the model is loaded
    explorer = Explorer.load(options.checkpoint)
    gallery = Gallery.configured(explorer.model, options.gallery)
    found = search(
        explorer,
        gallery,
        options.text,
        filters=filters_of(options),
        top=options.top,
        only_labelled=options.labelled,
    )
    if options.json:
        written = search_document(found, gallery=gallery.title)
        print(json.dumps(written, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        said = [f"{gallery.title}: {found.understood}", *(f"Warning: {w}" for w in found.warnings)]
        said += [found.rest] if found.rest else []
        print(hits_table(found.hits, said))
    return 0
