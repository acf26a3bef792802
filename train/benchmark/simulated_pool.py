"""Simulated recordings to measure on, drawn there and then, with every place known."""

import numpy as np

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_lexicon
from train.batches import Pool
from train.data.records import Records
from train.data.simulated import simulated
from train.simulate import VOCABULARY
from train.targets import TargetMaker


def simulated_pool(spec: SignalSpec, count: int, *, seed: int) -> Pool:
    """So many simulated recordings, prepared for a model of `spec`."""
    made = [one for one in simulated(count, spec, seed=seed) if one is not None]
    records = Records(
        signals=np.stack([one.prepared.signal for one in made]),
        seen=np.stack([one.prepared.seen for one in made]),
        tags=[list(one.tags) for one in made],
        places=[dict(one.places) for one in made],
        groups=[one.group for one in made],
        vocabulary=sorted(VOCABULARY),
    )
    return Pool(records, TargetMaker(load_lexicon()), classes_stated=False)
