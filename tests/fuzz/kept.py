"""Inputs on disk: one JSON file each, so that a difference shows what they hold."""

import base64
import hashlib
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

Files = dict[str, bytes]
"""An input: bytes by name. The ending says what they are, and so how they are mutated."""

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Kept:
    """An input of a target, and why it is kept."""

    target: str
    files: Files
    why: str = ""

    @property
    def name(self) -> str:
        """A name that follows from the content."""
        digest = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            digest.update(f"{name} {len(content)} ".encode())
            digest.update(content)
        return f"{self.target}-{digest.hexdigest()[:10]}.json"


def keep(kept: Kept, folder: Path) -> Path:
    """Writes an input; the same input lands in the same file."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {
        "target": kept.target,
        "why": kept.why,
        "files": {name: _readable(content) for name, content in kept.files.items()},
    }
    path = folder / kept.name
    path.write_text(json.dumps(written, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
    return path


def all_kept(folder: Path) -> list[Kept]:
    """Every input of a folder, in the order of its names."""
    found = []
    for path in sorted(folder.glob("*.json")):
        values = json.loads(path.read_text(encoding="utf-8"))
        files = {name: _bytes(content) for name, content in values["files"].items()}
        found.append(Kept(values["target"], files, values["why"]))
    return found


def _readable(content: bytes) -> str | dict[str, str]:
    try:
        text = content.decode("utf-8")
        if len(text) <= 2000:
            return text
    except UnicodeDecodeError:
        pass
    return {"packed": base64.b85encode(zlib.compress(content, 9)).decode()}


def _bytes(written: str | dict[str, str]) -> bytes:
    if isinstance(written, str):
        return written.encode("utf-8")
    return zlib.decompress(base64.b85decode(written["packed"]))
