"""Commands that share a model, the enriched corpus or a Space."""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from focal_app.errors import ConfigError


def add(commands: argparse._SubParsersAction) -> None:
    """Add `push` with `model`, `corpus` and `space`."""
    push = commands.add_parser("push", help="share a model, a corpus or a Space on the Hub")
    kinds = push.add_subparsers(required=True, metavar="WHAT")
    model = kinds.add_parser("model", help="weights and a card with measured figures")
    model.add_argument("checkpoint", metavar="DIR", help="the checkpoint to be shared")
    model.add_argument(
        "--figures",
        type=Path,
        nargs="*",
        default=[],
        metavar="FILE",
        help="JSON files of results, beside figures.json of the checkpoint; the card is then "
        "written anew from them",
    )
    model.add_argument(
        "--config", metavar="NAME", help="the recipe it was trained by, for the card"
    )
    model.add_argument(
        "--shards",
        type=Path,
        nargs="*",
        default=[],
        metavar="DIR",
        help="the shards it was trained on, for the card",
    )
    model.set_defaults(command=_model)
    corpus = kinds.add_parser("corpus", help="reports, tags and verified features, no ECG")
    corpus.add_argument(
        "--verified", type=Path, required=True, metavar="DIR", help="what `verify` wrote"
    )
    corpus.add_argument(
        "--shards", type=Path, nargs="+", required=True, metavar="DIR", help="the verified shards"
    )
    corpus.add_argument(
        "--i-hold-the-rights",
        action="store_true",
        help="pass on the text of restricted sources (MIMIC-IV-ECG) too; without it, they are "
        "refused",
    )
    corpus.set_defaults(command=_corpus)
    space = kinds.add_parser("space", help="the app with its assets, without training and tests")
    space.set_defaults(command=_space)
    for kind in (model, corpus, space):
        kind.add_argument(
            "--dry-run",
            type=Path,
            metavar="DIR",
            help="write the exact tree into this new folder and send nothing",
        )
        kind.add_argument("--repo", metavar="OWNER/NAME", help="the repository to push to")
        kind.add_argument(
            "--private", action="store_true", help="make a new repository private (default public)"
        )


def _model(options: argparse.Namespace) -> None:
    from train.publish.model import Evidence, fill_model

    evidence = Evidence(options.shards, options.config, options.figures)
    _push(options, "model", lambda folder: fill_model(folder, options.checkpoint, evidence))


def _corpus(options: argparse.Namespace) -> None:
    from train.data.shards import Shards
    from train.publish.corpus import fill_corpus

    shards = [Shards.open(folder) for folder in options.shards]
    rights = options.i_hold_the_rights
    _push(
        options,
        "dataset",
        lambda folder: fill_corpus(folder, options.verified, shards, rights=rights),
    )


def _space(options: argparse.Namespace) -> None:
    from train.publish.space import fill_space

    _push(options, "space", fill_space)


def _push(options: argparse.Namespace, kind: str, fill: Callable[[Path], None]) -> None:
    """Write the tree; then show it, or send it."""
    from train.publish.tree import described, write_tree

    if options.dry_run is not None:
        print(described(write_tree(options.dry_run, fill)))
        return
    if options.repo is None:
        raise ConfigError("found neither --dry-run DIR nor --repo OWNER/NAME; one is needed")
    from train.publish.upload import upload

    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        print(described(write_tree(tree, fill)))
        sent = upload(
            tree,
            options.repo,
            kind,
            private=options.private,
            message=f"Push the {kind} made by FOCAL Explorer",
        )
    print(sent)
