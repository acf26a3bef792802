"""A folder on disk, or a download from the Hub, by one name: `folder` or `org/name@revision`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from focal_app.errors import FocalError

LONGEST_SOURCE = 4096
"""Characters of a folder or of a repository with its revision."""


@dataclass(frozen=True)
class Wanted:
    """What is fetched: which files, of which type of repository; how an error names it.

    `needed` ends the sentence "needed a folder with ..., or ... written org/name@revision".
    """

    patterns: Sequence[str]
    needed: str
    error: type[FocalError]
    repo_type: str = "model"


def local_folder(source: str | Path, wanted: Wanted, **download: Any) -> Path:  # noqa: ANN401
    """`source` itself where it is a folder, or a download of `org/name[@revision]`."""
    folder = Path(source)
    if _is_folder(folder):
        return folder
    name, _, revision = str(source).partition("@")
    if len(str(source)) > LONGEST_SOURCE:
        raise wanted.error(
            f"found a name of {len(str(source))} characters; needed {wanted.needed} written "
            "org/name@revision"
        )
    # A folder that lies here says that a name beside it was mistyped, not meant for the Hub.
    if name.count("/") != 1 or name.startswith(("/", ".")) or _is_folder(folder.parent):
        raise wanted.error(
            f"found no folder {folder.name!r}; needed {wanted.needed} written org/name@revision"
        )
    try:
        path = snapshot_download(
            name,
            repo_type=wanted.repo_type,
            revision=revision or None,
            allow_patterns=list(wanted.patterns),
            **download,
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise wanted.error(
            f"could not fetch {name!r} from the Hub ({type(error).__name__}); check the name, the "
            "revision and the connection, or give a folder"
        ) from error
    return Path(path)


def make_repository(
    api: HfApi,
    repository: str,
    repo_type: str,
    *,
    private: bool,
    error: type[FocalError],
    space_sdk: str | None = None,
) -> None:
    """Make a repository where it is absent; refuse as private one that is public already."""
    api.create_repo(
        repository, repo_type=repo_type, private=private, exist_ok=True, space_sdk=space_sdk
    )
    if private and not api.repo_info(repository, repo_type=repo_type).private:
        raise error(
            f"found {repository!r}, which is public already, and --private, which makes a new "
            "repository private; make it private on the Hub first, or name another"
        )


def roots(folder: Path) -> tuple[Path, ...]:
    """Where files may really lie: in the folder, or where the Hub's cache keeps their content."""
    cached = [folder.parents[1] / "blobs"] if folder.parent.name == "snapshots" else []
    return tuple(root.resolve() for root in (folder, *cached))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name longer than the system takes, or with a zero byte
        return False
