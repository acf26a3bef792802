"""Commands that verify candidate features with the coarse model, and that test verification."""

import dataclasses
import json
import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from train.checked import Checked, Range
from train.recipe import NOT_FITTED, FreeText, Score
from train.settings import Flag, refuse

THRESHOLD = 0.95
Probability = Range(0, 1, above=True, below=True)
Checkpoint = Annotated[str, Flag("the coarse model", "DIR_OR_REPO")]
THRESHOLD_FLAG = Flag(
    "probability from which a candidate is kept; higher keeps fewer, and fewer false "
    "ones (default 0.95)",
    "P",
)


SCORE_FLAG = Flag(
    "candidate: the probability of a feature that was proposed, fitted on validation records; "
    "unstated: that of a feature that the report does not state, where reports often leave it out, "
    "and what they hardly ever state is rejected; unstated-lenient: that is kept, unverified; "
    "probability: the model's own, which hardly ever reaches 0.95; confidence: its sigmoid as it "
    "is, not calibrated, as published; auto: the first where there are records enough to fit it, "
    "else the model's own probability, with a warning (default auto)",
    "NAME",
)


FREE_TEXT_FLAG = Flag(
    "wordings that name no statement of the lexicon: apart: written as rejected, with that reason; "
    "scored: like the others, though nothing calibrates their score, as published (default apart)",
    "NAME",
)


@dataclass(frozen=True, kw_only=True)
class Scoring(Checked):
    """On what and where candidates are scored."""

    calibrate: Annotated[
        tuple[Path, ...],
        Flag("shards whose validation records fit the score (default: those of --shards)", "DIR"),
    ] = ()
    batch: Annotated[
        int, Flag("ECGs at a time; halve it if memory runs out (default 64)", "N"), Range(1)
    ] = 64
    prepared: Annotated[
        Path | None,
        Flag(
            "where `prepare`, or a training that keeps them, left signals ready for the model, a "
            "hundredth of the reading; scores differ in the last digits",
            "DIR",
        ),
    ] = None
    workers: Annotated[
        int | None,
        Flag(
            "processes that read recordings ahead; the result does not depend on it (default: the "
            "cores beside an accelerator, else and with --prepared none)",
            "N",
        ),
        Range(0),
    ] = None
    device: Annotated[
        str | None,
        Flag(
            "cpu or an accelerator such as cuda (default: the accelerator where there is one); "
            "scores differ in the last digits",
            "NAME",
        ),
    ] = None


def verify(
    checkpoint: Checkpoint,
    shards: Annotated[
        tuple[Path, ...], Flag("folders of shards; every record of theirs is verified", "DIR")
    ],
    candidates: Annotated[Path, Flag("what `enrich` wrote", "DIR")],
    out: Annotated[Path, Flag("where the verified records go; a stopped run goes on there", "DIR")],
    scoring: Scoring,
    threshold: Annotated[float, THRESHOLD_FLAG, Probability] = THRESHOLD,
    score: Annotated[Score, SCORE_FLAG] = "auto",
    free_text: Annotated[FreeText, FREE_TEXT_FLAG] = "apart",
) -> None:
    """Score candidate features on their own ECG, and keep the probable ones.

    Under torchrun each process verifies its share; the result is that of one.
    """

    from focal_app.model.device import best_device, named_device
    from focal_app.model.focal import Focal
    from train.data.shards import Shards
    from train.data.worker_processes import default_workers
    from train.enrich import verify as verification
    from train.enrich.candidates import read_candidates
    from train.enrich.shared_work import Share
    from train.enrich.verify_report import write_report

    if score in NOT_FITTED:
        refuse(scoring, f"with --score {score}, which nothing is fitted for", ("calibrate",))
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    share = Share.of_this_process()
    device = named_device(scoring.device) if scoring.device else share.device(best_device())
    # Kept signals are read faster than another process hands them over.
    beside = default_workers() if device.type != "cpu" and not scoring.prepared else 0
    summary = verification.verify(
        Focal.load(checkpoint).to(device),
        [Shards.open(folder) for folder in shards],
        read_candidates(candidates),
        out,
        threshold=threshold,
        score=score,
        free_text=free_text,
        reading=verification.Reading(
            scoring.batch,
            [Shards.open(folder) for folder in scoring.calibrate],
            beside if scoring.workers is None else scoring.workers,
            scoring.prepared,
        ),
    )
    if share.first:
        write_report(out)
        print(json.dumps(dataclasses.asdict(summary), indent=2))


def verify_planted(
    checkpoint: Annotated[str, Flag("the model", "DIR_OR_REPO")],
    records: Annotated[
        int,
        Flag(
            "simulated ECGs to verify, and as many again to fit the score; 400 take a minute", "N"
        ),
        Range(1),
    ] = 400,
    threshold: Annotated[float, Flag("probability (default 0.95)", "P"), Probability] = THRESHOLD,
    score: Annotated[
        Literal["candidate", "probability"], Flag("as in `verify` (default candidate)", "NAME")
    ] = "candidate",
    as_json: Annotated[bool, Flag("print the figures as JSON", name="json")] = False,
) -> None:
    """Measure verification on simulated ECGs whose findings are known."""
    from focal_app.model.device import best_device
    from focal_app.model.focal import Focal
    from train.enrich import planted

    figures = planted.measure_planted(
        Focal.load(checkpoint).to(best_device()), records=records, threshold=threshold, score=score
    )
    shown = dataclasses.asdict(figures)
    print(json.dumps(shown, indent=2) if as_json else planted.as_markdown(figures))


def verify_zones(
    checkpoint: Annotated[str, Flag("the model", "DIR_OR_REPO")],
    data: Annotated[Path, Flag("the folder that holds ptb-xl as it was published", "DIR")],
    records: Annotated[
        int,
        Flag(
            "simulated ECGs to choose the borders on, and as many again to measure them; 400 take "
            "a minute (default 400)",
            "N",
        ),
        Range(1),
    ] = 400,
    develop: Annotated[
        tuple[int, ...], Flag("folds of PTB-XL to choose the borders on (default 7)", "N")
    ] = (7,),
    report: Annotated[
        tuple[int, ...], Flag("folds of PTB-XL to measure them on (default 8)", "N")
    ] = (8,),
    write: Annotated[
        bool, Flag("write zones.json into the folder of the checkpoint, where Verify reads it")
    ] = False,
) -> None:
    """Choose from which probability on Verify calls a statement supported, and measure it."""
    from focal_app.errors import ConfigError
    from focal_app.model.config import ZONES
    from focal_app.model.device import best_device
    from focal_app.model.focal import Focal
    from train.runs import zones

    folder = Path(checkpoint)
    if write and not folder.is_dir():
        raise ConfigError("--write needs a checkpoint that is a folder; fetch it first, or drop it")
    model = Focal.load(checkpoint).to(best_device())
    found = zones.measure_zones(model, data, records=records, develop=develop, report=report)
    if write:
        (folder / ZONES).write_text(zones.as_json(found), encoding="utf-8")
    print(zones.as_text(found))
