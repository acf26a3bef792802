"""What else a case could have been taken for: the lexicon's relatives, and what the model holds.

differential(gallery, case).held     # ((statement, probability, whether it is labelled), ...)
tint_of(explorer, gallery, case)     # where the model looks for the answer
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from focal_app.explore.cases.difficulty import probabilities
from focal_app.explore.cases.gallery import Case, Gallery
from focal_app.explore.cases.label_order import HEALTHY, ORDER
from focal_app.explore.cases.quiz import asked_of
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.prompts import EVERYDAY, prompt_set
from focal_app.explore.reading.reading import IMPROBABLE
from focal_app.explore.reading.routing import seen
from focal_app.lexicon import load_lexicon

MOST = 4
"""Statements of each kind: what is worth reading after one case."""
CHOICES = 4
"""Answers to choose from."""
LEAST = 0.1
"""What the model finds less probable is not told."""
LARGEST_FAMILY = 12
"""Children of a statement that is too general to make relatives."""


@dataclass(frozen=True)
class Relative:
    """A statement near the answer, and how it shows."""

    tag: str
    description: str
    probability: float | None


@dataclass(frozen=True)
class Held:
    """What the model finds probable in the case beside the answer, and whether it is labelled."""

    tag: str
    probability: float
    labelled: bool


@dataclass(frozen=True)
class Differential:
    """What else was close: by the lexicon, and by the model; `asked` with its probability."""

    asked: tuple[tuple[str, float | None], ...]
    relatives: tuple[Relative, ...]
    held: tuple[Held, ...]

    @property
    def hardly_held(self) -> bool:
        """Whether the model finds improbable what was asked first."""
        first = self.asked[0][1] if self.asked else None
        return first is not None and first < IMPROBABLE


def differential(gallery: Gallery, case: Case) -> Differential:
    """Relatives of what was asked that do not hold, and what the model holds besides."""
    lexicon, found = load_lexicon(), probabilities(gallery, case)
    asked = asked_of(case.facts)
    holds = lexicon.with_implied([*asked, *case.facts.labels])
    near = dict.fromkeys(tag for one in asked for tag in relatives(one) if tag not in holds)
    below = (lexicon.descendants(tag) for tag in asked if tag in lexicon)
    line = lexicon.with_implied(asked).union(HEALTHY, *below)
    likely = [tag for tag in sorted(found, key=lambda tag: -found[tag]) if found[tag] >= LEAST]
    told = [tag for tag in likely if tag in lexicon and lexicon[tag].group in ORDER[:-1]]
    held = [
        Held(tag, found[tag], tag in holds)
        for tag in lexicon.most_specific(told)
        if tag not in line
    ]
    return Differential(
        asked=tuple((tag, found.get(tag)) for tag in asked),
        relatives=tuple(
            Relative(tag, lexicon[tag].description, found.get(tag)) for tag in [*near][:MOST]
        ),
        held=tuple(held[:MOST]),
    )


def relatives(tag: str) -> tuple[str, ...]:
    """The mirror images of a statement, and what shares a parent with it, the nearest first."""
    lexicon = load_lexicon()
    if tag not in lexicon:
        return ()
    parents = lexicon[tag].parents
    own = {tag, *lexicon.ancestors(tag), *lexicon.descendants(tag)}
    near = [*lexicon[tag].opposites, *_siblings(tag)]
    near += [x for parent in parents for x in (*lexicon[parent].opposites, *_siblings(parent))]
    return tuple(dict.fromkeys(x for x in near if x not in own))


def choices(case: Case) -> tuple[tuple[str, ...], ...]:
    """Answers to choose from, in alphabetical order, so that their order tells nothing.

    One is what is asked; the others have one of its relatives in the first place, or, where there
    are too few, an everyday finding. None of them holds in the case.
    """
    lexicon, asked = load_lexicon(), asked_of(case.facts)
    holds = lexicon.with_implied([*asked, *case.facts.labels])
    everyday = prompt_set(EVERYDAY).prompts
    chance = np.random.default_rng(case.number)
    usual = [everyday[place] for place in chance.permutation(len(everyday))]
    line = holds.union(*(lexicon.descendants(tag) for tag in asked if tag in lexicon))
    others = [x for x in dict.fromkeys((*relatives(asked[0]), *usual)) if x not in line]
    return tuple(sorted([asked, *((x, *asked[1:]) for x in others[: CHOICES - 1])]))


def tint_of(
    explorer: Explorer, gallery: Gallery, case: Case
) -> tuple[str, Float[np.ndarray, "L N_time"]]:
    """The first statement that was asked, and where the model looks for it in the case."""
    tag = asked_of(case.facts)[0]
    with torch.inference_mode():
        patches = gallery.patches([case.number])
        routed = explorer.route(patches, explorer.tags([tag]), seen(patches))
    return tag, routed.weights[0, 0]


def _siblings(tag: str) -> list[str]:
    """What shares a parent with a statement, the closest family first."""
    families = [_children(parent) for parent in load_lexicon()[tag].parents]
    return [x for family in sorted(families, key=len) for x in family]


def _children(parent: str) -> tuple[str, ...]:
    """What directly implies a statement; nothing of one that nearly everything implies."""
    found = tuple(one.tag for one in load_lexicon() if parent in one.parents)
    return found if len(found) <= LARGEST_FAMILY else ()
