"""Do enriched reports help another model? A MERL-style model on original and on enriched reports.

    python -m train evaluate transferability --checkpoint assets/checkpoint \
        --dataset ptbxl-super --data DIR --splits hash --steps 300

Reports are the statements of PTB-XL, joined. Enriched reports add the features accepted for the
record (--verified), or, without them, the waveform features that the lexicon ties to a statement.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError, RecordingError
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.benchmark import merl
from train.benchmark.figures import check_scorable
from train.benchmark.metrics import Interval, macro_auc_interval
from train.benchmark.prompts import prompts_of
from train.benchmark.ptbxl_statements import reported
from train.benchmark.sets import Item, load_set
from train.benchmark.settings import Labelled

BATCH, PART, READERS = 64, 256, 4


@dataclass(frozen=True)
class Transferability:
    """Zero-shot macro AUC of the model on one set, by what its reports said."""

    dataset: str
    enrichment: str
    trained: int
    tested: int
    steps: int
    original: Interval
    enriched: Interval


def transferability(
    model: Focal,
    dataset: str,
    sets: Labelled,
    *,
    features: Mapping[str, Sequence[str]] | None = None,
    steps: int = 300,
    seed: int = 0,
) -> Transferability:
    """Train twice from the same seed and score the same test recordings by the same prompts.

    `features` by key of the recording; the lexicon's by statement where it is None. Signals wait in
    a temporary folder, 240 KB each.
    """
    with tempfile.TemporaryDirectory(prefix="signals-") as held:
        return _compared(
            model, dataset, sets, features=features, steps=steps, seed=seed, folder=Path(held)
        )


def _compared(
    model: Focal,
    dataset: str,
    sets: Labelled,
    *,
    features: Mapping[str, Sequence[str]] | None,
    steps: int,
    seed: int,
    folder: Path,
) -> Transferability:
    chosen = load_set(dataset, sets.folder, splits=sets.splits, labels=sets.labels)
    said = {one.key: one.tags for one in reported(sets.folder)}
    parts = {}
    for split in ("train", "test"):
        items = [item for item in chosen.present((split,)) if item.key in said]
        if not items:
            raise ConfigError(
                f"found no {split} recording of {dataset} with statements; needed some. Split what "
                "is there with --splits hash"
            )
        parts[split] = _signals(model, items, folder / f"{split}.f4")
    (train, signals), (test, held_out) = parts["train"], parts["test"]
    truth = chosen.truth(test)
    check_scorable(truth)
    z, _ = prompts_of(dataset, chosen.classes, by="prompt", data=sets.folder).encoded(model)
    more, found = _added(said, features), {}
    if not any(more.get(one.key) for one in train):
        raise ConfigError(
            f"found no feature for any of the {len(train)} training recordings of {dataset}; give "
            "--verified of these recordings, or leave it out to take the lexicon's features"
        )
    for name, added in (("original", {}), ("enriched", more)):
        reports = [", ".join([*said[one.key], *added.get(one.key, ())]) for one in train]
        fitted = merl.fit(
            lambda rows: torch.from_numpy(signals[rows]),
            embed_tags(model.text, reports),
            steps=steps,
            seed=seed,
        )
        score = merl.cosines(fitted, _batches(held_out), z)
        found[name] = macro_auc_interval(truth, score.astype(float), seed=seed)
    return Transferability(
        dataset,
        "lexicon" if features is None else "verified",
        len(train),
        len(test),
        steps,
        found["original"],
        found["enriched"],
    )


def _signals(
    model: Focal, items: Sequence[Item], path: Path
) -> tuple[list[Item], Float[np.ndarray, "R L T"]]:
    """The readable items, and their signals in a file: of a whole archive memory would not do."""
    spec, kept = model.config.signal, []
    with path.open("wb") as file, ThreadPoolExecutor(READERS) as readers:
        for start in range(0, len(items), PART):
            some = items[start : start + PART]
            for item, signal in zip(some, readers.map(partial(_read, spec), some), strict=True):
                if signal is not None:
                    file.write(np.ascontiguousarray(signal, "<f4").tobytes())
                    kept.append(item)
    if not kept:
        raise ConfigError(f"found no readable recording among {len(items)}; needed some")
    shape = (len(kept), len(LEADS), spec.samples)
    return kept, np.memmap(path, "<f4", "r", shape=shape)


def _read(spec: SignalSpec, item: Item) -> Float[np.ndarray, "L T"] | None:
    """The signal of an item, None where it cannot be read."""
    try:
        return prepare(read_recording([item.header]), spec).signal if item.header else None
    except RecordingError:
        return None


def _batches(signals: Float[np.ndarray, "R L T"]) -> Iterator[torch.Tensor]:
    """Signals of a file, a batch in memory at a time."""
    for start in range(0, len(signals), BATCH):
        yield torch.from_numpy(np.array(signals[start : start + BATCH]))


def _added(
    said: Mapping[str, Sequence[str]], features: Mapping[str, Sequence[str]] | None
) -> dict[str, tuple[str, ...]]:
    if features is not None:
        return {key: tuple(found) for key, found in features.items()}
    lexicon = load_lexicon()
    each = {key: (f for tag in tags for f in lexicon[tag].features) for key, tags in said.items()}
    return {key: tuple(dict.fromkeys(found)) for key, found in each.items()}
