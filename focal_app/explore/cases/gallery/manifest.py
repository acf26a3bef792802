"""What lies in a gallery's folder; every file's name and size follow from `gallery.json`.

gallery.json      the manifest below; README.md says it for people
cases.jsonl       a line a case: key, labels, shows, report, sex, age_years, source, licence
table.bin         a row a case: where its line and its signal lie, and what filters ask for
signals.bin       the signals, one compressed block a case (`signals.py`)
vectors-VIEW.bin  (N, d) float16, unit embeddings of the whole and of three groups of leads
patches.bin       (N, L * N_time, r) float16 as encoded, or int8 in a basis of r directions
basis.bin         (r, d) float32, for int8 patches alone
findings.bin      (N, K) float16, probability of every statement in the case
measured.bin      (N, M) float32, what was measured, NaN where nothing could be; may be absent
tags.bin          (K, d) float32, the statements as the tag encoder has them
index-VIEW.faiss  for galleries too large to compare with one by one

Arrays and no database: every search asks for all numbers that pass a filter, which sqlite3 hands
over 5 to 9 times as slowly from 20,000 cases on (`python -m tests.benchmarks filters`).

No name of a file is read from any file, nothing is unpickled, and a file of another size than the
manifest says is refused.
"""

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from focal_app.ecg.recording import LEADS
from focal_app.errors import GalleryError
from focal_app.untrusted import read_json

FORMAT = 1
MANIFEST, CARD = "gallery.json", "README.md"
VIEWS = {"whole": LEADS, "limb": LEADS[:6], "right": LEADS[6:9], "left": LEADS[9:]}
"""Groups of leads that have an embedding of their own: limb, V1 to V3, V4 to V6, and all."""
PATCHES = {"float16": np.dtype("<f2"), "compact": np.dtype("i1")}
INDEXES = ("flat", "ivfpq")
LARGEST_MANIFEST = 1_000_000
RANGES = {
    "count": (1, 10**8),
    "dim": (1, 10**5),
    "windows": (1, 10**4),
    "rank": (1, 10**5),
    "rate_hz": (50, 10_000),
    "step_uv": (1, 1_000),
    "key_bytes": (1, 64),
}
"""What a gallery may say of itself: a step of more than a millivolt holds no ECG."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a gallery is and how it was stored.

    `checkpoint` is the fingerprint of the model that made it, `rank` the numbers a patch has on
    disk, `measured` the names of the columns of `measured.bin`, `sizes` the bytes of every file.
    """

    title: str
    note: str
    simulated: bool
    checkpoint: str
    count: int
    dim: int
    windows: int
    rank: int
    patches: str
    index: str
    rate_hz: int
    step_uv: int
    key_bytes: int
    statements: tuple[str, ...]
    sources: tuple[str, ...]
    measured: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all files beside the manifest."""
        names = ["cases.jsonl", "table.bin", "signals.bin", "findings.bin", "tags.bin"]
        names += ["patches.bin", *(f"vectors-{view}.bin" for view in VIEWS)]
        names += ["measured.bin"] if self.measured else []
        names += ["basis.bin"] if self.patches == "compact" else []
        names += [f"index-{view}.faiss" for view in VIEWS] if self.index == "ivfpq" else []
        return tuple(names)

    @property
    def table_dtype(self) -> np.dtype:
        """A row of `table.bin`; `labels` are bits, one a statement, what is implied included."""
        return np.dtype(
            [
                ("key", f"S{self.key_bytes}"),
                ("line", "<u8"),
                ("line_bytes", "<u4"),
                ("signal", "<u8"),
                ("signal_bytes", "<u4"),
                ("age_years", "<i2"),
                ("sex", "i1"),
                ("source", "<u2"),
                ("labels", "u1", (-(-len(self.statements) // 8),)),
            ]
        )

    @property
    def shapes(self) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
        """Type and shape of every file that is an array."""
        half, patches = np.dtype("<f2"), len(LEADS) * self.windows
        arrays: dict[str, tuple[np.dtype, tuple[int, ...]]] = {
            f"vectors-{view}.bin": (half, (self.count, self.dim)) for view in VIEWS
        }
        arrays["table.bin"] = (self.table_dtype, (self.count,))
        arrays["findings.bin"] = (half, (self.count, len(self.statements)))
        arrays["tags.bin"] = (np.dtype("<f4"), (len(self.statements), self.dim))
        arrays["patches.bin"] = (PATCHES[self.patches], (self.count, patches, self.rank))
        if self.measured:
            arrays["measured.bin"] = (np.dtype("<f4"), (self.count, len(self.measured)))
        if self.patches == "compact":
            arrays["basis.bin"] = (np.dtype("<f4"), (self.rank, self.dim))
        return arrays

    def write(self, folder: Path) -> None:
        """Write the manifest with the sizes that the files have now."""
        sizes = {name: (folder / name).stat().st_size for name in self.files}
        text = json.dumps({**asdict(self), "sizes": sizes}, indent=1, ensure_ascii=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The manifest of a folder, every value of the type it should have."""
        path = folder / MANIFEST
        try:
            return cls._checked(read_json(path, most_bytes=LARGEST_MANIFEST))
        except FileNotFoundError as error:
            raise GalleryError(
                f"found no {MANIFEST} in the gallery; needed a folder that "
                "`python -m focal_app gallery build` wrote. Has it been moved?"
            ) from error
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise GalleryError(
                f"{MANIFEST} cannot be used ({type(error).__name__}); build the gallery again"
            ) from error

    @classmethod
    def _checked(cls, values: dict[str, Any]) -> Self:
        if values.get("format") != FORMAT:
            raise GalleryError(
                f"found a gallery of format {values.get('format')!r}; this version reads format "
                f"{FORMAT}. Build it again, or update the app"
            )
        values = {"measured": (), **values}
        values = {**values, **{k: tuple(values[k]) for k in ("statements", "sources", "measured")}}
        made = cls(**values)
        for one in fields(cls):
            kind = one.type if isinstance(one.type, type) else None
            value = getattr(made, one.name)
            if kind in (int, str, bool) and type(value) is not kind:
                raise TypeError(one.name)
        within = all(low <= getattr(made, name) <= high for name, (low, high) in RANGES.items())
        if not isinstance(made.sizes, dict):
            raise TypeError("sizes")
        bytes_ = all(type(size) is int and size >= 0 for size in made.sizes.values())
        named = (*made.statements, *made.sources, *made.measured)
        texts = all(isinstance(text, str) for text in named)
        if not within or not bytes_ or not made.statements or not texts:
            raise ValueError("sizes")
        if (
            made.patches not in PATCHES
            or made.index not in INDEXES
            or set(made.sizes) != set(made.files)
        ):
            raise ValueError("kinds")
        return made
