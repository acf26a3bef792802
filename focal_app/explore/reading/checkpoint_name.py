"""What a checkpoint is called in what is taken away: never by the path of its folder."""

from pathlib import Path

EMBEDDED, OWN = "embedded", "a checkpoint of your own"


def checkpoint_name(source: str | None) -> str:
    """The name of a loaded checkpoint: that on the Hub, else whether it came with the app."""
    if source is None:
        return EMBEDDED
    return OWN if Path(source).is_dir() else source
