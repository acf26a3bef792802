"""The ruler: a recipe, cross-validated by patient over real recordings.

    python -m train ruler --config ruler --real DIR --out runs/ruler

PTB-XL's folds 1 to 8 are dealt into groups, two folds each, and the patients of the other sources
by a hash. For every group a model is trained by the one trainer on all others and on simulated
recordings; what it says of its own group is kept. `figures.json` and `figures.md` hold what all of
them say together. Folds 9 and 10 stay out of all of it; `--final` trains on the eight and judges on
these two: once, when every choice has been made.

Of several `--seeds` each has a ruler of its own, in `seed-N`, and the figures are their means, with
intervals over seeds and patients (`train.benchmark.seeds`).
"""

import dataclasses
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.benchmark.out_of_fold import Scores, pooled, scored
from train.benchmark.ruler import Column, Figures, columns, figures, gains, over_seeds
from train.benchmark.seeds import folder_of_seed, seed_of_folder
from train.data.build import build
from train.data.fingerprint import LEXICON, fingerprint, refuse_another
from train.data.ptbxl import PtbXl
from train.data.shards import Shards
from train.data.simulation import Simulation
from train.data.source import Source, Study
from train.data.verified_files import write_whole
from train.fit.tag_encoder import keep_tuned
from train.recipe import Recipe
from train.runs.embedded import (
    UNTOUCHED_FOLDS,
    drawn_for,
    real_sources,
    refuse_without_held_out,
)
from train.runs.joining import join_second, refuse_second
from train.runs.training import Pace, Reports, train_coarse

log = logging.getLogger(__name__)
FOLDS = range(1, 9)
FINAL, FIGURES, MADE_FROM = "final", "figures.json", "made_from"
FIRST_ALONE = "first-alone"
"""Where the scores of the first readers lie, as a ruler without a second would have them."""


@dataclass(frozen=True, kw_only=True)
class Ruler:
    """What is cross-validated: a recipe on the recordings in `real`, kept in `out`.

    `text` is a checkpoint whose tag encoder, which has seen no ECG, spares tuning one. `second` is
    the recipe of a second reader, joined to the first in every group.
    """

    recipe: Recipe
    real: Path
    out: Path
    simulated: int
    groups: int = 4
    text: Path | None = None
    second: Recipe | None = None

    def __post_init__(self) -> None:
        """Refuse wrong groups, a tag encoder without effect, a second reader that cannot join."""
        if len(FOLDS) % self.groups or self.groups < 2:
            raise ConfigError(f"found {self.groups} groups of 8 folds; needed 2, 4 or 8")
        if self.text and not self.recipe.tuning.steps:
            raise ConfigError(
                f"found --text, and a recipe {self.recipe.name} that tunes no tag encoder; leave "
                "--text out"
            )
        if self.second:
            refuse_second(self.second, self.recipe)
            refuse_without_held_out(self.drawn)

    @property
    def drawn(self) -> Simulation:
        """The simulated recordings that every model is trained on too."""
        return drawn_for(self.recipe, self.simulated)

    def of_seed(self, seed: int) -> "Ruler":
        """The same with another seed of every reader."""
        second = self.second and replace(self.second, seed=seed)
        recipe, out = replace(self.recipe, seed=seed), folder_of_seed(self.out, seed)
        return replace(self, recipe=recipe, second=second, out=out)

    def folds_of(self, group: int) -> tuple[int, ...]:
        """The folds of PTB-XL in a group."""
        each = len(FOLDS) // self.groups
        return tuple(FOLDS[group * each : (group + 1) * each])


def cross_validate(ruler: Ruler, pace: Pace, seeds: Sequence[int] = ()) -> Figures:
    """The figures of all groups; what is finished is only read, and must be of the same ruler.

    Of several seeds the means, each with a ruler of its own.
    """
    _refuse_mixed(ruler.out, seeds)
    if seeds:
        every = [ruler.of_seed(seed) for seed in seeds]
        found = [cross_validate(one, pace) for one in every]
        return _written(over_seeds(found), ruler.out)
    parts = [_scores_of(ruler, group, pace) for group in range(ruler.groups)]
    scores = pooled(parts)
    return _written(figures(scores, _columns(scores, ruler.real)), ruler.out)


def _refuse_mixed(out: Path, seeds: Sequence[int]) -> None:
    """Refuse the ruler of one seed in the folder of several, and the other way round."""
    if any(out.glob("group-*" if seeds else "seed-*")):
        raise ConfigError(
            f"found a ruler {'without' if seeds else 'of several'} --seeds in {out.name!r}; give "
            "another --out"
        )


def judge_finally(ruler: Ruler, pace: Pace) -> Figures:
    """The figures of the folds that no choice has looked at."""
    found = _scores_of(ruler, None, pace)
    if not found.records:
        raise ConfigError(
            f"found no recording of PTB-XL's folds {_listed(UNTOUCHED_FOLDS)}; --final judges on "
            "them alone"
        )
    return _written(figures(found, _columns(found, ruler.real)), ruler.out / FINAL)


def refuse_without_ptbxl(real: Path) -> None:
    """A `ConfigError` where a folder holds no PTB-XL."""
    if not (real / "ptb-xl").is_dir():
        raise ConfigError(
            f"found no ptb-xl in {real.name!r}; --real needs the folder that holds it"
        )


def gained(before: Sequence[Path], after: Sequence[Path], real: Path) -> Figures:
    """What rulers gain over others, each over its own, on the groups that both have finished.

    Without one before them: over their own first readers alone. One ruler of several seeds stands
    for one a seed, against the same seed. Of several the mean, with an interval over seeds too.
    """
    refuse_without_ptbxl(real)
    if absent := [one.name for one in (*after, *before) if not one.is_dir()]:
        raise ConfigError(
            f"found no folder {', '.join(absent)}; needed what `python -m train ruler` wrote"
        )
    if len(after) == 1 and len(before) < 2:
        before, after = _by_seed(before, after[0])
    before = before or [one / FIRST_ALONE for one in after]
    if len(before) != len(after):
        raise ConfigError(
            f"found {len(after)} of --ruler and {len(before)} of --over; needed as many, each over "
            "its own"
        )
    pairs = list(zip(before, after, strict=True))
    groups = [_finished(*pair) for pair in pairs]
    if any(one != groups[0] for one in groups):
        counts = zip(groups, after, strict=True)
        told = ", ".join(f"{len(one)} in {_named(ruler)}" for one, ruler in counts)
        raise ConfigError(f"found other groups finished: {told}; needed the same of every seed")
    return over_seeds([_gained(*pair, groups[0], real) for pair in pairs], gain=True)


def _by_seed(before: Sequence[Path], after: Path) -> tuple[Sequence[Path], Sequence[Path]]:
    """One ruler of several seeds as one a seed, and what it is held against."""
    every = [
        {one.name for one in ruler.glob("*") if seed_of_folder(one) is not None}
        for ruler in (after, *before)
    ]
    if not any(every):
        return before, [after]
    both = sorted(set.intersection(*every))
    if left := sorted(set.union(*every) - set(both)):
        log.warning("left out, for only one of the two has them: %s", ", ".join(left))
    if not both:
        raise ConfigError("found no seed that both have; name folders of seeds, as DIR/seed-7")
    return [one / name for one in before for name in both], [after / name for name in both]


def _finished(before: Path, after: Path) -> list[str]:
    groups = [one.name for one in sorted(before.glob("group-*")) if Scores.lies_in(one)]
    return [name for name in groups if Scores.lies_in(after / name)]


def _gained(before: Path, after: Path, both: Sequence[str], real: Path) -> Figures:
    old, new = ([Scores.load(out / name) for name in both] for out in (before, after))
    same = [(one.records, one.names) for one in old] == [(one.records, one.names) for one in new]
    if not (both and same):
        raise ConfigError(
            f"found no group that {_named(before)} and {_named(after)} have both finished, or "
            "other recordings or findings in it; needed the same --real, --groups and lexicon"
            + ", or --over where no second readers were joined"
            * (before.name == FIRST_ALONE)
        )
    return gains(pooled(old), pooled(new), _columns(pooled(new), real))


def _named(ruler: Path) -> str:
    return repr("/".join(ruler.parts[-2:]))


def _scores_of(ruler: Ruler, group: int | None, pace: Pace) -> Scores:
    run = ruler.out / (FINAL if group is None else f"group-{group}")
    text = Focal.load(ruler.text) if ruler.text else None
    _note(ruler, run, text)
    if not Scores.lies_in(run):
        if text:
            keep_tuned(text.text, ruler.recipe, run)
        shards = _shards(ruler, group, run, pace)
        reports = Reports(tuple(one.folder for one in shards))
        train_coarse(ruler.recipe, run, reports, pace)
        first = run / "coarse" / "model"
        second = ruler.second and join_second(ruler.second, run, reports, pace)
        kept = {run: second or first}
        if second:
            kept = {ruler.out / FIRST_ALONE / run.name: first, **kept}
        for folder, model in kept.items():
            scored(Focal.load(model), shards[1:], split="test", group=group or 0).save(folder)
    return Scores.load(run)


def _note(ruler: Ruler, run: Path, text: Focal | None) -> None:
    """What a model is made from; one that was made from something else is refused."""
    tuned = text and text.fingerprint()
    asked = (ruler.recipe, ruler.simulated, ruler.groups, tuned)
    asked = (*asked, ruler.second) if ruler.second else asked
    made_from = fingerprint(*asked, files=[LEXICON])
    noted = run / MADE_FROM
    if noted.is_file() or Scores.lies_in(run):
        made_by = "recipe, --simulated, --groups, --text, --second or lexicon"
        refuse_another(noted, made_from, "model of the ruler", made_by)
    run.mkdir(parents=True, exist_ok=True)
    write_whole(noted, made_from)


def _shards(ruler: Ruler, group: int | None, run: Path, pace: Pace) -> list[Shards]:
    """Simulated records first; then real ones, those of the group for testing."""
    drawn = ruler.drawn
    made = [build(drawn, ruler.out / "data" / drawn.name, workers=max(1, pace.workers))]
    for source in real_sources(ruler.real):
        folder = run / "data" / source.name
        made.append(build(_dealt(ruler, source, group), folder, workers=max(1, pace.workers)))
    return made


def _dealt(ruler: Ruler, source: Source, group: int | None) -> Source:
    """PTB-XL by its folds, without those that no choice looks at; others by a hash of patients."""
    if isinstance(source, PtbXl):
        if group is None:
            return replace(source, test_folds=UNTOUCHED_FOLDS, validation_folds=())
        folds = ruler.folds_of(group)
        source = replace(source, test_folds=folds, validation_folds=UNTOUCHED_FOLDS)
        left_out = {"left_out": list(UNTOUCHED_FOLDS)}
        return Dealt(source, left_out, lambda one: one.split if one.split != "validation" else None)

    def split_of(study: Study) -> str:
        digest = hashlib.sha256(f"{source.name}\0{study.subject}".encode()).digest()
        held_out = int.from_bytes(digest[:8], "big") % ruler.groups == group
        return "test" if held_out else "train"

    return Dealt(source, {"group": group, "groups": ruler.groups}, split_of)


class Dealt:
    """A source whose studies go where `split_of` says, and nowhere where it says None.

    `choices` are what that depends on.
    """

    def __init__(
        self, source: Source, choices: dict[str, Any], split_of: Callable[[Study], str | None]
    ) -> None:
        self.name, self.spoken = source.name, source.spoken
        self.classes_stated = source.classes_stated
        self.about = {**source.about, **choices}
        self._source, self._split_of = source, split_of

    @property
    def total(self) -> int | None:
        """At most so many studies."""
        return self._source.total

    def studies(self, counted: Counter[str]) -> Iterator[Study]:
        """Every study, in its split."""
        for study in self._source.studies(counted):
            if (split := self._split_of(study)) is not None:
                yield replace(study, split=split)


def _written(found: Figures, folder: Path) -> Figures:
    told = dataclasses.asdict(found)
    (folder / FIGURES).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    (folder / "figures.md").write_text(rendered(found), encoding="utf-8")
    return found


def _columns(scores: Scores, real: Path) -> list[Column]:
    ptbxl = real / "ptb-xl"
    return list(columns(scores, ptbxl if ptbxl.is_dir() else None))


def rendered(found: Figures, *, gain: bool = False) -> str:
    """The means, then every finding, as Markdown tables; signed where they are a gain."""
    form, what = ("+.3f", "gain in ") if gain else (".3f", "")
    lines = [f"| set | recordings | findings | {what}macro AUC (95 %) |", "|---|---|---|---|"]
    lines += [
        f"| {one.of_set} | {one.recordings} | {one.findings} | {one.auc.said(form)} |"
        for one in found.means
    ]
    lines += ["", f"| set | finding | recordings | with it | {what}AUC (95 %) |"]
    lines += ["|---|---|---|---|---|"]
    lines += [
        f"| {one.of_set} | {one.prompt} | {one.recordings} | {one.positives} "
        f"| {one.auc.said(form)} |"
        for one in found.findings
    ]
    return "\n".join(lines) + "\n"


def _listed(folds: tuple[int, ...]) -> str:
    return " and ".join(map(str, folds))
