"""python -m focal_app gallery build --source ptb-xl --download --cases 500
python -m focal_app gallery build --source ptb-xl --data DIR --out DIR
python -m focal_app gallery push DIR --to org/name --dry-run

Makes a gallery of cases, of recordings that lie here or are fetched, and puts one on the Hub.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from focal_app.command.shared_options import Commands
from focal_app.errors import GalleryError

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery.build import Built, Record

R = TypeVar("R")
SOURCES = ("ptb-xl", "csn", "folder")
CASES, GALLERIES = 500, Path("galleries")
SAID_EVERY = 32
"""Recordings from one word of progress to the next."""


def add(commands: Commands) -> None:
    """The command `gallery` with `build` and `push`."""
    parser = commands.add_parser("gallery", help="make a gallery of cases, or publish one")
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    _add_build(tasks.add_parser("build", help="embed recordings and store them with their labels"))
    _add_push(tasks.add_parser("push", help="put a gallery on the Hugging Face Hub"))


def _add_build(build: argparse.ArgumentParser) -> None:
    build.add_argument(
        "--source",
        required=True,
        choices=SOURCES,
        help="how the recordings lie in DIR: PTB-XL or Chapman-Shaoxing-Ningbo as published, or a "
        "folder of WFDB files with a cases.jsonl or cases.csv that names file, labels, report, "
        "sex, age_years, source and licence of each",
    )
    build.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="the recordings; with --download where they are put and stay (default then "
        "galleries/SOURCE-recordings)",
    )
    build.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="the gallery's folder; an older gallery there is replaced when the new one is whole "
        "(default galleries/SOURCE)",
    )
    build.add_argument(
        "--download",
        action="store_true",
        help="fetch open recordings of PTB-XL (CC BY 4.0) from PhysioNet first, every statement as "
        "evenly as may be, one a patient; run again to go on where it stopped. Only this option "
        "asks the network for anything",
    )
    build.add_argument(
        "--cases",
        type=int,
        metavar="N",
        help=f"with --download: how many recordings, about 0.12 MB each (default {CASES})",
    )
    build.add_argument(
        "--from",
        dest="base",
        metavar="URL",
        help="with --download: another server with PhysioNet's files (default "
        "https://physionet.org/files/)",
    )
    build.add_argument(
        "--checkpoint",
        metavar="DIR_OR_REPO",
        help="the model that embeds; the gallery opens with this one alone (default: the embedded)",
    )
    build.add_argument("--title", metavar="TEXT", help="what the gallery is called")
    build.add_argument(
        "--simulated",
        action="store_true",
        help="say wherever the gallery is shown that its cases are simulated",
    )
    build.add_argument(
        "--index",
        choices=("flat", "ivfpq"),
        default="flat",
        help="flat compares with every case, which is exact and quick up to some 100,000; ivfpq "
        "looks into cells of compressed vectors, for a million (default flat)",
    )
    build.add_argument(
        "--patches",
        choices=("float16", "compact"),
        default="float16",
        help="compact takes an eighth of the space for the patches, at a small error of the scores",
    )
    build.add_argument(
        "--rate-hz",
        type=int,
        default=500,
        metavar="HZ",
        help="sampling rate of what is stored and embedded; 250 halves the space (default 500)",
    )
    build.add_argument(
        "--step-uv",
        type=int,
        default=1,
        metavar="UV",
        help="microvolts of one step of what is stored (default 1)",
    )
    build.set_defaults(command=_build)


def _add_push(push: argparse.ArgumentParser) -> None:
    push.add_argument("folder", type=Path, metavar="DIR", help="a gallery that was built")
    push.add_argument(
        "--to", required=True, metavar="ORG/NAME", help="the data set, made where it is absent"
    )
    push.add_argument("--private", action="store_true", help="make a new data set private")
    push.add_argument(
        "--dry-run", action="store_true", help="say what would be sent, and send nothing"
    )
    push.set_defaults(command=_push)


def _build(options: argparse.Namespace) -> int:
    from focal_app.explore.cases.gallery.build import Plan, build
    from focal_app.explore.cases.gallery.index import FEWEST
    from focal_app.explore.cases.gallery.sources import NOTES, TITLES
    from focal_app.explore.reading.explorer import Explorer

    if not 50 <= options.rate_hz <= 1000 or not 1 <= options.step_uv <= 50:
        raise GalleryError("needed --rate-hz from 50 to 1000 and --step-uv from 1 to 50")
    out = options.out or GALLERIES / options.source
    if out.exists() and not out.is_dir():
        raise GalleryError(f"found a file {out.name!r}; --out needs a folder")
    plan = Plan(
        title=TITLES[options.source] if options.title is None else options.title,
        note=NOTES[options.source],
        simulated=options.simulated,
        index=options.index,
        patches=options.patches,
        rate_hz=options.rate_hz,
        step_uv=options.step_uv,
    )
    explorer = Explorer.load(options.checkpoint)
    built = build(_counted(_records(options)), explorer, out, plan)
    left = f", {built.left_out} left out that cannot be read" if built.left_out else ""
    megabytes = sum(f.stat().st_size for f in out.iterdir()) / 1e6
    print(f"{plan.title}: {built.cases} cases{left}, {megabytes:.1f} MB")
    print(_trained(built))
    if built.index != plan.index:
        print(f"Stored flat: --index {plan.index} is for {FEWEST:,} cases and more.")
    if plan.note:
        print(plan.note)
    print(f"Open the page with it: FOCAL_GALLERY={out} python app.py")
    return 0


def _trained(built: "Built") -> str:
    """On how many of the cases the model was trained."""
    if built.unknown == built.cases:
        return "Whether the model was trained on any of them is not known."
    some = f"; of {built.unknown} it is not known" if built.unknown else ""
    return (
        f"In {built.trained} of {built.cases} cases the model was trained on ECGs of the same "
        f"patient{some}. What it finds in those proves nothing; the page marks each."
    )


def _records(options: argparse.Namespace) -> "Iterator[Record | None]":
    """What is stored: recordings that lie there, or that are fetched first."""
    from focal_app.explore.cases.gallery.sources import SOURCES as FOUND

    if options.download:
        return _fetched(options)
    for option, given in (("--cases", options.cases), ("--from", options.base)):
        if given is not None:
            raise GalleryError(f"found {option} without --download, for which it is")
    if options.data is None:
        raise GalleryError("found no recordings; name their folder with --data, or --download some")
    if not options.data.is_dir():
        raise GalleryError(f"found no folder {options.data.name!r}; name it with --data")
    return FOUND[options.source](options.data)


def _fetched(options: argparse.Namespace) -> "Iterator[Record | None]":
    """Recordings from the network, and what could not be had, counted on the error stream."""
    from focal_app.explore.cases.gallery.download import BASE, fetch
    from focal_app.explore.cases.gallery.sources import ptb_xl

    cases = CASES if options.cases is None else options.cases
    if options.source != "ptb-xl" or cases < 1:
        raise GalleryError(
            f"found --download with --source {options.source} and {cases} cases; PTB-XL is what "
            "can be fetched, of 1 case or more"
        )
    folder = options.data or GALLERIES / f"{options.source}-recordings"
    base = BASE if options.base is None else options.base
    found = fetch(folder, cases=cases, base=base, say=_say)
    without = found.listed - found.usable
    _say(
        f"{len(found.rows)} recordings lie there; of {found.listed} listed {without} have no "
        "statement that the lexicon knows, or no file as others are named"
    )
    for why, count in found.left_out.items():
        _say(f"left out {count}: {why}")
    return ptb_xl(folder, found.rows)


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _counted(records: Iterator[R]) -> Iterator[R]:
    """The same records, counted on the error stream: in one line at a terminal, else in several."""
    end = "\r" if sys.stderr.isatty() else "\n"
    for number, record in enumerate(records, 1):
        if number % SAID_EVERY == 0:
            print(f"embedded {number}", end=end, file=sys.stderr, flush=True)
        yield record


def _push(options: argparse.Namespace) -> int:
    from focal_app.explore.cases.gallery.push import contents, push

    if options.dry_run and options.private:
        raise GalleryError("found --private with --dry-run, which sends nothing; leave one out")
    for name, size in contents(options.folder):
        print(f"{size / 1e6:10.3f} MB  {name}")
    if options.dry_run:
        print(f"nothing was sent to {options.to}: --dry-run")
    else:
        print(push(options.folder, options.to, private=options.private))
    return 0
