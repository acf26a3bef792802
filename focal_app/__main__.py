"""FOCAL Explorer on the command line, without its page.

python -m focal_app read recording.hea
python -m focal_app read recording.hea --prompt "atrial fibrillation" "ST elevation" --heatmap
python -m focal_app read recordings/*.hea --prompt-set ptbxl-super --json
python -m focal_app read recordings --csv findings.csv --pdf readings
python -m focal_app verify recording.hea --report "Sinus rhythm. LBBB." --json
python -m focal_app compare earlier.hea later.hea --json
python -m focal_app search "atrial fibrillation without LBBB" --top 5
python -m focal_app similar recording.hea --finding "ST elevation"
python -m focal_app gallery build --source ptb-xl --data DIR --out DIR
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from focal_app.command import compare, gallery, search, similar, verify
from focal_app.command.shared_options import add_checkpoint, add_prompts, add_start
from focal_app.command.signal_options import add_signal_options, told_by
from focal_app.command.trouble import complain
from focal_app.errors import ConfigError, FocalError
from focal_app.explore.reading.prompts import EVERYDAY
from focal_app.lexicon import load_prompt_sets

DESCRIPTION = (
    "Say which findings a 12-lead ECG supports, and where they show. For research and teaching, "
    "not for diagnosis. Nothing is sent anywhere, and no name, id or path is printed."
)
FAILED, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error that a user can mend is one line and exit code 2."""
    try:
        options = _parser().parse_args(arguments)
        code = options.command(options)
        sys.stdout.flush()
        return code
    except FocalError as error:
        complain(error)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # who reads the output, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m focal_app", description=DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    read = commands.add_parser(
        "read", help="score findings against recordings", description=DESCRIPTION
    )
    read.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a recording as a cardiograph or an archive wrote it (DICOM, XML, SCP-ECG, EDF, MFER, "
        "WFDB with its partner beside it, CSV, NPY, MAT, or a zip of one), or a folder, which "
        "stands for all in it and below it; several are read with one model, and one that fails "
        "does not stop the others, but the exit code is then 2",
    )
    _add_questions(read)
    add_signal_options(read)
    _add_output(read)
    _add_copies(read)
    read.set_defaults(command=_read)
    for family in (verify, compare, search, similar, gallery):
        family.add(commands)
    return parser


def _add_questions(read: argparse.ArgumentParser) -> None:
    others = [name for name in load_prompt_sets() if name != EVERYDAY]
    add_prompts(
        read,
        "findings to look for, each in quotes, after the last FILE; they replace the everyday set, "
        "or add to the set that --prompt-set names",
        f"look for the findings of a set: {EVERYDAY} (default), {', '.join(others)}",
    )
    add_checkpoint(
        read,
        ", which is fetched from the Hugging Face Hub (default: the embedded one, which needs no "
        "network)",
    )
    add_start(
        read,
        "where the window begins that is read; what lies after its 10 s is not looked at, so call "
        "again for the rest of a longer recording (default 0)",
    )
    read.add_argument(
        "--tau",
        type=float,
        metavar="X",
        help="with --heatmap: how evenly the model has to look, 0.01 to 100; less sharpens the "
        "heatmaps, and no probability changes (default: as the model was trained)",
    )


def _add_output(read: argparse.ArgumentParser) -> None:
    read.add_argument(
        "--heatmap",
        action="store_true",
        help="also say where each finding shows: the table gains its strongest place, JSON the "
        "weights of all patches, which makes it about ten times as long",
    )
    instead = read.add_mutually_exclusive_group()
    instead.add_argument(
        "--json",
        action="store_true",
        help="print JSON instead of a table: an object for one FILE, a list for several",
    )
    instead.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="print nothing, and write a row a recording as soon as it is read; a run that was "
        "stopped goes on where the table ends. It names your files: take that column away "
        "before you pass it on",
    )


def _add_copies(read: argparse.ArgumentParser) -> None:
    about = "; files are named by the number of the recording (of its row, with --csv)"
    for name, what in (
        ("pdf", "a PDF of every reading, with --heatmap also of its three likeliest findings"),
        ("wfdb", "every recording as a WFDB pair, without identity"),
        ("dicom", "every recording as a DICOM 12-lead ECG, without identity"),
    ):
        read.add_argument(f"--{name}", type=Path, metavar="DIR", help=f"write {what}{about}")


def _read(options: argparse.Namespace) -> int:
    from focal_app.command.copies import Copies
    from focal_app.command.read import Question, read_files
    from focal_app.command.recordings import expanded, recordings
    from focal_app.command.show import copied, show_json, show_tables, write_table
    from focal_app.explore.reading.checkpoint_name import checkpoint_name

    if options.csv and options.heatmap and not options.pdf:
        raise ConfigError("a table holds no heatmap; leave --heatmap out, or add --pdf or --json")
    if options.tau is not None and not options.heatmap:
        raise ConfigError("found --tau without --heatmap; it changes nothing but heatmaps")
    question = Question(
        prompts=tuple(options.prompts),
        prompt_set=options.prompt_set,
        checkpoint=options.checkpoint,
        start_s=options.start_s,
        tau=options.tau,
        told=told_by(options),
    )
    copies = Copies(
        pdf=options.pdf,
        wfdb=options.wfdb,
        dicom=options.dicom,
        heatmaps=options.heatmap,
        checkpoint=checkpoint_name(options.checkpoint),
    )
    copies.make_folders()
    files = expanded(options.files, without=options.csv)
    found = recordings(files)
    if options.csv:
        return 0 if write_table(options.csv, found, question, copies) else FAILED
    outcomes = copied(read_files(found, question), copies)
    show = show_json if options.json else show_tables
    well = show(outcomes, files=len(files), heatmap=options.heatmap)
    return 0 if well and not copies.failed else FAILED


if __name__ == "__main__":
    sys.exit(main())
