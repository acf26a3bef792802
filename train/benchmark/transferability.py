"""Do enriched reports help another model? A MERL-style one, trained on both, read zero-shot.

    python -m train evaluate transferability --checkpoint assets/checkpoint \
        --original runs/merl --enriched runs/merl-enriched --dataset ptbxl-super --data DIR

Both models come from `python -m train merl`, by the same shards, sizes and steps. The checkpoint is
the one whose tag encoder embedded their reports; it embeds the prompts.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float
from tqdm import tqdm

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen
from train.benchmark.embeddings import BATCH, READERS, prepared_windows, text_hash
from train.benchmark.figures import check_scorable
from train.benchmark.merl import Finished, Learnt, Merl, MerlConfig
from train.benchmark.metrics import Interval, bootstrap_draws, interval_of, weighted_auc
from train.benchmark.prompts import prompts_of
from train.benchmark.sets import load_set
from train.benchmark.settings import Pair, ReadOnce
from train.benchmark.zeroshot import refuse_unreadable, take
from train.fit.numbers import refuse_no_numbers


@dataclass(frozen=True)
class Transferability:
    """Zero-shot macro AUC of both models on one set; `gain` draws the same recordings for both.

    `learnt` is what the enriched one was trained on; the rest as `ZeroShot` has it.
    """

    dataset: str
    split: str
    folds: tuple[int, ...]
    recordings: int
    missing: int
    seen: int | None
    unreadable: int
    original: Interval
    enriched: Interval
    gain: Interval
    model: MerlConfig
    learnt: Learnt


@dataclass(frozen=True)
class Both:
    """The two models, and what is known of their training."""

    original: Merl
    enriched: Merl
    learnt: Learnt
    seen: Seen

    @classmethod
    def load(cls, pair: Pair, checkpoint: Focal) -> "Both":
        """The models of two folders; refused where more than the reports tells them apart."""
        if pair.original is None or pair.enriched is None:
            raise ConfigError(
                "found no --original or no --enriched; needed what `python -m train merl` wrote "
                "without and with --verified"
            )
        one, other = Finished.load(pair.original), Finished.load(pair.enriched)
        _refuse_unlike(one, other)
        if one.model.config.text != text_hash(checkpoint.text):
            raise ConfigError(
                "found models whose reports another tag encoder embedded; give as --checkpoint "
                "what they were trained with as --text"
            )
        here = checkpoint.device
        return cls(one.model.to(here), other.model.to(here), other.learnt, one.seen | other.seen)


def _refuse_unlike(original: Finished, enriched: Finished) -> None:
    if original.learnt.verified_features or not enriched.learnt.verified_features:
        raise ConfigError(
            f"found {original.learnt.verified_features} verified features in the reports of "
            f"--original and {enriched.learnt.verified_features} in those of --enriched; needed "
            "none there and some here"
        )
    one, other = ({**asdict(f.model.config), **asdict(f.learnt)} for f in (original, enriched))
    unlike = [name for name in one if one[name] != other[name] and name != "verified_features"]
    if unlike:
        raise ConfigError(
            f"found models that differ in {', '.join(unlike)} too; needed two that differ in "
            "--verified alone. Train one of them again"
        )


def transferability(
    checkpoint: Focal, both: Both, dataset: str, sets: ReadOnce, *, seed: int = 0
) -> Transferability:
    """Both models on the same recordings, none of a patient whom either has seen."""
    chosen = load_set(dataset, sets.folder, splits=sets.splits, labels=sets.labels)
    taken = take(both, chosen, sets)
    z, _ = prompts_of(dataset, chosen.classes, by="prompt", data=sets.folder).encoded(checkpoint)
    headers = [item.header for item in taken.items if item.header]
    readable, scores = cosines((both.original, both.enriched), headers, z)
    refuse_unreadable(readable, dataset)
    for name, score in zip(("--original", "--enriched"), scores, strict=True):
        refuse_no_numbers(score[readable], chosen.classes, of=name)
    truth = chosen.truth(taken.items)[readable]
    check_scorable(truth)
    (one, of_one), (other, of_other) = (
        bootstrap_draws(weighted_auc, truth, score[readable].astype(float), seed=seed)
        for score in scores
    )
    return Transferability(
        dataset=dataset,
        split=taken.split,
        folds=sets.folds_of(dataset),
        recordings=len(truth),
        missing=taken.missing,
        seen=taken.seen,
        unreadable=int((~readable).sum()),
        original=interval_of(one, of_one),
        enriched=interval_of(other, of_other),
        gain=interval_of(other - one, of_other - of_one),
        model=both.original.config,
        learnt=both.learnt,
    )


@torch.inference_mode()
def cosines(
    models: Sequence[Merl], headers: Sequence[Path], z: Float[torch.Tensor, "K text"]
) -> tuple[Bool[np.ndarray, " R"], list[Float[np.ndarray, "R K"]]]:
    """Cosine of every recording with every text, the mean over its windows, by model.

    Every recording is read once, and only a batch is in memory; one that cannot be read is 0.
    """
    spec, device = models[0].config.signal, next(models[0].parameters()).device
    asked = [model.encode_text(z.to(device)) for model in models]
    found = [np.zeros((len(headers), len(z)), np.float32) for _ in models]
    windows = np.zeros(len(headers), int)
    bar = tqdm(total=len(headers), desc="reading", unit="ECG", mininterval=5)
    with bar, ThreadPoolExecutor(READERS) as readers:
        for start in range(0, len(headers), BATCH):
            some = headers[start : start + BATCH]
            read = list(readers.map(partial(prepared_windows, spec=spec), some))
            each = windows[start : start + BATCH] = [len(one) for one in read]
            owner = np.repeat(np.arange(start, start + len(some)), each)
            signals = [torch.from_numpy(one.signal) for of_one in read for one in of_one]
            for first in range(0, len(signals), BATCH):
                signal = torch.stack(signals[first : first + BATCH]).to(device)
                for score, model, text in zip(found, models, asked, strict=True):
                    cosine = (model.encode_ecg(signal) @ text.T).cpu().numpy()
                    np.add.at(score, owner[first : first + BATCH], cosine)
            bar.update(len(some))
    return windows > 0, [score / np.maximum(windows, 1)[:, None] for score in found]
