"""What a researcher looks at while a stage trains: TensorBoard curves, and the same as lines.

    tensorboard --logdir runs

`loss/...` and the learning rate of every step; every `WATCHED` steps the norm of the gradient
before it is clipped, temperature, bias, and the entropy of the plans (1 where a tag is routed to
all patches alike, 0 where to one); `validation/auc` whenever the stage is judged. `figures.jsonl`
holds what is not of every step, for `python -m train compare`.
"""

import json
from collections.abc import Mapping
from pathlib import Path

WATCHED = 10
"""Steps from one look at the plans to the next: each costs as much as an exponential of all."""

FIGURES = "figures.jsonl"


class Curves:
    """Numbers by step, written to a folder; without one nothing is written."""

    def __init__(self, folder: Path | None) -> None:
        self._writer, self._lines = None, None
        if folder is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(folder))
            kept = folder / FIGURES
            cut = kept.is_file() and not kept.read_bytes().endswith(b"\n")
            self._lines = kept.open("a", encoding="utf-8", buffering=1)
            # Half a line, as a kill leaves it, takes no other along.
            self._lines.write("\n" if cut else "")

    @property
    def shown(self) -> bool:
        """Whether anything is written."""
        return self._writer is not None

    def add(self, step: int, figures: Mapping[str, float], *, kept: bool = False) -> None:
        """Numbers of a step by the name of their curve; those that are `kept` also as a line."""
        if self._writer is not None:
            for name, value in figures.items():
                self._writer.add_scalar(name, value, step)
        if kept and self._lines is not None:
            self._lines.write(json.dumps({"step": step, **figures}) + "\n")

    def close(self) -> None:
        """Write what is still held back."""
        if self._writer is not None and self._lines is not None:
            self._writer.close()
            self._lines.close()


def read_figures(folder: Path) -> dict[str, dict[int, float]]:
    """Every kept curve by name: values by step; of a step that was repeated the last."""
    curves: dict[str, dict[int, float]] = {}
    path = folder / FIGURES
    kept = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    for line in kept.splitlines():
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            continue  # the line at which a run was killed
        step = found.pop("step")
        for name, value in found.items():
            curves.setdefault(name, {})[step] = value
    return curves
