"""Tasks over generated waveform features."""

from collections.abc import Iterator

from focal_app.errors import ConfigError
from train.benchmark import pictures, tables
from train.benchmark.results import Result
from train.benchmark.sets import SETS
from train.benchmark.settings import Datasets, Labelled, Seed, Steps, Truth, Verified
from train.benchmark.task import Asked, Picture, revision, task


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
            "records (a csv file with `key` and a column a feature, or a folder of shards)"
        )
    found = enrichment_auc(asked.model, verified, truth)
    yield asked.result("enrichment-auc", "", found, {"verified": verified, "truth": truth})


@task(
    "transferability",
    "a small two-tower model on statements of PTB-XL as they are and enriched",
    tables=tables.transferability,
)
def transferability(
    asked: Asked,
    *,
    sets: Labelled,
    datasets: Datasets = SETS[:1],
    verified: Verified = None,
    steps: Steps = 300,
    seed: Seed = 0,
) -> Iterator[Result]:
    """A small two-tower model on original and on enriched statements."""
    from train.benchmark.transferability import transferability
    from train.data.verified_files import read_verified

    features = read_verified(verified) if verified else None
    for name in datasets:
        found = transferability(asked.model, name, sets, features=features, steps=steps, seed=seed)
        config = {**sets.noted(), "steps": steps, "verified": verified}
        data = revision(sets, name)
        yield asked.result("transferability", name, found, config, data=data, seed=seed)
