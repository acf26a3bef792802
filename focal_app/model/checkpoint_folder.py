"""The folder of a checkpoint, found before PyTorch is loaded, which takes seconds."""

import hashlib
from pathlib import Path
from typing import Any

from focal_app.errors import CheckpointError
from focal_app.model import hub

CONFIG = "config.json"
EMBEDDED = Path(__file__).parents[2] / "assets" / "checkpoint"
_WANTED = hub.Wanted(
    patterns=("*.json", "*.safetensors", "combination.yaml", "text/*.json", "text/*.txt"),
    needed=f"a folder with {CONFIG}, or a Hub repository",
    error=CheckpointError,
)


def local_folder(source: str | Path, **download: Any) -> Path:  # noqa: ANN401
    """The folder of a checkpoint: `source` itself, or a download of `org/name[@revision]`."""
    return hub.local_folder(source, _WANTED, **download)


def content_digest(folder: Path) -> str:
    """What tells the files of one checkpoint from those of another: the start of their SHA-256."""
    digest = hashlib.sha256()
    for file in sorted(file for pattern in _WANTED.patterns for file in folder.glob(pattern)):
        with file.open("rb") as content:
            one = hashlib.file_digest(content, "sha256").hexdigest()
        digest.update(f"{file.relative_to(folder).as_posix()}\0{one}\0".encode())
    return digest.hexdigest()[:12]
