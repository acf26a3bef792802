"""python -m focal_app verify recording.hea --report "Sinus rhythm. LBBB." --json

Verifies a report, and the waveform features that it leaves out, on one recording.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from focal_app.command.signal_options import add_signal_options, signal_of
from focal_app.command.table import aligned
from focal_app.ecg.files import read_recording
from focal_app.errors import LLMError, PromptError
from focal_app.explore.reading.reading import Finding, percent
from focal_app.explore.report.candidates import Proposed, lexicon_candidates, model_proposals
from focal_app.explore.report.language_model import (
    LLMServer,
    asked_about,
    conversation,
    propose,
    server_from,
)
from focal_app.explore.report.verification import (
    THRESHOLD,
    TagReading,
    Verification,
    document,
    enriched_text,
    feature_words,
    verify,
)
from focal_app.words.statements import ReportTag, report_tags, understood_report

if TYPE_CHECKING:
    from argparse import _SubParsersAction

DESCRIPTION = (
    "Find the tags of a report, propose the waveform features that they make likely, and say which "
    "of them the recording supports. For research and teaching, not for diagnosis. The ECG is sent "
    "nowhere."
)
UNKNOWN = "not a known ECG term"
FITS = {None: "not measured", True: "measured: fits", False: "measured: does not fit"}
HEADINGS = ("probability", "similarity", "verdict", "statement")


def add(commands: "_SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command `verify` and its options."""
    parser = commands.add_parser(
        "verify", help="verify a report and its missing features", description=DESCRIPTION
    )
    parser.add_argument("file", metavar="FILE", help="a recording, as for read")
    parser.add_argument(
        "--report",
        required=True,
        metavar="TEXT",
        help="what the report says, in quotes, or @FILE to read it from a text file",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=THRESHOLD,
        metavar="P",
        help=f"accept features from this probability on; less accepts more (default {THRESHOLD})",
    )
    parser.add_argument(
        "--llm",
        action="store_true",
        help="let the model at FOCAL_LLM_BASE_URL propose the features instead of the lexicon; it "
        "is sent the tags, which are printed to the error stream before, and never the ECG",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="DIR_OR_REPO",
        help="use another model: a folder, or org/name@revision (default: the embedded one)",
    )
    parser.add_argument(
        "--start",
        type=float,
        default=0.0,
        metavar="SECONDS",
        dest="start_s",
        help="where the window of 10 s begins that is read (default 0)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    add_signal_options(parser)
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from focal_app.explore.reading.explorer import Explorer

    report = _report(options.report)
    ecg = read_recording([Path(options.file)], asked=signal_of(options))
    tags = report_tags(report)
    proposed = _proposed(tags) if options.llm else None
    verification = verify(
        Explorer.load(options.checkpoint),
        ecg,
        tags,
        proposed.candidates if proposed else lexicon_candidates(tags),
        report=report,
        threshold=options.threshold,
        start_s=options.start_s,
    )
    if options.json:
        more = {"proposals": proposed.document()} if proposed else {}
        print(json.dumps({**document(verification), **more}, indent=2, allow_nan=False))
    else:
        table = aligned([HEADINGS, *_rows(verification)])
        told = [proposed.words] if proposed and proposed.words else []
        print("\n".join([enriched_text(verification), *table, *told, *_asides(report)]))
    return 0


def _asides(report: str) -> list[str]:
    """The lines of the report that state nothing of this ECG, and why."""
    found = understood_report(report).asides
    return [f"Not read ({one.language or one.kind}): {one.text}" for one in found]


def _report(text: str) -> str:
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(
            "the file behind --report @FILE cannot be read as text; check it"
        ) from error


def _proposed(tags: tuple[ReportTag, ...]) -> Proposed:
    """What the configured model proposes; what it is sent is printed first."""
    server, asked = _server(), asked_about(tags)
    print(
        f"sent to {server.host} ({server.model}):", *conversation(asked), sep="\n", file=sys.stderr
    )
    return model_proposals(propose(server, asked), tags)


def _server() -> LLMServer:
    server = server_from(os.environ)
    if server is None:
        raise LLMError("found no FOCAL_LLM_BASE_URL; set it and FOCAL_LLM_MODEL, or drop --llm")
    return server


def _rows(verification: Verification) -> list[tuple[str, ...]]:
    accepted, rejected = verification.accepted, verification.rejected
    features = [("accepted", one) for one in accepted] + [("rejected", one) for one in rejected]
    rows = [
        *((verdict, feature_words(one.candidate), one.finding) for verdict, one in features),
        *((_stance(one), one.tag.prompt, one.finding) for one in verification.tags),
    ]
    return [(*_scores(found), verdict, words) for verdict, words, found in rows]


def _scores(found: Finding | None) -> tuple[str, str]:
    """What the model says; nothing of what is measured, or no finding at all."""
    return (percent(found.probability), f"{found.similarity:.3f}") if found else ("-", "-")


def _stance(one: TagReading) -> str:
    """What the report says of a finding; nothing of what is no known ECG term."""
    tag = one.tag
    if not tag.known:
        return UNKNOWN
    if tag.value:
        return FITS[one.agrees]
    said = "denied" if tag.denied else "suspected" if tag.suspected else "said"
    return f"{said}, {tag.age}" if tag.age else said
