"""Whether a linear probe on the delineator's bottleneck tells more than what is told already.

    python -m tests.benchmarks.bottleneck --ruler runs/ruler --ptb-xl DIR

Of every recording of PTB-XL on a ruler, and every lead: mean and largest value over time of the
delineator's deepest level, and four percentiles of the signal. For each finding with five or more a
logistic regression learns them on the other groups of patients; its log-odds, halved, are added to
those of the ruler's models, alone and with measurements (`python -m train combine`).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch.nn import functional as F

from focal_app.ecg.complete import completed
from focal_app.ecg.recording import ECG, LEADS
from focal_app.model.delineator import Delineator
from tests.benchmarks.options import bench_parser, run
from tests.benchmarks.percentages import out_of_fold
from train.benchmark.out_of_fold import Scores
from train.benchmark.ruler import Column, columns, figures, gains
from train.data.shards import Shards
from train.runs.combination import MEASURED
from train.runs.ruler import rendered

WINDOW_S, PERCENTILES = 10.0, (0.5, 5, 95, 99.5)
PENALTY, SHARE = 1e-3, 0.5


def deepest(delineator: Delineator, ecg: ECG) -> Float[np.ndarray, " F"]:
    """What the delineator's deepest level says of every lead, and how large its signal is."""
    part = completed(ecg).part(0.0, WINDOW_S)
    bare = np.nan_to_num(part.signal_mv)
    rows = torch.from_numpy(delineator.config.signal.prepared(bare, part.sampling_rate_hz))
    with torch.inference_mode():
        x = F.pad(rows[:, None], (0, -rows.shape[1] % 2 ** (len(delineator.down) - 1)))
        for number, level in enumerate(delineator.down):
            x = level(F.max_pool1d(x, 2) if number else x)
    sizes = torch.from_numpy(np.percentile(bare, PERCENTILES, axis=1).T)
    found = np.zeros((len(LEADS), 2 * x.shape[1] + len(PERCENTILES)), np.float32)
    found[[LEADS.index(lead) for lead in part.leads]] = torch.cat([x.mean(2), x.amax(2), sizes], 1)
    return found.ravel()


def probed(
    scores: Scores, asked: Sequence[Column], seen: Float[np.ndarray, "R F"]
) -> Float[np.ndarray, "R C"]:
    """Log-odds of every finding by probes of the other groups; 0 where none was made."""
    group = np.array([one.group for one in scores.records])
    found = np.zeros_like(scores.log_odds)
    for column in asked:
        at, own = scores.names.index(column.prompt), group[column.rows]
        for held in np.unique(own):
            learnt, told = column.rows[own != held], column.rows[own == held]
            if len(set(truth := column.truth[own != held])) < 2:
                continue
            model = make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, max_iter=500))
            model.fit(seen[learnt], truth)
            found[told, at] = model.decision_function(seen[told])
    return found


def main() -> None:
    """Print what the probes tell alone, and what they gain."""
    parser = bench_parser("bottleneck", __doc__)
    parser.add_argument("--ruler", type=Path, required=True, metavar="DIR")
    parser.add_argument("--ptb-xl", type=Path, required=True, metavar="DIR")
    options = parser.parse_args()
    delineator, seen = Delineator.load(), {}
    shards = Shards.open(options.ruler / "group-0" / "data" / "ptb-xl")
    for row, key in enumerate(shards.keys):
        seen[str(key)] = deepest(delineator, shards.ecg(row))
    for title, folder in (("alone", ""), ("with measurements", MEASURED)):
        scores = out_of_fold(options.ruler / folder)
        asked = [one for one in columns(scores, options.ptb_xl) if not one.few]
        probes = probed(scores, asked, np.stack([seen[one.key] for one in scores.records]))
        if not folder:
            print(f"## probes\n\n{rendered(figures(replace(scores, log_odds=probes), asked))}")
        both = replace(scores, log_odds=scores.log_odds + SHARE * probes)
        gained = rendered(gains(scores, both, asked), gain=True)
        print(f"## added to the ruler, {title}\n\n{gained}", flush=True)


if __name__ == "__main__":
    run(main)
