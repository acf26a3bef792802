"""Tasks over archives whose reports leave features out: what is found, what verification keeps."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.benchmark import omission_tables
from train.benchmark.results import Result
from train.benchmark.settings import Verified
from train.benchmark.task import Asked, task
from train.checked import Range
from train.data.fingerprint import LEXICON, fingerprint, simulator_files
from train.data.stated_shares import stated_shares
from train.settings import Flag

Features = Annotated[
    Path | None, Flag("how often the reports say which features, as `data` was given it", "FILE")
]
Simulated = Annotated[int, Flag("simulated ECGs to judge on (default 1000)", "N"), Range(1)]
Archive = Annotated[Path | None, Flag("the archive that `data mimic-fixture` drew", "DIR")]


@task(
    "omitted-features",
    "features that the reports said always, seldom or never",
    tables=omission_tables.omitted,
    several=True,
)
def omitted(
    asked: Asked, *, features: Features = None, simulated: Simulated = 1000
) -> Iterator[Result]:
    """AUC of features on simulated recordings, by how often the reports said them."""
    from train.benchmark.omitted import judge_features

    if features is None:
        raise ConfigError("found no --features; needed the file that `data` was given")
    shares = stated_shares(features)
    found = judge_features(asked.model, shares, recordings=simulated)
    config = {"features": features, "simulated": simulated}
    data = fingerprint(shares, files=[LEXICON, *simulator_files()])
    yield asked.result("omitted-features", "", found, config, data=data)


@task(
    "verification-quality",
    "what a verification kept of true proposals and refused of false ones",
    tables=omission_tables.verification,
)
def verification(
    asked: Asked, *, features: Features = None, verified: Verified = None, archive: Archive = None
) -> Iterator[Result]:
    """Quality of a verification of simulated proposals."""
    from train.benchmark.verification import judge_verification
    from train.data.mimic_fixture import read_truth
    from train.enrich.backends.simulated import SimulatedModel
    from train.enrich.candidate_calibration import stated

    if features is None or verified is None or archive is None:
        raise ConfigError("found no --features, --verified or --archive; needed all three")
    lexicon = load_lexicon()
    shown = {key: stated(one["tags"], (), lexicon) for key, one in read_truth(archive).items()}
    found = judge_verification(verified, shown, stated_shares(features), SimulatedModel())
    config = {"features": features, "verified": verified, "archive": archive}
    yield asked.result("verification-quality", "", found, config)
