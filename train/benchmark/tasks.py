"""The tasks by name: what is asked in, results out. The commands and `all` call them alike."""

import dataclasses
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.store import fingerprint as checkpoint_hash
from train.benchmark import comparison
from train.benchmark.enrichment import enrichment_auc
from train.benchmark.inference_time import inference_time
from train.benchmark.localisation import localise_simulated
from train.benchmark.maps import activation_maps, similarity_matrix
from train.benchmark.probe import SHARES, probe
from train.benchmark.prompts import prompts_of
from train.benchmark.ptbxl_statements import Reported, reported
from train.benchmark.results import Result, data_hash
from train.benchmark.retrieval import retrieval
from train.benchmark.sets import SETS, load_set
from train.benchmark.subgroups import subgroups
from train.benchmark.territory import territory
from train.benchmark.transfer import METHODS, PAIRS, transfer
from train.benchmark.transferability import transferability
from train.benchmark.zeroshot import choose, evaluate, scored_by_prompts

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

log = logging.getLogger(__name__)

PTBXL = SETS[:4]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What is asked of a task; each takes what it needs. Help for every field: the commands."""

    model: Focal
    checkpoint: str
    name: str = ""
    data: Path | None = None
    datasets: tuple[str, ...] = ()
    source: str = ""
    splits: str = "official"
    labels: str = "corrected"
    classes: str = "prompt"
    mode: str = "routed"
    split: str = ""
    folds: tuple[int, ...] = ()
    shares: tuple[float, ...] = SHARES
    methods: tuple[str, ...] = METHODS
    prompts: Path | None = None
    verified: Path | None = None
    truth: Path | None = None
    steps: int = 300
    simulated: int = 200
    count: int = 6
    seed: int | None = None
    cache: Path | None = None
    command: str = ""

    @property
    def folder(self) -> Path:
        """The data folder, needed."""
        if self.data is None:
            raise ConfigError("found no --data; this task needs the folder of the recordings")
        return self.data

    def drawn_with(self, default: int) -> int:
        """The seed asked for, or the task's own."""
        return default if self.seed is None else self.seed

    def result(
        self,
        task: str,
        dataset: str,
        figures: "DataclassInstance | dict[str, Any]",
        config: dict[str, Any],
        *,
        data: str,
        seed: int,
    ) -> Result:
        """A result of this checkpoint."""
        return Result(
            task=task,
            dataset=dataset,
            name=self.name or Path(self.checkpoint).name,
            checkpoint=checkpoint_hash(self.model)[:16],
            data=data,
            config=config,
            command=self.command,
            seed=seed,
            figures=figures if isinstance(figures, dict) else dataclasses.asdict(figures),
        )

    def settings(self, *names: str) -> dict[str, Any]:
        """Some of the options, for a result."""
        found = {name: getattr(self, name) for name in names}
        return {k: v.name if isinstance(v, Path) else v for k, v in found.items()}


def zeroshot(ask: Ask) -> Iterator[Result]:
    """Macro AUC and more of every set asked for."""
    for name in ask.datasets:
        folds = ask.folds if name in PTBXL else ()
        found = evaluate(
            ask.model,
            name,
            ask.folder,
            folds=folds,
            classes=ask.classes,
            mode=ask.mode,
            split=ask.split,
            splits=ask.splits,
            labels=ask.labels,
            prompts=ask.prompts,
            cache=ask.cache,
            seed=ask.drawn_with(0),
        )
        config = ask.settings("splits", "labels", "classes", "mode", "split", "folds", "prompts")
        yield ask.result(
            "zeroshot", name, found, config, data=_revision(ask, name), seed=ask.drawn_with(0)
        )


def probes(ask: Ask) -> Iterator[Result]:
    """Probes of every set asked for, of the checkpoint's encoder and of a random one."""
    for name in ask.datasets:
        found = [
            dataclasses.asdict(one)
            for encoder in ("checkpoint", "random")
            for one in probe(
                ask.model,
                name,
                ask.folder,
                shares=ask.shares,
                splits=ask.splits,
                labels=ask.labels,
                encoder=encoder,
                cache=ask.cache,
                seed=ask.drawn_with(42),
            )
        ]
        config = ask.settings("splits", "labels", "shares")
        revision, seed = _revision(ask, name), ask.drawn_with(42)
        yield ask.result("probe", name, {"probes": found}, config, data=revision, seed=seed)


def transfers(ask: Ask) -> Iterator[Result]:
    """Every pair that starts at `source` and ends in one of the sets asked for."""
    for source, target in PAIRS:
        if target not in ask.datasets or (ask.source and source != ask.source):
            continue
        for method in ask.methods:
            found = transfer(
                ask.model,
                source,
                target,
                ask.folder,
                method=method,
                folds=ask.folds if target in PTBXL else (),
                splits=ask.splits,
                labels=ask.labels,
                cache=ask.cache,
                seed=ask.drawn_with(42),
            )
            config = {
                "source": source,
                "method": method,
                **ask.settings("splits", "labels", "folds"),
            }
            revision, seed = _revision(ask, target), ask.drawn_with(42)
            yield ask.result("transfer", target, found, config, data=revision, seed=seed)


def localisation(ask: Ask) -> Iterator[Result]:
    """Places on simulated recordings, and the lift on the territory on PTB-XL where it is there."""
    figures: dict[str, Any] = {}
    if ask.simulated:
        drawn = localise_simulated(ask.model, ask.simulated, seed=ask.drawn_with(0))
        figures["simulated"] = dataclasses.asdict(drawn)
    data = ""
    if ask.data is not None:
        found = reported(ask.data, folds=ask.folds)
        lifted = territory(ask.model, found, cache=ask.cache, seed=ask.drawn_with(0))
        figures["territory"], data = dataclasses.asdict(lifted), _revision(ask, "ptbxl-super")
    config = ask.settings("folds", "simulated")
    yield ask.result("localisation", "", figures, config, data=data, seed=ask.drawn_with(0))


def retrievals(ask: Ask) -> Iterator[Result]:
    """Both directions on PTB-XL."""
    found = retrieval(ask.model, _reported(ask), cache=ask.cache, seed=ask.drawn_with(0))
    revision, seed = _revision(ask, "ptbxl-super"), ask.drawn_with(0)
    yield ask.result("retrieval", "ptb-xl", found, ask.settings("folds"), data=revision, seed=seed)


def by_subgroup(ask: Ask) -> Iterator[Result]:
    """Zero-shot figures by sex and age of every set asked for."""
    for name in ask.datasets:
        chosen = load_set(name, ask.folder, splits=ask.splits, labels=ask.labels)
        folds = ask.folds if name in PTBXL else ()
        test = choose(ask.model, chosen, split=ask.split, folds=folds, cache=ask.cache)
        asked = prompts_of(name, chosen.classes, by=ask.classes, data=ask.folder, file=ask.prompts)
        scored = scored_by_prompts(ask.model, test, asked, mode=ask.mode)
        items = [i for i, ok in zip(test.items, test.held.readable, strict=True) if ok]
        found = subgroups(name, chosen.classes, items, scored, seed=ask.drawn_with(0))
        config = ask.settings("splits", "labels", "classes", "mode", "split", "folds")
        revision, seed = _revision(ask, name), ask.drawn_with(0)
        yield ask.result("subgroups", name, found, config, data=revision, seed=seed)


def times(ask: Ask) -> Iterator[Result]:
    """Relative times of the ways to read."""
    yield ask.result("inference-time", "", inference_time(ask.model), {}, data="", seed=0)


def matrix(ask: Ask) -> Iterator[Result]:
    """Cosines between the prompts of every set asked for."""
    for name in ask.datasets:
        found = similarity_matrix(ask.model, name)
        yield ask.result("similarity-matrix", name, found, {}, data="", seed=0)


def maps(ask: Ask) -> Iterator[Result]:
    """Activation maps on PTB-XL."""
    found = activation_maps(ask.model, _reported(ask), count=ask.count, cache=ask.cache)
    revision, config = _revision(ask, "ptbxl-super"), ask.settings("folds", "count")
    yield ask.result("activation-maps", "ptb-xl", found, config, data=revision, seed=0)


def enrichment(ask: Ask) -> Iterator[Result]:
    """AUC of generated features against reference labels."""
    if ask.verified is None or ask.truth is None:
        raise ConfigError(
            "found no --verified or no --truth; needed a finished verification and labels for its "
            "records (a csv file with `key` and a column a feature, or a folder of shards)"
        )
    found = enrichment_auc(ask.model, ask.verified, ask.truth)
    yield ask.result(
        "enrichment-auc", "", found, ask.settings("verified", "truth"), data="", seed=0
    )


def transferabilities(ask: Ask) -> Iterator[Result]:
    """A MERL-style model on original and on enriched reports."""
    from train.enrich.verified_files import read_verified

    features = read_verified(ask.verified) if ask.verified else None
    for name in ask.datasets:
        found = transferability(
            ask.model,
            name,
            ask.folder,
            features=features,
            splits=ask.splits,
            steps=ask.steps,
            seed=ask.drawn_with(0),
        )
        config = ask.settings("splits", "steps", "verified")
        revision, seed = _revision(ask, name), ask.drawn_with(0)
        yield ask.result("transferability", name, found, config, data=revision, seed=seed)


def compared(task: str) -> "Callable[[Ask], Iterator[Result]]":
    """`ablation` and `components`: one checkpoint over every set and, for the former, transfer."""

    def run(ask: Ask) -> Iterator[Result]:
        ablation = task == "ablation"
        found = _compare(
            ask, ask.model, with_transfer=ablation, simulated=ask.simulated if ablation else 0
        )
        config = ask.settings("splits", "labels", "mode", "folds", "datasets", "simulated")
        yield ask.result(task, "", found, config, data=_revisions(ask), seed=ask.drawn_with(0))

    return run


def sensitivity(ask: Ask) -> Iterator[Result]:
    """One checkpoint read with other epsilons and taus; its encodings serve for all of them."""
    settings = {f"epsilon {e:g}": {"epsilon": e} for e in comparison.EPSILONS}
    settings |= {f"tau {t:g}": {"tau": t} for t in comparison.TAUS}
    found = {
        name: dataclasses.asdict(
            _compare(ask, comparison.with_transport(ask.model, **changed), with_transfer=False)
        )
        for name, changed in settings.items()
    }
    config = ask.settings("splits", "labels", "mode", "folds", "datasets")
    data, seed = _revisions(ask), ask.drawn_with(0)
    yield ask.result("sensitivity", "", {"settings": found}, config, data=data, seed=seed)


def _compare(
    ask: Ask, model: Focal, *, with_transfer: bool, simulated: int = 0
) -> comparison.Compared:
    return comparison.compare(
        model,
        ask.folder,
        datasets=ask.datasets,
        folds=ask.folds,
        mode=ask.mode,
        splits=ask.splits,
        labels=ask.labels,
        with_transfer=with_transfer,
        simulated=simulated,
        cache=ask.cache,
        seed=ask.drawn_with(0),
    )


def everything(ask: Ask) -> Iterator[Result]:
    """Every task that the data allow; what cannot be run is logged with its reason."""
    asked = [ask, dataclasses.replace(ask, classes="statements")]
    for one in [*asked, dataclasses.replace(ask, mode="global")]:
        for name in ask.datasets:
            yield from _possible("zeroshot", dataclasses.replace(one, datasets=(name,)))
    for name in ask.datasets:
        for task in ("probe", "subgroups", "similarity-matrix"):
            yield from _possible(task, dataclasses.replace(ask, datasets=(name,)))
        for source, target in PAIRS:
            if target == name:
                for method in METHODS:
                    pair = {"source": source, "datasets": (name,), "methods": (method,)}
                    yield from _possible("transfer", dataclasses.replace(ask, **pair))
    rest = ["localisation", "retrieval", "activation-maps", "inference-time", "sensitivity"]
    rest += ["enrichment-auc"] if ask.verified and ask.truth else []
    for task in rest:
        yield from _possible(task, ask)
    yield from _possible("transferability", dataclasses.replace(ask, datasets=PTBXL[:1]))


def _possible(task: str, ask: Ask) -> Iterator[Result]:
    try:
        yield from TASKS[task](ask)
    except ConfigError as error:
        log.warning("left out: %s %s: %s", task, " ".join(ask.datasets), error)


def _reported(ask: Ask) -> list[Reported]:
    return reported(ask.folder, folds=ask.folds)


def _revision(ask: Ask, dataset: str) -> str:
    chosen = load_set(dataset, ask.folder, splits=ask.splits, labels=ask.labels)
    return data_hash(chosen.items)


def _revisions(ask: Ask) -> str:
    made = []
    for name in ask.datasets:
        try:
            made.append(_revision(ask, name))
        except ConfigError:
            continue
    return " ".join(made)


TASKS: dict[str, Callable[[Ask], Iterator[Result]]] = {
    "zeroshot": zeroshot,
    "probe": probes,
    "transfer": transfers,
    "localisation": localisation,
    "retrieval": retrievals,
    "subgroups": by_subgroup,
    "inference-time": times,
    "similarity-matrix": matrix,
    "activation-maps": maps,
    "enrichment-auc": enrichment,
    "transferability": transferabilities,
    "ablation": compared("ablation"),
    "components": compared("components"),
    "sensitivity": sensitivity,
    "all": everything,
}
