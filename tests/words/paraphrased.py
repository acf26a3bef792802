"""Findings in clinicians' words, `paraphrases.txt`, and how the grammar takes each.

outcome(paraphrases()[0])       # "right", "free", "refused" or "wrong"
"""

import re
from dataclasses import dataclass
from pathlib import Path

from focal_app.errors import PromptError
from focal_app.lexicon import load_lexicon
from focal_app.words.prompts import Asked, asked

FILE = Path(__file__).with_name("paraphrases.txt")
RIGHT, FREE, REFUSED, WRONG = "right", "free", "refused", "wrong"


@dataclass(frozen=True)
class Paraphrase:
    """Words, and the statements that they mean: of each group one, of all groups together.

    The first of a group is the nearest.
    """

    kind: str
    words: str
    meant: tuple[tuple[str, ...], ...]
    denied: bool
    final: bool
    """Whether it is of the third that nobody has looked at while the grammar was mended."""


def paraphrases() -> list[Paraphrase]:
    """Every line of the file."""
    lines = [line for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [_of(line.removeprefix("* "), final=line.startswith("* ")) for line in lines]


def _of(line: str, *, final: bool) -> Paraphrase:
    kind, words, meant = (part.strip() for part in line.split(" | "))
    groups = (re.split(r"\s+/\s+", group) for group in meant.removeprefix("!").split("&"))
    named = tuple(tuple(one.strip() for one in group) for group in groups)
    assert all(one in load_lexicon() for group in named for one in group), line
    return Paraphrase(kind, words, named, meant.startswith("!"), final)


def outcome(one: Paraphrase) -> str:
    """What becomes of the words: as meant, left as a free phrase, refused, or something else."""
    try:
        found = asked(one.words)
    except PromptError as error:
        told = "denies a finding" in str(error)
        return (RIGHT if told else WRONG) if one.denied else REFUSED
    if one.denied:
        return WRONG
    parts = found.each
    if not all(part.known for part in parts):
        return FREE
    fits = [any(_fits(part, group) for part in parts) for group in one.meant]
    return RIGHT if all(fits) and len(parts) == len(one.meant) else WRONG


def _fits(part: Asked, meant: tuple[str, ...]) -> bool:
    """The statement itself, or its wider kind in leads of its own."""
    lexicon = load_lexicon()
    if part.words in meant:
        return True
    return bool(part.leads) and any(
        part.words in lexicon.ancestors(one) and set(part.leads) <= set(lexicon[one].leads)
        for one in meant
    )
