"""python -m focal_app verify recording.hea --report "Sinus rhythm. LBBB." --json

Verifies a report, and the waveform features that it leaves out, on one recording.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from focal_app.command.read import opened_together
from focal_app.command.shared_options import Commands, add_checkpoint, add_start
from focal_app.command.signal_options import add_signal_options, told_by
from focal_app.command.table import aligned
from focal_app.errors import LLMError, PromptError
from focal_app.explore.report.candidates import Proposed, lexicon_candidates, model_proposals
from focal_app.explore.report.documents import document, enriched_text, feature_words
from focal_app.explore.report.language_model import (
    LLMServer,
    asked_about,
    conversation,
    propose,
    server_from,
)
from focal_app.explore.report.table import Feature, Table, in_words, table_of
from focal_app.explore.report.verification import verify
from focal_app.words.statements import ReportTag, report_tags

DESCRIPTION = (
    "Find the tags of a report, propose the waveform features that they make likely, and say which "
    "of them the recording supports. For research and teaching, not for diagnosis. The ECG is sent "
    "nowhere."
)
HEADINGS = ("verdict", "statement", "why")


def add(commands: Commands) -> None:
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
        metavar="P",
        help="call supported what has this probability or more; less supports more (default: the "
        "border that was chosen and measured for the checkpoint)",
    )
    parser.add_argument(
        "--llm",
        action="store_true",
        help="let the model at FOCAL_LLM_BASE_URL propose the features instead of the lexicon; it "
        "is sent the tags, which are printed to the error stream before, and never the ECG",
    )
    add_checkpoint(parser)
    add_start(parser, "where the window of 10 s begins that is read (default 0)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    add_signal_options(parser)
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from focal_app.explore.reading.explorer import Explorer

    report = _report(options.report)
    (ecg,) = opened_together([options.file], told_by(options))
    tags = report_tags(report)
    proposed = _proposed(tags) if options.llm else None
    verification = verify(
        Explorer.load(options.checkpoint),
        ecg,
        tags,
        proposed.candidates if proposed else lexicon_candidates(tags),
        report=report,
        start_s=options.start_s,
    ).moved(options.threshold)
    if options.json:
        more = {"proposals": proposed.document()} if proposed else {}
        print(json.dumps({**document(verification), **more}, indent=2, allow_nan=False))
    else:
        table = table_of(verification)
        lines = aligned([HEADINGS, *_rows(table)], right=0)
        told = [proposed.words] if proposed and proposed.words else []
        print("\n".join([enriched_text(verification), *lines, *told, *_not_checked(table)]))
    return 0


def _not_checked(table: Table) -> list[str]:
    """What of the report has no row: asides, words that are not known, denials beside a finding."""
    asides = [f"Not checked ({one.language or one.kind}): {one.text}" for one in table.asides]
    unknown = [f"Not understood: {words}" for words in table.left_out]
    beside = "Not checked (the finding is named too, perhaps in other leads or of another time)"
    return [*asides, *unknown, *(f"{beside}: {tag.denial}" for tag in table.overruled)]


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


def _rows(table: Table) -> list[tuple[str, str, str]]:
    """A line a statement, its features indented below it, then what the model would add."""
    rows: list[tuple[str, str, str]] = []
    for row in table.rows:
        rows.append((row.verdict.name, in_words(row.tag), row.verdict.why))
        rows += [_feature(one) for one in row.features]
    rows += [_feature(one) for one in table.proposed]
    rows += [("would add", one.finding.prompt, one.verdict.why) for one in table.added]
    return rows


def _feature(one: Feature) -> tuple[str, str, str]:
    return one.verdict.name, f"  + {feature_words(one.candidate)}", one.verdict.why
