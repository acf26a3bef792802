"""A folder on disk, or a download from the Hub, by one name: `folder` or `org/name@revision`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from focal_app.errors import FocalError


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
    if folder.is_dir():
        return folder
    name, _, revision = str(source).partition("@")
    # A folder that lies here says that a name beside it was mistyped, not meant for the Hub.
    if name.count("/") != 1 or name.startswith(("/", ".")) or folder.parent.is_dir():
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
