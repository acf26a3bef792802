"""What is asked for each class of a set: our own prompts, or a published prompt file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch.nn import functional as F

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon, load_prompt_sets, normalize_code
from focal_app.model.focal import Focal
from focal_app.model.text import embed_tags
from train.benchmark.sets.files import ptbxl_folder
from train.data.ptbxl_labels import COLUMNS, class_statements

CLASSES = ("prompt", "statements", "phrases", "list")


@dataclass(frozen=True)
class Prompts:
    """The phrases of every class, and whether a class is the soft maximum of their logits.

    Otherwise the embeddings of the phrases are averaged.
    """

    phrases: tuple[tuple[str, ...], ...]
    soft_maximum: bool = False

    def shown(self) -> list[str]:
        """One short text a class."""
        many = "statements" if self.soft_maximum else "phrases"
        return [p[0] if len(p) == 1 else f"{len(p)} {many}" for p in self.phrases]

    def encoded(self, model: Focal) -> tuple[Float[torch.Tensor, "K d"], list[int]]:
        """Unit vectors to score, and how many of them belong to each class in turn."""
        counts = [len(phrases) for phrases in self.phrases]
        z = embed_tags(model.text, [phrase for phrases in self.phrases for phrase in phrases])
        if self.soft_maximum:
            return z, counts
        means = torch.stack([part.mean(0) for part in z.split(counts)])
        return F.normalize(means, dim=-1), [1] * len(counts)


def prompts_of(
    dataset: str, classes: tuple[str, ...], *, by: str, data: Path, file: Path | None = None
) -> Prompts:
    """How each class is asked.

    by: `prompt` (our one prompt), `statements` (the statements that PTB-XL files under a label,
        or the lexicon's under the prompt), and with a published file `phrases` (each phrase of the
        class's list, averaged) or `list` (the whole list as one text).
    """
    if by not in CLASSES:
        raise ConfigError(f"found classes {by!r}; needed one of {', '.join(CLASSES)}")
    if (file is not None) != (by in ("phrases", "list")):
        raise ConfigError(
            f"found classes {by!r} {'with' if file else 'without'} a prompt file; `phrases` and "
            "`list` go with --prompts FILE, `prompt` and `statements` with our own prompts"
        )
    if file is not None:
        return Prompts(tuple(_from_file(file, dataset, classes, whole=by == "list")))
    own = load_prompt_sets()[dataset]
    prompt_of = dict(zip(map(normalize_code, own.labels), own.prompts, strict=True))
    if by == "prompt":
        _refuse_lacking(prompt_of, classes, "prompt_sets.yaml", dataset)
        return Prompts(tuple((prompt_of[label],) for label in classes))
    if dataset in COLUMNS:
        under = class_statements(ptbxl_folder(data), dataset)
        _refuse_lacking(under, classes, "scp_statements.csv", dataset)
        return Prompts(tuple(under[label] for label in classes), soft_maximum=True)
    return Prompts(tuple(_with_descendants(prompt_of[c]) for c in classes), soft_maximum=True)


def _with_descendants(prompt: str) -> tuple[str, ...]:
    lexicon = load_lexicon()
    statement = lexicon.resolve(prompt)
    below = sorted(lexicon.descendants(statement.tag)) if statement else []
    return (prompt, *below)


def _from_file(
    file: Path, dataset: str, classes: tuple[str, ...], *, whole: bool
) -> list[tuple[str, ...]]:
    texts = {normalize_code(str(k)): str(v) for k, v in read_prompt_file(file).items()}
    phrases = {label: _phrases(texts.get(label, ""), whole=whole) for label in classes}
    _refuse_lacking(phrases, classes, file.name, dataset)
    return [phrases[label] for label in classes]


def _refuse_lacking(
    found: Mapping[str, object], classes: tuple[str, ...], where: str, dataset: str
) -> None:
    if lacking := [label for label in classes if not found.get(label)]:
        raise ConfigError(
            f"{where} has no prompt for {', '.join(lacking)} of {dataset}; needed one for every "
            "class. Add them to the file"
        )


def read_prompt_file(file: Path) -> Mapping[str, object]:
    """A published prompt file: JSON with a text a class."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file.name} is no readable JSON file; needed class: text") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{file.name} holds no mapping; needed class: text")
    return found


def _phrases(text: str, *, whole: bool) -> tuple[str, ...]:
    if whole:
        return (text.strip(),) if text.strip() else ()
    parts = (part.strip(" .*\n") for part in text.replace("\n", ",").split(","))
    return tuple(dict.fromkeys(part for part in parts if part))
