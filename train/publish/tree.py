"""A folder that is to become a repository: written whole or not at all, and listed with sizes."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from focal_app.errors import ConfigError

LARGE = 10_000_000
"""The Hub keeps larger files in LFS or Xet, of which a plain `git push` knows nothing."""
FLAG = "  (above 10 MB: LFS or Xet)"


@dataclass(frozen=True)
class Listed:
    """A file of a tree: its path in the repository, and its size."""

    path: str
    size: int

    @property
    def large(self) -> bool:
        """Whether it needs LFS or Xet."""
        return self.size > LARGE


def write_tree(folder: Path, fill: Callable[[Path], None]) -> list[Listed]:
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


def listing(folder: Path) -> list[Listed]:
    """Every file of a tree, by path."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [Listed(file.relative_to(folder).as_posix(), file.stat().st_size) for file in files]


def described(files: list[Listed]) -> str:
    """The files with their sizes, large ones flagged, and the sum."""
    lines = [
        f"{file.size / 1e6:9.3f} MB  {file.path}{FLAG if file.large else ''}" for file in files
    ]
    total = sum(file.size for file in files)
    return "\n".join([*lines, f"{total / 1e6:9.3f} MB  in {len(files)} files"])


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
