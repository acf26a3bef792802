"""Does verification pay? An archive whose reports leave out half of the features, and what helps.

    python -m train experiment --out runs/experiment --text assets/checkpoint
    python -m train tables --results runs/experiment/results

OUT/raw                  simulated ECGs in MIMIC-IV-ECG's shape, what they show in truth.jsonl
OUT/mimic                their shards; `experiment_features.yaml` says what the reports say
OUT/candidates           proposals of known quality (`train.enrich.backends.simulated`)
OUT/right                those of them that the ECG shows, as a perfect verification would keep them
OUT/runs/seed-7/ARM      an ablation over the arms and seeds
OUT/results              what the arms find on other ECGs, and what verification kept
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from train.benchmark.seeds import with_seed
from train.data import verified_files as verified
from train.data.fingerprint import LEXICON, fingerprint, simulator_files
from train.data.mimic_fixture import TRUTH, read_truth
from train.data.shards import Shards
from train.enrich.backends.simulated import SimulatedModel
from train.enrich.candidate_calibration import stated
from train.enrich.candidates import REPORT, read_candidates
from train.enrich.generate import enrich
from train.runs.ablation_plan import Variants
from train.runs.experiment_plan import Experiment
from train.runs.pipeline import Command

FEATURES = Path(__file__).with_name("experiment_features.yaml")
NEVER_SAID = "short QT interval"
"""What the archive leaves out beside the features: one that its ECGs never show."""
MADE_FROM = "made_from"
"""The note of what a folder's archive and proposals were drawn from."""
ARMS = (
    *("base", "fine-plain", "fine-unverified", "fine-0.95", "fine-unstated-0.95"),
    *("fine-lenient-0.95", "fine-right"),
    *("from-scratch-plain", "from-scratch-unstated-0.95", "from-scratch-right"),
)
THRESHOLDS = ("fine-unverified", "fine-0.95", "fine-unstated-0.95", "fine-lenient-0.95")
"""The arms whose verification is judged too."""


def commands(
    plan: Experiment, arms: Sequence[str] = ARMS, proposer: SimulatedModel | None = None
) -> Iterator[Command]:
    """The commands one by one; what a command needs is written before it is yielded.

    `proposer` stands in for the language model.
    """
    proposer = proposer or SimulatedModel()
    _begin(plan, proposer)
    raw, mimic, runs = plan.out / "raw", plan.out / "mimic", plan.out / "runs"
    if not (raw / TRUTH).is_file():
        drawn = ["--count", str(plan.studies), "--seed", "60", "--left-out", NEVER_SAID]
        yield Command.of("data", "mimic-fixture", "--out", raw, *drawn, "--features", FEATURES)
    yield Command.of("data", "mimic-iv-ecg", raw, "--out", mimic, "--split", "0.85", "0.15", "0")
    _propose(plan.out, proposer)
    thresholds = [arm for arm in THRESHOLDS if arm in arms]
    yield Command.of(
        *("ablation", "--config", plan.config, "--shards", mimic, "--out", runs),
        *(["--candidates", plan.out / "candidates"] if thresholds else []),
        *("--right", plan.out / "right"),
        *(["--text", plan.text] if plan.text else []),
        *("--only", *arms, "--seeds", *plan.seeds, "--workers", 0),
    )
    results = ["--results", plan.out / "results"]
    for seed in plan.seeds:
        of_seed = runs / f"seed-{seed}"
        coarse = ["--checkpoint", of_seed / "base/coarse/model", "--archive", raw]
        for arm in thresholds:
            judged = ["--verified", of_seed / arm / "verified", "--features", FEATURES]
            name = ["--name", with_seed(arm, seed)]
            yield Command.of("evaluate", "verification-quality", *coarse, *judged, *name, *results)
    checkpoints = ["--runs", runs, "--features", FEATURES, "--simulated", plan.judged]
    yield Command.of("evaluate", "omitted-features", *checkpoints, *results)


def _begin(plan: Experiment, proposer: SimulatedModel) -> None:
    """Refuse what no command could be run with, and a folder of other studies or another run."""
    runs = Variants(config=plan.config, out=plan.out, shards=(), seeds=plan.seeds, text=plan.text)
    if runs.text:
        Focal.load(runs.text)
    files = [FEATURES, LEXICON, *simulator_files()]
    wanted = fingerprint(plan.studies, NEVER_SAID, proposer.model, files=files)
    noted = plan.out / MADE_FROM
    if not plan.out.is_dir() or not any(plan.out.iterdir()):
        plan.out.mkdir(parents=True, exist_ok=True)
        noted.write_text(wanted)
    if not noted.is_file() or noted.read_text(errors="replace") != wanted:
        raise ConfigError(
            f"{plan.out.name} holds another run, or an experiment of other studies, features, "
            "lexicon or simulator; give another --out, or delete the folder to make it again"
        )


def _propose(out: Path, proposer: SimulatedModel) -> None:
    """Ask for features, and keep apart which of the answers are true."""
    shards = Shards.open(out / "mimic")
    if not (out / "candidates" / REPORT).is_file():
        enrich(shards.tags, proposer, out=out / "candidates")
    if not (out / "right" / verified.MANIFEST).is_file():
        _write_right(shards, out)


def _write_right(shards: Shards, out: Path) -> None:
    """The proposals that an ECG shows, as a verification that is never wrong would keep them."""
    lexicon, candidates = load_lexicon(), read_candidates(out / "candidates")
    truth, lines = read_truth(out / "raw"), []
    for key, tags in zip(shards.keys, shards.tags, strict=True):
        present = stated(truth[key]["tags"], (), lexicon)
        found = [f for f in candidates.get(frozenset(tags), ()) if f in present]
        accepted = [{"feature": feature, "probability": 1.0} for feature in found]
        lines.append({"key": key, "tags": list(tags), "accepted": accepted, "rejected": []})
    verified.start(out / "right", {"threshold": 1.0, "score": "truth", "unit": "known"})
    verified.write_part(out / "right" / verified.part_name(0), lines)
    kept = sum(len(line["accepted"]) for line in lines)
    counts = {"records": len(lines), "candidates": kept, "accepted": kept, "rejected": {}}
    verified.finish(out / "right", 1, counts)
