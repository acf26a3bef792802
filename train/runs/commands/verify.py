"""Commands that verify candidate features with the coarse model, and that test verification."""

import argparse
import dataclasses
import json
from pathlib import Path


def add(commands: argparse._SubParsersAction) -> None:
    """Add `verify` and `verify-planted`."""
    verify = commands.add_parser(
        "verify", help="score candidate features on their own ECG, and keep the probable ones"
    )
    verify.add_argument(
        "--checkpoint", required=True, metavar="DIR_OR_REPO", help="the coarse model"
    )
    verify.add_argument(
        "--shards",
        type=Path,
        nargs="+",
        required=True,
        metavar="DIR",
        help="folders of shards; every record of theirs is verified",
    )
    verify.add_argument(
        "--candidates", type=Path, required=True, metavar="DIR", help="what `enrich` wrote"
    )
    verify.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="where the verified records go; a stopped run goes on there",
    )
    verify.add_argument(
        "--threshold",
        type=float,
        default=0.95,
        metavar="P",
        help="probability from which a candidate is kept; higher keeps fewer, and fewer false "
        "ones (default 0.95)",
    )
    verify.add_argument(
        "--score",
        default="candidate",
        metavar="NAME",
        help="candidate: the probability of a feature that was proposed, fitted on validation "
        "records (default); probability: the model's own, which hardly ever reaches 0.95",
    )
    verify.add_argument(
        "--calibrate",
        type=Path,
        nargs="*",
        default=[],
        metavar="DIR",
        help="shards whose validation records fit the score (default: those of --shards)",
    )
    verify.add_argument(
        "--batch",
        type=int,
        default=64,
        metavar="N",
        help="ECGs at a time; halve it if memory runs out (default 64)",
    )
    verify.add_argument(
        "--device",
        metavar="NAME",
        help="cpu or cuda (default: cuda where there is one); scores differ in the last digits",
    )
    verify.set_defaults(command=_verify)
    planted = commands.add_parser(
        "verify-planted", help="measure verification on simulated ECGs whose findings are known"
    )
    planted.add_argument("--checkpoint", required=True, metavar="DIR_OR_REPO", help="the model")
    planted.add_argument(
        "--records",
        type=int,
        default=400,
        metavar="N",
        help="simulated ECGs to verify, and as many again to fit the score; 400 take a minute",
    )
    planted.add_argument(
        "--threshold", type=float, default=0.95, metavar="P", help="probability (default 0.95)"
    )
    planted.add_argument(
        "--score", default="candidate", metavar="NAME", help="as in `verify` (default candidate)"
    )
    planted.add_argument("--json", action="store_true", help="print the figures as JSON")
    planted.set_defaults(command=_planted)


def _verify(options: argparse.Namespace) -> None:
    import torch

    from focal_app.model.focal import Focal
    from train.data.shards import Shards
    from train.enrich.candidates import read_candidates
    from train.enrich.verify import verify
    from train.enrich.verify_report import write_report

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    summary = verify(
        Focal.load(options.checkpoint).to(device),
        [Shards.open(folder) for folder in options.shards],
        read_candidates(options.candidates),
        options.out,
        threshold=options.threshold,
        score=options.score,
        calibrate_on=[Shards.open(folder) for folder in options.calibrate],
        batch=options.batch,
    )
    write_report(options.out)
    print(json.dumps(dataclasses.asdict(summary), indent=2))


def _planted(options: argparse.Namespace) -> None:
    from focal_app.model.focal import Focal
    from train.enrich.planted import as_json, as_markdown, measure_planted

    figures = measure_planted(
        Focal.load(options.checkpoint),
        records=options.records,
        threshold=options.threshold,
        score=options.score,
    )
    print(json.dumps(as_json(figures), indent=2) if options.json else as_markdown(figures))
