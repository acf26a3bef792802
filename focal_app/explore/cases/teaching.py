"""A set of cases for teaching: kept as JSON, or carried whole in a link.

taught = TeachingSet(title="Blocks", note="", keys=("simulated-0007", "simulated-0031"))
TeachingSet.from_link(taught.to_link()) == taught
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery import Case, Gallery
from focal_app.explore.cases.gallery.case import KEY
from focal_app.explore.cases.limits import (
    LONGEST_JSON,
    LONGEST_NOTE,
    LONGEST_REMARK,
    LONGEST_TITLE,
    MOST_CASES,
)
from focal_app.untrusted import parse_json, parse_value

LONGEST_LINK = 8000
KIND = "focal-teaching-set"


@dataclass(frozen=True)
class TeachingSet:
    """Keys of cases in the order in which they are shown, a title and a note, all plain text.

    `remarks` are the educator's notes on single cases, by their keys: told with the answer alone,
    and yet plain to whoever unpacks a link or opens a file.
    """

    title: str
    note: str
    keys: tuple[str, ...]
    remarks: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no set: another type, too long, a key twice or none at all."""
        texts = isinstance(self.title, str) and isinstance(self.note, str)
        if not texts or len(self.title) > LONGEST_TITLE or len(self.note) > LONGEST_NOTE:
            raise GalleryError(
                f"found a title or a note that is too long; at most {LONGEST_TITLE} and "
                f"{LONGEST_NOTE} characters are kept"
            )
        if not 1 <= len(self.keys) <= MOST_CASES:
            raise GalleryError(f"found {len(self.keys)} cases; a set holds 1 to {MOST_CASES}")
        if not all(isinstance(key, str) and KEY.fullmatch(key) for key in self.keys):
            raise GalleryError("found a case without a usable key; a set lists the keys of cases")
        if len(set(self.keys)) < len(self.keys):
            raise GalleryError("found a case twice; a set holds each once")
        if not all(key in self.keys for key in self.remarks):
            raise GalleryError("found a note on a case that is not in the set")
        told = self.remarks.values()
        if not all(isinstance(one, str) and len(one) <= LONGEST_REMARK for one in told):
            raise GalleryError(
                "found a note on a case that is too long; "
                f"at most {LONGEST_REMARK} characters are kept"
            )

    @property
    def identity(self) -> str:
        """What tells these cases in this order from others; no key can be read out of it."""
        return hashlib.sha256("\n".join(self.keys).encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """The set as a JSON document."""
        cases = {"title": self.title, "note": self.note, "cases": [*self.keys]}
        remarks = {"notes": dict(self.remarks)} if self.remarks else {}
        written = {"kind": KIND, **cases, **remarks}
        return json.dumps(written, ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The set of a JSON document; a `GalleryError` for anything else."""
        try:
            values = parse_json(text) if len(text) <= LONGEST_JSON else {}
            if values["kind"] != KIND or not isinstance(values["cases"], list):
                raise KeyError(KIND)
            remarks = values.get("notes", {})
            if not isinstance(remarks, dict):
                raise TypeError("notes")
            return cls(values["title"], values["note"], tuple(values["cases"]), remarks)
        except (ValueError, KeyError, TypeError) as error:
            raise GalleryError(
                "found no teaching set in the text; needed the JSON file that the page saves"
            ) from error

    def to_link(self) -> str:
        """The set as the value of a link's parameter: letters, digits, `-` and `_` alone.

        A `GalleryError` where notes make it too long for one.
        """
        cases = [[key, self.remarks[key]] if key in self.remarks else key for key in self.keys]
        packed = zlib.compress(json.dumps([self.title, self.note, *cases]).encode(), 9)
        link = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        if len(link) > LONGEST_LINK:
            raise GalleryError(
                f"the set needs a link of {len(link)} characters, and at most {LONGEST_LINK} are "
                "opened; save it as a file, or shorten its notes"
            )
        return link

    @classmethod
    def from_link(cls, value: str) -> Self:
        """The set of a link's parameter; a `GalleryError` for anything else."""
        try:
            if len(value) > LONGEST_LINK:
                raise ValueError("too long")
            packed = base64.b64decode(
                value + "=" * (-len(value) % 4), altchars=b"-_", validate=True
            )
            text = zlib.decompressobj().decompress(packed, LONGEST_JSON).decode()
            values = parse_value(text)
            if not isinstance(values, list):
                raise TypeError("no list")
            title, note, *cases = values
            pairs = [(one, None) if isinstance(one, str) else tuple(one) for one in cases]
            remarks = {key: remark for key, remark in pairs if remark is not None}
            return cls(title, note, tuple(key for key, _ in pairs), remarks)
        except (ValueError, TypeError, zlib.error) as error:
            raise GalleryError(
                "the link holds no teaching set; copy it whole, or open the set's JSON file"
            ) from error

    def cases(self, gallery: Gallery) -> tuple[Case, ...]:
        """The cases of the set; a `GalleryError` names those that this gallery does not hold."""
        found = {key: gallery.number(key) for key in self.keys}
        missing = [key for key, number in found.items() if number is None]
        if missing:
            raise GalleryError(
                f"found no {', '.join(missing[:5])} in the gallery {gallery.title!r} "
                f"({len(missing)} of {len(self.keys)} cases); open the gallery from which the set "
                "was made"
            )
        return tuple(gallery[number] for number in found.values() if number is not None)
