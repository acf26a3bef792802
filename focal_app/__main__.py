"""FOCAL Explorer on the command line, without its page.

python -m focal_app read recording.hea
python -m focal_app read recording.hea --prompt "atrial fibrillation" "ST elevation" --heatmap
python -m focal_app read recordings/*.hea --prompt-set ptbxl-super --json
python -m focal_app verify recording.hea --report "Sinus rhythm. LBBB." --json
python -m focal_app search "atrial fibrillation without LBBB" --top 5
python -m focal_app similar recording.hea --finding "ST elevation"
python -m focal_app gallery build --source ptb-xl --data DIR --out DIR
"""

import argparse
import sys
from collections.abc import Sequence

from focal_app.command import gallery, search, similar, verify
from focal_app.command.signal_options import add_signal_options, signal_of
from focal_app.command.trouble import complain
from focal_app.errors import FocalError

DESCRIPTION = (
    "Say which findings a 12-lead ECG supports, and where they show. For research and teaching, "
    "not for diagnosis. Nothing is sent anywhere, and no name, id or path is printed."
)
PROMPT_SETS = "ptbxl-super, ptbxl-sub, ptbxl-form, ptbxl-rhythm, cpsc2018, csn, waveform"
FAILED, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error that a user can mend is one line and exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except FocalError as error:
        complain(error)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


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
        "WFDB with its partner beside it, CSV, NPY, MAT, or a zip of one); several are read with "
        "one model, and one that fails does not stop the others, but the exit code is then 2",
    )
    _add_questions(read)
    add_signal_options(read)
    _add_output(read)
    read.set_defaults(command=_read)
    for family in (verify, search, similar, gallery):
        family.add(commands)
    return parser


def _add_questions(read: argparse.ArgumentParser) -> None:
    read.add_argument(
        "--prompt",
        nargs="+",
        action="extend",
        default=[],
        metavar="TEXT",
        dest="prompts",
        help="findings to look for, each in quotes, after the last FILE; they replace the "
        "everyday set, or add to the set that --prompt-set names",
    )
    read.add_argument(
        "--prompt-set",
        metavar="NAME",
        help=f"look for the findings of a set: everyday (default), {PROMPT_SETS}",
    )
    read.add_argument(
        "--checkpoint",
        metavar="DIR_OR_REPO",
        help="use another model: a folder, or org/name@revision, which is fetched from the "
        "Hugging Face Hub (default: the embedded one, which needs no network)",
    )
    read.add_argument(
        "--start",
        type=float,
        default=0.0,
        metavar="SECONDS",
        dest="start_s",
        help="where the window begins that is read; what lies after its 10 s is not looked at, so "
        "call again for the rest of a longer recording (default 0)",
    )
    read.add_argument(
        "--tau",
        type=float,
        metavar="X",
        help="how evenly the model has to look, 0.01 to 100; less sharpens them, and no "
        "probability changes (default: as the model was trained)",
    )


def _add_output(read: argparse.ArgumentParser) -> None:
    read.add_argument(
        "--heatmap",
        action="store_true",
        help="also say where each finding shows: the table gains its strongest place, JSON the "
        "weights of all patches, which makes it about ten times as long",
    )
    read.add_argument(
        "--json",
        action="store_true",
        help="print JSON instead of a table: an object for one FILE, a list for several",
    )


def _read(options: argparse.Namespace) -> int:
    from focal_app.command.read import Question, read_files
    from focal_app.command.show import show_json, show_tables

    question = Question(
        prompts=tuple(options.prompts),
        prompt_set=options.prompt_set,
        checkpoint=options.checkpoint,
        start_s=options.start_s,
        tau=options.tau,
        signal=signal_of(options),
    )
    outcomes = read_files(options.files, question)
    show = show_json if options.json else show_tables
    return 0 if show(outcomes, files=len(options.files), heatmap=options.heatmap) else FAILED


if __name__ == "__main__":
    sys.exit(main())
