"""Files that a command wrote and reads again: one that is cut off or foreign is told of, not read.

with read_back(path, "delete it and run the same command again"):
    tensors = load_file(path)
told = read_json_back(path, "delete it and run the same command again")
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError, FocalError


@contextmanager
def read_back(path: Path, remedy: str) -> Iterator[None]:
    """Within it a file or a folder is read; a `ConfigError` where it is not as it was written."""
    try:
        yield
    except (FocalError, MemoryError, PermissionError):
        raise
    except Exception as error:  # spoilt files make the libraries that read them raise anything
        raise ConfigError(
            f"found no {path.name} in {path.parent.name!r} that is whole and as it was written; "
            f"{remedy}"
        ) from error


def read_json_back(path: Path, remedy: str) -> Any:  # noqa: ANN401
    """The values of a JSON file that a command wrote."""
    with read_back(path, remedy):
        return json.loads(path.read_text(encoding="utf-8"))
