"""The folder of a checkpoint, found before PyTorch is loaded, which takes seconds."""

from pathlib import Path
from typing import Any

from focal_app.errors import CheckpointError
from focal_app.model import hub

CONFIG = "config.json"
_WANTED = hub.Wanted(
    patterns=("*.json", "*.safetensors", "combination.yaml", "text/*.json", "text/*.txt"),
    needed=f"a folder with {CONFIG}, or a Hub repository",
    error=CheckpointError,
)


def local_folder(source: str | Path, **download: Any) -> Path:  # noqa: ANN401
    """The folder of a checkpoint: `source` itself, or a download of `org/name[@revision]`."""
    return hub.local_folder(source, _WANTED, **download)
