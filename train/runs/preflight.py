"""What the stages of a pipeline will need, checked before its first hour, and said all at once.

    check(plan)        # ConfigError: found 3 things missing: ...

Nothing is written and nothing long is done: the first study of every source is read, servers are
asked for their models, other Pythons for their packages, and the disk for its room.
"""

import importlib.util
import json
import logging
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from focal_app.errors import ConfigError, FocalError, RecordingError
from train.data.catalogue import DESCRIBED, open_source
from train.data.mixture import refuse_weights, weights_of
from train.data.prepared import DONE, PreparedStore
from train.data.source import Shares, Source
from train.data.verified_files import read_manifest
from train.extra import lacking
from train.recipe import NOT_FITTED, Recipe, StageConfig
from train.runs.commands.data import Folds
from train.runs.commands.enrich import CUT_TAGS, Asking
from train.runs.plan import DRAWN, FOLDED, TAGGED, Plan
from train.settings import part, refuse

BYTES_A_STUDY = 121_000
"""Twelve leads of 5,000 samples as int16, and the study's line."""

BYTES_A_PARAMETER = 60
"""Of two stages: weights, their mean and two moments, twice while a file is replaced, a model."""

FIRST_STUDIES = 20
"""So many unreadable studies at the head of a source, and it is held to be unreadable."""

STATED_A_STUDY, LEAST_STATED = 0.26, 20
"""Features that a report states, as measured on drawn ones, and how many calibration needs."""

OF_ENGINES = ("ray", "vllm", "uvicorn")
"""What Ray needs to hold engines of its own; against a server it needs itself alone."""

ANSWER_S = 10
log = logging.getLogger(__name__)


def check(plan: Plan) -> None:
    """Refuse what is missing; what may go wrong is warned of."""
    missing = [*lacking(), *_wrong_options(plan), *_sources(plan)]
    missing += [*_text_model(plan), *_start(plan), *_training(plan)]
    missing += enrichment(plan.backend, plan.asking, plan.whole.enrich_python)
    missing += [*_calibration(plan), *_verification(plan), *_signals(plan)]
    missing += [*_disk(plan), *_hub(plan)]
    refuse_missing(missing)


def refuse_missing(missing: Iterable[str]) -> None:
    """A `ConfigError` that lists everything that is missing, each thing once."""
    if found := list(dict.fromkeys(missing)):
        lines = "".join(f"\n- {one}" for one in found)
        raise ConfigError(
            f"found {len(found)} thing(s) missing for the stages to come; nothing was begun:{lines}"
        )


def said(call: Callable[[], object]) -> Iterator[str]:
    """What an error says, where there is one."""
    try:
        call()
    except FocalError as error:
        yield str(error)


def _wrong_options(plan: Plan) -> Iterator[str]:
    """Options that no stage would read."""
    names = [name for name, _ in plan.sources()]
    data, whole, curated = plan.data, plan.whole, plan.backend == "curated"
    fitted = f"with --verify.score {plan.score}, which nothing is fitted for"
    for holds, settings, why, asked, prefix in (
        (set(names) <= {FOLDED}, data, "on PTB-XL alone", ("split", "seed"), "data"),
        (FOLDED not in names, part(Folds, data), "without PTB-XL", None, "data"),
        (len(names) == 1, plan.pace, "on one --source", ("weight",), ""),
        (DRAWN not in names, data, "without simulated=COUNT", ("seed",), "data"),
        (not whole.push, whole, "without --push", ("private",), ""),
        (not plan.pushes, whole, "on the tree OUT/hub of before", ("figures",), ""),
        (curated, whole, "with --enrich.backend curated", ("enrich_python",), ""),
        (plan.score in NOT_FITTED, plan.verify, fitted, ("calibrate",), "verify"),
    ):
        if holds:
            yield from said(partial(refuse, settings, why, asked, prefix=prefix))
    tagging, others = plan.recipe.data.tagging, sorted(set(names) - {TAGGED})
    if curated and tagging != "curated":
        yield CUT_TAGS
    if tagging != "curated" and others:
        yield (
            f"found data.tagging {tagging} and --source {', '.join(others)}, whose tags are no cut "
            f"reports; give {TAGGED} alone, or `--set data.tagging=curated`"
        )
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield f"found --source {', '.join(twice)} twice; give every data set once"
    yield from said(lambda: plan.fine.folders(plan.out))
    yield from said(plan.data.validation)


def _sources(plan: Plan) -> Iterator[str]:
    yield from said(lambda: Shares(*plan.data.split))
    for name, where in plan.sources():
        if _is_done(plan, name):
            continue
        if name == DRAWN:
            if not where.isdecimal() or not int(where):
                yield f"found --source simulated={where}; needed a count of at least 1"
        elif name not in DESCRIBED:
            yield f"found --source {name}; needed one of {', '.join(DESCRIBED)}, {DRAWN}"
        else:
            yield from (f"{name}: {one}" for one in said(partial(_first_study, plan, name)))


def _is_done(plan: Plan, name: str) -> bool:
    return (plan.out / "data" / name / "manifest.json").is_file()


def _opened(plan: Plan, name: str) -> Source:
    where = Path(dict(plan.sources())[name])
    test, validation = plan.data.test_folds, plan.data.validation()
    shares = Shares(*plan.data.split)
    tagging = plan.recipe.data.tagging
    return open_source(
        name, where, shares, test_folds=test, validation_folds=validation, tagging=tagging
    )


def _first_study(plan: Plan, name: str) -> None:
    """Read a study: its tables have their columns then, and its signals their place."""
    counted: Counter[str] = Counter()
    for study in islice(_opened(plan, name).studies(counted), FIRST_STUDIES):
        try:
            study.read(counted)
            return
        except RecordingError:
            continue
    raise ConfigError(
        f"found no readable study among its first {FIRST_STUDIES}; needed {DESCRIBED[name]}"
    )


def _text_model(plan: Plan) -> Iterator[str]:
    if plan.coarse.start or (plan.out / "text" / "figures.json").is_file():
        return
    yield from text_model(plan.recipe, plan.recipe.text.name)


def text_model(recipe: Recipe, name: str) -> Iterator[str]:
    """What a text model of that name lacks: it is not there, or not to be trimmed as asked."""
    from train.fit.text_source import refuse_no_word_pieces, text_config, text_tokenizer

    missing = list(said(lambda: text_config(name)))
    yield from missing
    if recipe.tuning.vocabulary and not missing:
        yield from said(lambda: refuse_no_word_pieces(text_tokenizer(name)))


def _start(plan: Plan) -> Iterator[str]:
    """Checkpoints that a stage goes on from: whole ones, whose sizes the recipe need not share."""
    for start in filter(None, (plan.coarse.start, plan.fine.start)):
        yield from said(partial(_started, plan, start))


def _started(plan: Plan, start: str) -> None:
    from focal_app.model.focal import Focal
    from train.runs.training import say_what_a_start_decides

    say_what_a_start_decides(plan.recipe, Focal.load(start).config)


def _training(plan: Plan) -> Iterator[str]:
    """What the drawing of records and the two stages would refuse."""
    recipe, names = plan.recipe, [name for name, _ in plan.sources()]
    given = plan.pace.weight or recipe.data.weights
    yield from said(lambda: refuse_weights(weights_of(given), names))
    objective, stages = recipe.objective, (recipe.coarse, recipe.fine)
    if objective.place_weight and objective.places == "drawn" and DRAWN not in names:
        yield (
            f"found objective.place_weight {objective.place_weight:g}, and no source that knows "
            "where its findings were drawn; add --source simulated=COUNT, or `--set "
            "objective.places=leads`"
        )
    judged = any(stage.judged for stage in stages)
    if judged and not any(_validation(plan, name) for name in names):
        yield (
            "found no share for validation, and a stage that is judged on its records; give "
            "--data.split one, or set judged to 0"
        )
    if not plan.coarse.start:
        yield from _frozen(recipe.text.name, stages[: 1 if plan.fine.start else 2])


def _frozen(name: str, stages: Sequence[StageConfig]) -> Iterator[str]:
    """Whether the tag encoder has the layers that a stage keeps as they came."""
    from train.fit.text_source import text_config

    try:
        layers = getattr(text_config(name), "num_hidden_layers", 0)
    except FocalError:  # which is said elsewhere
        return
    if (most := max(stage.frozen_layers for stage in stages)) > layers:
        yield f"found frozen_layers {most}; {name} has {layers}"


def _verification(plan: Plan) -> Iterator[str]:
    """Whether the device is there, and what fine training is given beside what will be verified.

    A process of its own asks the device: this one would hold a part of it while the stages run.
    """
    if name := plan.verify.device:
        code = f"from focal_app.model.device import named_device; named_device({name!r})"
        asked = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        if asked.returncode:
            yield f"found no device {name!r} that works here, for --verify.device"
    own = os.path.realpath(plan.out / "verified")
    for folder in plan.fine.verified:
        if os.path.realpath(folder) != own:
            yield from said(partial(read_manifest, folder))


def enrichment(backend: str, asking: Asking, python: Path | None) -> Iterator[str]:
    """Whether `enrich` can be run so, by that Python or this one: its packages, and the server."""
    wrong = [*said(lambda: asking.check(backend, prefix="enrich"))]
    yield from wrong
    engines = OF_ENGINES if backend == "ray" and not asking.base_url else (backend,)
    if backend in ("vllm", "ray"):
        yield from _packages(str(python or sys.executable), engines)
    elif python:
        yield from _packages(str(python), ("train",))
    if backend in ("server", "ray") and asking.base_url and not wrong:
        yield from _server(asking)


def _packages(python: str, engines: Sequence[str]) -> Iterator[str]:
    """Whether that Python can run `enrich` with these."""
    needed = (*engines, "train.runs.commands.enrich")
    code = f"import importlib.util as u; [print(n) for n in {needed!r} if not u.find_spec(n)]"
    if python == sys.executable:
        lacking = " ".join(one for one in engines if not importlib.util.find_spec(one))
    else:
        try:
            found = subprocess.run(
                [python, "-c", code], capture_output=True, text=True, check=False
            )
        except OSError:
            yield "found no Python where --enrich-python says; name its file"
            return
        lacking = found.stdout.strip() or ("a working Python" if found.returncode else "")
    if lacking:
        yield (
            f"enrichment lacks {lacking.split()[0]}; `pip install -r requirements-enrich.txt` in "
            "an environment of its own and name its Python with --enrich-python, or take another "
            "--enrich.backend"
        )


def _server(asking: Asking) -> Iterator[str]:
    """Whether the server answers, and knows the model."""
    token = asking.token()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    address = f"{(asking.base_url or '').rstrip('/')}/models"
    try:
        request = urllib.request.Request(address, headers=headers)
        with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
            known = [one["id"] for one in json.load(answer)["data"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "reason", None) or type(error).__name__
        yield f"the server of --enrich.base-url does not answer ({reason}); start it first"
        return
    if asking.model not in known:
        yield f"the server knows {', '.join(known)}, not {asking.model!r}; name one of them"


def _calibration(plan: Plan) -> Iterator[str]:
    """Whether enough validation records will be there to fit the score of candidates."""
    if plan.score in NOT_FITTED or plan.verify.calibrate:
        folders = [one for one in plan.verify.calibrate if not (one / "manifest.json").is_file()]
        if folders:
            yield "found --verify.calibrate folders that are no finished shards; make them first"
        return
    records = sum(_records(plan, name) * _validation(plan, name) for name, _ in plan.sources())
    if records * STATED_A_STUDY >= LEAST_STATED:
        return
    few = (
        f"about {records:.0f} validation records are to be expected, and verification needs about "
        f"{LEAST_STATED / STATED_A_STUDY:.0f} to fit the score of candidates"
    )
    if plan.score == "candidate":
        yield f"{few}; give more data, a larger --data.split, or --verify.score probability"
    else:
        log.warning("%s; it will take the model's own probability instead", few)


def _signals(plan: Plan) -> Iterator[str]:
    """Whether verification is given ready signals of every source, be they of this model or not."""
    folder = plan.verify.prepared
    own = plan.out / "prepared"
    if folder is None or (plan.recipe.data.keep_prepared and folder.resolve() == own.resolve()):
        return
    names = [name for name, _ in plan.sources()]
    if absent := [name for name in names if not any(folder.glob(f"{name}-*/{DONE}"))]:
        yield (
            f"found no ready signals of {', '.join(absent)} in {folder.name!r} of "
            "--verify.prepared; give the folder `prepared` of a run that kept them, or leave it out"
        )


def _validation(plan: Plan, name: str) -> float:
    """The share of a source that is for validation; PTB-XL has ten folds."""
    if name != FOLDED:
        return plan.data.split[1]
    folds, test = plan.data.validation(), plan.data.test_folds
    return 0.1 * len((9,) if folds is None and 9 not in test else folds or ())


def _records(plan: Plan, name: str) -> int:
    """Studies of a source, at the most; 0 where it cannot be opened, which is said elsewhere."""
    where = dict(plan.sources())[name]
    if name == DRAWN:
        found = int(where) if where.isdecimal() else 0
    else:
        try:
            found = _opened(plan, name).total or 0
        except (FocalError, OSError):
            return 0
    return min(found, plan.data.limit or found)


def _disk(plan: Plan) -> Iterator[str]:
    place = next(one for one in (plan.out, *plan.out.resolve().parents) if one.is_dir())
    free = shutil.disk_usage(place).free
    names = [name for name, _ in plan.sources() if not _is_done(plan, name)]
    needed = BYTES_A_STUDY * sum(_records(plan, name) for name in names)
    needed += sum(_bytes_prepared(plan, name) for name, _ in plan.sources())
    needed += BYTES_A_PARAMETER * _parameters(plan)
    if needed > free:
        yield (
            f"found {free / 1e9:.1f} GB free where the run goes; about {needed / 1e9:.1f} GB are "
            "needed. Make room, or give another --out"
        )


def _bytes_prepared(plan: Plan, name: str) -> int:
    """Of a source's signals as the model takes them; 0 where none are kept, or they are there."""
    there = _is_done(plan, name) and any((plan.out / "prepared").glob(f"{name}-*/{DONE}"))
    if there or not plan.recipe.data.keep_prepared:
        return 0
    return PreparedStore.bytes_a_record(plan.recipe.signal) * _records(plan, name)


def _parameters(plan: Plan) -> int:
    """Parameters of the model, roughly; those of a tag encoder that is not there are left out."""
    from train.fit.text_source import text_config

    encoder = plan.recipe.encoder
    found = 12 * encoder.depth * encoder.width**2
    try:
        text = text_config(plan.recipe.text.name)
    except FocalError:
        return found
    width, layers = getattr(text, "hidden_size", 768), getattr(text, "num_hidden_layers", 12)
    return found + 12 * layers * width**2 + getattr(text, "vocab_size", 30000) * width


def _hub(plan: Plan) -> Iterator[str]:
    """What the last stage would refuse, days later."""
    if absent := [one.name for one in plan.whole.figures if not one.is_file()]:
        yield f"found no file {', '.join(absent)} of --figures; name files that are there"
    if plan.whole.figures:
        from train.publish.model import read_results

        for file in filter(Path.is_file, plan.whole.figures):
            yield from (f"--figures: {one}" for one in said(partial(read_results, file)))
    if plan.whole.push:
        from huggingface_hub import get_token

        if not (get_token() or os.environ.get("HF_TOKEN")):
            yield "found no token of the Hub for --push; `hf auth login` first, or leave it out"
