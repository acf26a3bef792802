"""Commands that share a model, the enriched corpus or a Space."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from focal_app.errors import ConfigError
from train.checked import Checked
from train.settings import Flag, Place, add, new_app, refuse

FIGURES = Flag(
    "JSON files of results, beside figures.json of the checkpoint; the card is then written anew "
    "from them",
    "FILE",
)


@dataclass(frozen=True, kw_only=True)
class Sending(Checked):
    """Where a tree goes."""

    dry_run: Annotated[
        Path | None,
        Flag("write the exact tree into this new folder and send nothing", "DIR"),
    ] = None
    repo: Annotated[str | None, Flag("the repository to push to", "OWNER/NAME")] = None
    private: Annotated[bool, Flag("make a new repository private (default public)")] = False


def push_commands() -> typer.Typer:
    """`push` with `model`, `corpus` and `space`."""
    app = new_app("Share a model, a corpus or a Space on the Hub.")
    for name, function in {"model": model, "corpus": corpus, "space": space}.items():
        add(app, name, function)
    return app


def model(
    checkpoint: Annotated[str, Place("the checkpoint to be shared", "DIR")],
    sending: Sending,
    figures: Annotated[tuple[Path, ...], FIGURES] = (),
    config: Annotated[
        str | None, Flag("the recipe it was trained by, for the card", "NAME")
    ] = None,
    shards: Annotated[
        tuple[Path, ...], Flag("the shards it was trained on, for the card", "DIR")
    ] = (),
) -> None:
    """Weights and a card with measured figures."""
    from train.publish.model import Evidence, fill_model

    evidence = Evidence(shards, config, figures)
    _push(sending, "model", lambda folder: fill_model(folder, checkpoint, evidence))


def corpus(
    verified: Annotated[Path, Flag("what `verify` wrote", "DIR")],
    shards: Annotated[tuple[Path, ...], Flag("the verified shards", "DIR")],
    sending: Sending,
    i_hold_the_rights: Annotated[
        bool,
        Flag(
            "pass on the text of restricted sources (MIMIC-IV-ECG) too; without it, they are "
            "refused"
        ),
    ] = False,
) -> None:
    """Reports, tags and verified features, no ECG."""
    from train.data.shards import Shards
    from train.publish.corpus import fill_corpus

    opened = [Shards.open(folder) for folder in shards]
    _push(
        sending,
        "dataset",
        lambda folder: fill_corpus(folder, verified, opened, rights=i_hold_the_rights),
    )


def space(sending: Sending) -> None:
    """The app with its assets, without training and tests."""
    from train.publish.space import fill_space

    _push(sending, "space", fill_space)


def _push(sending: Sending, kind: str, fill: Callable[[Path], None]) -> None:
    """Write the tree; then show it, or send it."""
    from train.publish.tree import described, write_tree

    if sending.dry_run is not None:
        refuse(sending, "with --dry-run, which sends nothing", ("repo", "private"))
        print(described(write_tree(sending.dry_run, fill)))
        return
    if sending.repo is None:
        raise ConfigError("found neither --dry-run DIR nor --repo OWNER/NAME; one is needed")
    from train.publish.upload import upload

    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        print(described(write_tree(tree, fill)))
        sent = upload(
            tree,
            sending.repo,
            kind,
            private=sending.private,
            message=f"Push the {kind} made by FOCAL Explorer",
        )
    print(sent)
