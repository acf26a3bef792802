"""Figures as PNG, drawn from result files alone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from focal_app.ecg.recording import LEADS
from train.benchmark.publication import judged, of_published_labels, published, whole
from train.benchmark.results import Result
from train.benchmark.sets import SETS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _new(width: float, height: float, **layout: Any) -> "tuple[Figure, Any]":  # noqa: ANN401
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(**layout)


def bars(group: Sequence[Result]) -> "Figure":
    """Macro AUC by set with its interval; the paper's as open marks."""
    found = {one.dataset: one.figures["macro_auc"] for one in group}
    names = [name for name in SETS if name in found]
    parts = [[found[name][part] for name in names] for part in ("value", "low", "high")]
    value, low, high = np.array(parts, float) * 100
    paper = published()["zeroshot"]
    theirs = dict(zip(paper["columns"], paper["rows"]["FOCAL"], strict=True))
    figure, axes = _new(7, 3.2)
    place = np.arange(len(names))
    axes.bar(place, value, color="#4878a8", label="measured")
    # The value of a small sample may lie outside its percentile interval.
    reach = np.abs([np.minimum(value, low) - value, np.maximum(value, high) - value])
    axes.errorbar(place, value, yerr=reach, fmt="none", ecolor="black", capsize=3)
    alike = whole(judged(one) for one in group if of_published_labels(one, one.dataset))
    if beside := [n for n in names if n in alike]:
        at = [names.index(n) for n in beside], [theirs[n] for n in beside]
        axes.plot(*at, "D", mfc="none", mec="black", label="published")
    axes.axhline(50, color="grey", lw=0.8, ls=":")
    axes.set_xticks(place, names)
    axes.set(ylabel="macro AUC, %", ylim=(30, 100), title=group[0].name)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def calibration(group: Sequence[Result]) -> "Figure":
    """Share found against probability predicted, by set."""
    figure, axes = _new(4.2, 4)
    axes.plot([0, 1], [0, 1], color="grey", lw=0.8, ls=":")
    for one in group:
        curve = one.figures["calibration"]["curve"]
        predicted, found = ([b[name] for b in curve] for name in ("predicted", "found"))
        axes.plot(predicted, found, "o-", ms=3, label=one.dataset)
    axes.set(xlabel="predicted probability", ylabel="share found", xlim=(0, 1), ylim=(0, 1))
    axes.legend(fontsize=7)
    return figure


def matrix(group: Sequence[Result]) -> "Figure":
    """Cosines between prompts."""
    found = group[0].figures
    side = max(3.5, 0.22 * len(found["prompts"]) + 2)
    figure, axes = _new(side + 1, side)
    shown = axes.imshow(found["cosine"], vmin=-1, vmax=1, cmap="RdBu_r")
    axes.set_xticks(range(len(found["prompts"])), found["prompts"], rotation=90, fontsize=6)
    axes.set_yticks(range(len(found["prompts"])), found["prompts"], fontsize=6)
    figure.colorbar(shown, ax=axes, label="cosine", shrink=0.7)
    return figure


def maps(group: Sequence[Result]) -> "Figure":
    """Lead by second: how many times the even share the plan gives a patch."""
    found = group[0].figures
    maps = found["maps"]
    columns = min(3, len(maps))
    rows = -(-len(maps) // columns)
    figure, axes = _new(4 * columns, 3.2 * rows, nrows=rows, ncols=columns, squeeze=False)
    for place, one in zip(axes.flat, maps, strict=False):
        weight = np.array(one["weight"], float)
        end = weight.shape[1] * found["window_s"]
        shown = place.imshow(weight, aspect="auto", cmap="viridis", extent=(0, end, len(LEADS), 0))
        place.set_yticks(np.arange(len(LEADS)) + 0.5, LEADS, fontsize=6)
        for label, lead in zip(place.get_yticklabels(), LEADS, strict=True):
            label.set_fontweight("bold" if lead in one["leads"] else "normal")
        place.set_title(f"{one['finding']} (record {one['key']})", fontsize=7)
        place.set_xlabel("seconds", fontsize=7)
        figure.colorbar(shown, ax=place)
    for place in list(axes.flat)[len(maps) :]:
        place.set_visible(False)
    return figure


def thresholds(group: Sequence[Result]) -> "Figure":
    """AUC of the features against the probability from which they count."""
    found = group[0].figures["thresholds"]
    figure, axes = _new(4.5, 3)
    values = [np.nan if one["mean_auc"] is None else 100 * one["mean_auc"] for one in found]
    level = [one["threshold"] for one in found]
    axes.plot(level, values, "o-", label="mean AUC, %")
    axes.plot(level, [100 * one["kept"] for one in found], "s--", label="kept, %")
    axes.set(xlabel="verification threshold (probability)")
    axes.legend()
    return figure
