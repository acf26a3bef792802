"""The nearest of many vectors: one by one for a small gallery, through FAISS cells for a large one.

Both answer with exact inner products: what a compressed index proposes is scored again on the
stored vectors.
"""

import threading
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from focal_app.errors import GalleryError

PROPOSED, LEAST_PROPOSED = 20, 300
"""A compressed index proposes this many times what is asked for, and at least so many."""
PROBED = 32
"""Cells that are looked into; more of them find more and take longer."""
TRAINED_ON = 100_000
FEWEST = 10_000
"""Fewer vectors cannot train a compressed index, and need none."""
BYTES = 64
"""Bytes a vector has in the compressed index."""


class Nearest:
    """The vectors of one view of a gallery, and how near each lies to a query.

    `vectors` (N, d) float16, unit; `file` a compressed index of them, None for a small gallery.
    """

    def __init__(self, vectors: np.ndarray, file: Path | None = None) -> None:
        self._vectors, self._file = vectors, file
        self._once = threading.Lock()

    def search(
        self,
        query: Float[np.ndarray, " d"],
        *,
        top: int,
        allowed: Bool[np.ndarray, " N"] | None = None,
    ) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Numbers of the `top` nearest that are allowed, nearest first, and their products."""
        exact = self._file is None
        wanted = min(top if exact else max(PROPOSED * top, LEAST_PROPOSED), len(self._vectors))
        with self._once:
            index = self._index
        found = index.search(
            query[None].astype(np.float32), wanted, params=_parameters(allowed, exact=exact)
        )[1][0]
        found = np.sort(
            found[(found >= 0) & (found < len(self._vectors))]
        )  # in order, a memory map is read forwards
        product = self._vectors[found].astype(np.float32) @ query.astype(np.float32)
        order = np.argsort(-product, kind="stable")[:top]
        return found[order], product[order]

    @cached_property
    def _index(self) -> Any:  # noqa: ANN401
        import faiss

        if self._file is None:
            index = faiss.IndexFlatIP(self._vectors.shape[1])
            index.add(self._vectors.astype(np.float32))
            return index
        # Read whole, not mapped: a file that is cut short under a map ends the process (SIGBUS).
        try:
            index = faiss.read_index(str(self._file))
        except (RuntimeError, MemoryError) as error:
            raise GalleryError(
                "the gallery's index cannot be read; fetch or build the gallery again"
            ) from error
        if (index.ntotal, index.d) != self._vectors.shape:
            raise GalleryError("the gallery's index belongs to another gallery; build it again")
        return index


def _parameters(allowed: np.ndarray | None, *, exact: bool) -> Any:  # noqa: ANN401
    import faiss

    found: Any = faiss.SearchParameters() if exact else faiss.SearchParametersIVF()
    if not exact:
        found.nprobe = PROBED
    if allowed is not None:
        bits = np.packbits(allowed, bitorder="little")
        found.sel = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))
        found.bits = bits  # FAISS keeps a pointer alone
    return found


def write_compressed(vectors: np.ndarray, file: Path) -> None:
    """Cells of product-quantised vectors, for at least `FEWEST` of them."""
    import faiss

    count, dim = vectors.shape
    cells = int(2 ** np.clip(np.round(np.log2(2 * np.sqrt(count))), 0, 14))
    parts = next(m for m in range(min(BYTES, dim), 0, -1) if dim % m == 0)
    index: Any = faiss.index_factory(dim, f"IVF{cells},PQ{parts}", faiss.METRIC_INNER_PRODUCT)
    index.do_polysemous_training = False  # minutes of annealing for a search that is not done here
    step = max(1, count // TRAINED_ON)
    index.train(vectors[::step].astype(np.float32))
    for first in range(0, count, 65_536):
        index.add(vectors[first : first + 65_536].astype(np.float32))
    faiss.write_index(index, str(file))
