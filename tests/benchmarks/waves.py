"""Which waves and leads heatmaps look at, on drawn ECGs whose waves are known.

    python -m tests.benchmarks.waves
    python -m tests.benchmarks.waves --count 100 --statement "sinus bradycardia"
    python -m tests.benchmarks.waves --checkpoint runs/ruler/seed-7/group-0/coarse/model

Lift: the plan on a stretch of some leads over what an even plan has there, by the fine heatmap in
steps of 0.2 s. First one statement on normal ECGs: on P waves, QRS, T and what lies between, in all
leads and lead by lead. Then premature beats, by the fine heatmap and by that of whole patches: the
lift on them, and how often the column of the highest weight lies on one. Then every finding with a
place that five of the ECGs of random patients show. Intervals draw ECGs again.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.heatmap import Heatmap
from tests.benchmarks.options import at_least_one, bench_parser, run
from train.benchmark.metrics import Interval, mean_interval
from train.simulate import SimulatedECG, simulate

Stretch = tuple[float, float]
ECTOPIC = ("premature ventricular complex", "premature atrial complex")
FIRST_SEED = 8000
FEWEST = 5
WHOLE_S = 9.9
"""A place so long fills the recording, and tells nothing."""


def covered(heatmap: Heatmap, stretches: Iterable[Stretch]) -> Float[np.ndarray, " N_time"]:
    """How many seconds of each column lie in the stretches, which may overlap."""
    begin, end = heatmap.edges_s[:-1], heatmap.edges_s[1:]
    fine = np.linspace(begin, end, 40, endpoint=False, axis=1) + (end - begin)[:, None] / 80
    inside = np.zeros(fine.shape, bool)
    for low, high in stretches:
        inside |= (fine >= low) & (fine < high)
    return inside.mean(axis=1) * (end - begin)


def lift(
    heatmap: Heatmap, seconds: Float[np.ndarray, " N_time"], leads: Sequence[str] = LEADS
) -> float:
    """The mean weight there over that of the whole heatmap; NaN where nothing of it is seen."""
    rows = [LEADS.index(lead) for lead in leads]
    seen = heatmap.seen
    share = np.where(seen[rows], seconds, 0.0)
    if not share.sum():
        return float("nan")
    there = (share * np.where(seen[rows], heatmap.weights[rows], 0.0)).sum() / share.sum()
    return float(there / heatmap.weights[seen].mean())


def parts_of(drawn: SimulatedECG, heatmap: Heatmap) -> dict[str, Float[np.ndarray, " N_time"]]:
    """Seconds of P, QRS and T in each column, and what is left."""
    found = {
        "P": covered(heatmap, drawn.waves.p_s),
        "QRS": covered(heatmap, drawn.waves.qrs_s),
        "T": covered(heatmap, drawn.waves.t_s),
    }
    every = (*drawn.waves.p_s, *drawn.waves.qrs_s, *drawn.waves.t_s)
    return {**found, "between": np.diff(heatmap.edges_s) - covered(heatmap, every)}


def by_waves(explorer: Explorer, statement: str, count: int) -> dict[str, dict[str, list[float]]]:
    """Lifts of one statement on normal ECGs: by part of the beat, in all leads and in each."""
    found: dict[str, dict[str, list[float]]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        drawn = simulate(seed, states={"normal ECG"})
        heatmap = explorer.fine(drawn.ecg, statement)
        parts = {**parts_of(drawn, heatmap), "everything": np.diff(heatmap.edges_s)}
        for where in ("all", *LEADS):
            leads = LEADS if where == "all" else (where,)
            for name, seconds in parts.items():
                one = lift(heatmap, seconds, leads)
                found.setdefault(where, {}).setdefault(name, []).append(one)
    return found


def places(drawn: SimulatedECG, tag: str) -> dict[tuple[str, ...], list[Stretch]]:
    """Where a finding shows, by its leads, but for what fills the recording."""
    found: dict[tuple[str, ...], list[Stretch]] = {}
    for one in drawn.places:
        if one.tag == tag and one.end_s - one.start_s < WHOLE_S:
            found.setdefault(one.leads, []).append((one.start_s, one.end_s))
    return found


def on_places(heatmap: Heatmap, where: dict[tuple[str, ...], list[Stretch]]) -> float:
    """The lift on all places of a finding, each in its leads."""
    each = [
        (lift(heatmap, covered(heatmap, some), leads), leads, some) for leads, some in where.items()
    ]
    weights = [len(leads) * covered(heatmap, some).sum() for _, leads, some in each]
    return float(np.average([value for value, *_ in each], weights=weights))


def on_ectopic(explorer: Explorer, tag: str, count: int) -> dict[str, list[float]]:
    """Of ECGs with premature beats: lifts, and whether the highest column lies on one."""
    found: dict[str, list[float]] = {name: [] for name in ("fine", "patches", "highest", "chance")}
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        drawn = simulate(seed, states={tag})
        if not (where := places(drawn, tag)):
            continue
        fine = explorer.fine(drawn.ecg, tag)
        read = explorer.read(drawn.ecg, [tag])
        coarse = Heatmap(read.findings[0].weights, read.edges_s)
        beats = covered(fine, [one for some in where.values() for one in some])
        columns = np.nanmean(fine.weights, axis=0)
        found["fine"].append(on_places(fine, where))
        found["patches"].append(on_places(coarse, where))
        found["highest"].append(float(beats[int(np.nanargmax(columns))] > 0))
        found["chance"].append(float((beats > 0).mean()))
    return found


def by_statement(explorer: Explorer, count: int) -> dict[str, list[float]]:
    """Lifts of every finding with a place, on ECGs of random patients."""
    found: dict[str, list[float]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        drawn = simulate(seed)
        for tag in drawn.tags:
            if where := places(drawn, tag):
                found.setdefault(tag, []).append(on_places(explorer.fine(drawn.ecg, tag), where))
    return {tag: each for tag, each in sorted(found.items()) if len(each) >= FEWEST}


def _said(values: Sequence[float]) -> str:
    one: Interval = mean_interval(np.array([value for value in values if np.isfinite(value)]))
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"


def main() -> None:
    """Print the tables."""
    parser = bench_parser("waves", __doc__)
    parser.add_argument(
        "--count", type=at_least_one, default=40, metavar="N", help="ECGs of each kind"
    )
    parser.add_argument("--statement", default="sinus rhythm", metavar="WORDS")
    parser.add_argument("--checkpoint", metavar="DIR_OR_REPO", help="default: the embedded one")
    options = parser.parse_args()
    explorer = Explorer.load(options.checkpoint)
    found = by_waves(explorer, options.statement, options.count)
    names = list(found["all"])
    print(f"{options.statement}, {options.count} normal ECGs\n\n| leads | {' | '.join(names)} |")
    print("|---" * (len(names) + 1) + "|")
    for where, parts in found.items():
        print(f"| {where} | {' | '.join(_said(parts[name]) for name in names)} |")
    print("\n| beats | ECGs | lift, fine | lift, patches | highest on one | by chance |")
    print("|---|---|---|---|---|---|")
    for tag in ECTOPIC:
        one = on_ectopic(explorer, tag, options.count)
        print(f"| {tag} | {len(one['fine'])} | {' | '.join(map(_said, one.values()))} |")
    print("\n| finding | ECGs | lift |\n|---|---|---|")
    lifts = by_statement(explorer, options.count)
    for tag, each in sorted(lifts.items(), key=lambda pair: -np.mean(pair[1])):
        print(f"| {tag} | {len(each)} | {_said(each)} |")
    print(
        f"\nmean over {len(lifts)} findings: {_said([float(np.mean(v)) for v in lifts.values()])}"
    )


if __name__ == "__main__":
    run(main)
