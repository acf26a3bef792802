"""A folder that is to become a repository: written whole or not at all, and listed with sizes."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from focal_app.errors import ConfigError

LARGE = 10_000_000
"""The Hub keeps larger files in LFS or Xet, of which a plain `git push` knows nothing."""
FLAG = "  (above 10 MB: LFS or Xet)"


def write_tree(folder: Path, fill: Callable[[Path], None]) -> dict[str, int]:
    """Let `fill` write into a folder beside `folder`, then put it there; an empty one may be."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(
            f"found files in {folder.name!r}; the tree is exact, so that an empty or a new folder "
            "is needed"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".tree-") as beside:
        made = Path(beside) / "tree"
        made.mkdir()
        try:
            fill(made)
        except OSError as error:
            raise ConfigError(f"could not write the tree ({error}); nothing was left") from error
        if folder.is_dir():
            folder.rmdir()
        shutil.move(made, folder)
    return listing(folder)


def listing(folder: Path) -> dict[str, int]:
    """Every file of a tree: its size in bytes by its path in the repository."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.stat().st_size for file in files}


def described(files: Mapping[str, int]) -> str:
    """The files with their sizes, large ones flagged, and the sum."""
    lines = [
        f"{size / 1e6:9.3f} MB  {path}{FLAG if size > LARGE else ''}"
        for path, size in files.items()
    ]
    return "\n".join([*lines, f"{sum(files.values()) / 1e6:9.3f} MB  in {len(files)} files"])


def front_matter(readme: str) -> dict[str, object]:
    """The settings at the head of a card; empty where there are none."""
    if not readme.startswith("---\n") or "\n---\n" not in readme[4:]:
        return {}
    try:
        found = yaml.safe_load(readme[4 : readme.index("\n---\n", 4)])
    except yaml.YAMLError as error:
        raise ConfigError(f"the head of the card is no YAML: {error}") from error
    return found if isinstance(found, dict) else {}


def with_front_matter(values: dict[str, object], text: str) -> str:
    """A card with settings at its head."""
    head = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, default_flow_style=None)
    return f"---\n{head}---\n\n{text.strip()}\n"
