"""Training of a MERL-style model on the reports of shards, as they are or enriched.

    python -m train merl --shards runs/focal/data/mimic-iv-ecg --text assets/checkpoint \
        --steps 100000 --out runs/merl

A report is its tags, joined by commas, and is embedded as one text by the frozen tag encoder of a
checkpoint. Two runs that differ in their verified features alone see the same records in the same
order, from the same first weights. The loop is that of all training.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen
from focal_app.model.text import TagEncoder, embed_tags
from train.benchmark.embeddings import text_hash
from train.benchmark.merl import Finished, Learnt, Merl, MerlConfig, for_reports
from train.data.batch import Batch
from train.data.corpus import Corpus, Drawing, verified_tags
from train.data.fingerprint import fingerprint, refuse_another
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.verified_files import write_whole
from train.fit.distributed import own_accelerator
from train.fit.loop import Loop
from train.fit.objective import Watched
from train.fit.soft_targets import Vocabulary
from train.recipe import StageConfig
from train.runs.merl_plan import MerlPlan
from train.runs.training import Pace, Reports, patients

MADE_FROM, LOG = "made_from", "log"


class ReportContrast(Watched):
    """The losses of a batch: its ECGs against their reports, each embedded whole."""

    def __init__(self, model: Merl, text: TagEncoder, names: Sequence[str]) -> None:
        super().__init__()
        self.model, self.names = model, names
        self._text = [for_reports(text)]  # in a list: no part of what is trained

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """Contrast with the reports, and of two views."""
        return self.model.losses(batch.signal, self._embedded(batch))

    def figures(self) -> dict[str, float]:
        """The temperature."""
        return {"temperature": self.model.log_temperature.exp().item()}

    def _embedded(self, batch: Batch) -> Float[Tensor, "B text"]:
        device, [text] = batch.signal.device, self._text
        return embed_tags(text.to(device), reports_of(batch, self.names)).to(device)


def reports_of(batch: Batch, names: Sequence[str]) -> list[str]:
    """The report of each recording: its tags by number, joined; the suspected ones as possible."""
    said: list[list[str]] = [[] for _ in batch.signal]
    columns = (part.tolist() for part in (batch.tags, batch.owner, batch.hedged))
    for tag, owner, hedged in zip(*columns, strict=True):
        said[owner].append(f"possible {names[tag]}" if hedged else names[tag])
    return [", ".join(tags) for tags in said]


def train_merl(
    plan: MerlPlan, out: Path, reports: Reports, pace: Pace, *, verified: Sequence[Path] = ()
) -> Finished:
    """Train on the reports of shards, enriched with `verified` features where there are some."""
    accelerator = own_accelerator()
    if accelerator.num_processes > 1:
        raise ConfigError(f"found {accelerator.num_processes} processes; this model trains on one")
    shards, more, checkpoint = reports.opened(), verified_tags(verified), Focal.load(plan.text)
    learnt = _learnt(plan, shards, reports, more)
    if verified and not learnt.verified_features:
        raise ConfigError(
            f"found no accepted feature for any of the {learnt.records} training records; give the "
            "--verified of these shards, or leave it out"
        )
    config = MerlConfig(
        signal=checkpoint.config.signal,
        text=text_hash(checkpoint.text),
        text_width=checkpoint.config.embed_dim,
        width=plan.width,
        blocks=plan.blocks,
    )
    _note(out, fingerprint(config, learnt, sorted(more.items())))
    torch.manual_seed(plan.seed)
    model = Merl(config)
    corpus, names = _corpus(plan, config.signal, shards, reports, more, pace)
    stage = StageConfig(
        steps=plan.steps,
        batch=plan.batch,
        learning_rate=plan.learning_rate,
        average=0.0,
        bf16=False,
    )
    objective = ReportContrast(model, checkpoint.text, names)
    loop = Loop(objective, model, stage, steps=plan.steps, seed=plan.seed, accelerator=accelerator)
    loop.run(
        lambda first: corpus.batches(plan.batch, first=first, workers=pace.workers),
        out / "run.safetensors",
        every=pace.save_every,
        log=out / LOG,
        name="merl",
    )
    seen = Seen.of(patients(shards, "train"), ()) | checkpoint.seen
    finished = Finished(model.to("cpu"), learnt, seen)
    finished.save(out)
    return finished


def _corpus(
    plan: MerlPlan,
    spec: SignalSpec,
    shards: Sequence[Shards],
    reports: Reports,
    more: Mapping[str, tuple[str, ...]],
    pace: Pace,
) -> tuple[Corpus, tuple[str, ...]]:
    """The records, and the words that their tags stand for."""
    tags = {tag for one in shards for tag in one.vocabulary}
    words = Vocabulary.of(tags | {tag for added in more.values() for tag in added}, None)
    kept: dict[str, PreparedStore] = {}
    if plan.prepared:
        made = (PreparedStore.make(s, spec, plan.prepared, workers=pace.workers) for s in shards)
        kept = {one.name: store for one, store in zip(shards, made, strict=True)}
    drawing = Drawing(reports.weights, seed=plan.seed)
    corpus = Corpus(shards, spec, numbers=words.numbers, drawing=drawing, more=more, prepared=kept)
    return corpus, words.names


def _learnt(
    plan: MerlPlan,
    shards: Sequence[Shards],
    reports: Reports,
    more: Mapping[str, tuple[str, ...]],
) -> Learnt:
    """What the finished model says of its training."""
    rows = [(one, row) for one in shards for row in one.rows("train").tolist()]
    added = sum(len(more.get(str(one.keys[row]), ())) for one, row in rows) if more else 0
    return Learnt(
        data=fingerprint([[s.name, s.manifest["shards"]] for s in shards], reports.weights),
        sources=tuple(one.name for one in shards),
        records=len(rows),
        verified_features=added,
        steps=plan.steps,
        batch=plan.batch,
        learning_rate=plan.learning_rate,
        seed=plan.seed,
        prepared=plan.prepared is not None,
    )


def _note(out: Path, made_from: str) -> None:
    """What the run is made from; a run of something else, and other files, are not laid over."""
    noted = out / MADE_FROM
    held = {one.name for one in out.iterdir()} if out.is_dir() else set()
    if held and not noted.is_file():
        raise ConfigError(
            f"found files in {out.name!r} that are no run of `merl`; give another --out"
        )
    if held - {MADE_FROM, LOG}:
        made_by = "--text, --shards, --verified, size, length or seed"
        refuse_another(noted, made_from, "MERL-style model", made_by)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(noted, made_from)
