"""Tasks over generated waveform features."""

from collections.abc import Iterator

from focal_app.errors import ConfigError
from train.benchmark import pictures, tables, transferability_table
from train.benchmark.results import Result
from train.benchmark.sets import SETS
from train.benchmark.settings import Datasets, Pair, ReadOnce, Seed, Truth, Verified
from train.benchmark.task import Asked, Picture, revision, task
from train.data.fingerprint import fingerprint


@task(
    "enrichment-auc",
    "generated features against reference labels",
    tables=tables.enrichment,
    pictures=(Picture("Verification threshold", pictures.thresholds),),
)
def enrichment_auc(
    asked: Asked, *, verified: Verified = None, truth: Truth = None
) -> Iterator[Result]:
    """AUC of generated features against reference labels."""
    from train.benchmark.enrichment import enrichment_auc

    if verified is None or truth is None:
        raise ConfigError(
            "found no --verified or no --truth; needed a finished verification and labels for its "
            "records (a csv file with `key` and a column a feature, a folder of shards, or an "
            "archive that `data mimic-fixture` drew)"
        )
    found = enrichment_auc(asked.model, verified, truth)
    yield asked.result("enrichment-auc", "", found, {"verified": verified, "truth": truth})


@task(
    "transferability",
    "a MERL-style model that learnt from reports as they are, and one from enriched reports",
    tables=transferability_table.transferability,
)
def transferability(
    asked: Asked,
    *,
    pair: Pair,
    sets: ReadOnce,
    datasets: Datasets = SETS[:1],
    seed: Seed = 0,
) -> Iterator[Result]:
    """Both models zero-shot on every set asked for, and what the second one gains."""
    from train.benchmark.transferability import Both, transferability

    both = Both.load(pair, asked.model)
    for name in datasets:
        found = transferability(asked.model, both, name, sets, seed=seed)
        folders = {"original": pair.original, "enriched": pair.enriched}
        learnt = fingerprint(both.original.config, both.learnt)
        config = {**sets.noted(), **folders, "trained_seed": both.learnt.seed, "learnt": learnt}
        data = revision(sets, name)
        yield asked.result("transferability", name, found, config, data=data, seed=seed)
