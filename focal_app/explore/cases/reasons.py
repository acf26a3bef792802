"""Why a case is like an ECG, and what tells them apart: findings and measured values, in words.

reasons(profiles, gallery, shown, found, number)
# both: left bundle branch block; alike: QRS 150 and 146 ms; differs: atrial fibrillation, ...
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from focal_app.ecg.axis import shorter_way
from focal_app.ecg.measured import Valued
from focal_app.ecg.measurement_names import NAMES
from focal_app.ecg.numerals import numeral
from focal_app.explore.cases.gallery import Gallery
from focal_app.explore.cases.label_order import diagnoses, telling_first
from focal_app.explore.cases.profiles import LEAST_SPREAD, Profiles
from focal_app.explore.reading.prompts import group_of
from focal_app.explore.reading.reading import LIKELY
from focal_app.explore.report.values import READERS_DIFFER
from focal_app.lexicon import load_lexicon

MOST_BOTH, MOST_BESIDE = 4, 2
"""So many findings that both show are named, and so many of what is alike or apart besides."""
APART = 2.0
"""Values differ that are further apart than so many times what two readers differ by."""
VALUES = ("rate_per_min", "pr_ms", "qrs_ms", "qtc_bazett_ms", "axis_degrees")


@dataclass(frozen=True)
class Reasons:
    """Findings of `both`, values that are `alike`, findings of one side alone, values `apart`.

    Of a pair of values the asked ECG's comes first.
    """

    both: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    yours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def differs(self) -> tuple[str, ...]:
        """What tells them apart, each with whose it is."""
        yours = (f"{tag} (yours alone)" for tag in self.yours)
        theirs = (f"{tag} (this case alone)" for tag in self.theirs)
        return *yours, *theirs, *self.apart

    @property
    def brief(self) -> str:
        """In a line: "both: left bundle branch block, QRS 150 and 146 ms; differs: ..."."""
        both, differs = (*self.both[:2], *self.alike[:1]), self.differs[:2]
        parts = (("both", both), ("differs", differs))
        return "; ".join(f"{name}: {', '.join(said)}" for name, said in parts if said)


def reasons(
    cases: Profiles,
    gallery: Gallery,
    shown: Float[np.ndarray, " K"],
    found: Valued,
    number: int,
    *,
    refuted: Collection[str] = (),
    trusted: Collection[str] | None = None,
) -> Reasons:
    """Of the case of that number, for an ECG that shows and measures this.

    A finding counts as shared where it is likely in both and the labels of the case, if it has any,
    confirm it. A diagnosis is the ECG's alone where it is likely there, unlikely in the case and
    not labelled; the case's alone where it is labelled, or likely without labels, and unlikely in
    the ECG. What measurements have `refuted` of the ECG is named as no finding of it, and as its
    alone only what is `trusted`, where that is given.
    """
    tags, labels = gallery.statements(), gallery[number].facts.labels
    lexicon = load_lexicon()
    theirs = cases.shown(np.array([number]))[0]
    place = {tag: row for row, tag in enumerate(tags)}

    def likely(probability: Float[np.ndarray, " K"]) -> list[str]:
        """What is likely of the heart, the most telling first."""
        telling = np.argsort(-probability * (gallery.rarity + LEAST_SPREAD), kind="stable")
        found = [tags[int(k)] for k in telling if probability[k] >= LIKELY]
        return [tag for tag in found if group_of(tag) != "technical"]

    mine = [tag for tag in likely(shown) if tag not in refuted]
    telling = mine if trusted is None else [tag for tag in mine if tag in trusted]
    shared = [tag for tag in likely(np.minimum(shown, theirs)) if tag not in refuted]
    both = [tag for tag in shared if confirmed(tag, labels)]
    yours = [tag for tag in telling if theirs[place[tag]] < LIKELY and not _labelled(tag, labels)]
    known = labels or likely(theirs)
    alone = [t for t in known if t in place and shown[place[t]] < LIKELY]
    alike, apart = _values(cases, gallery, found, number)
    return Reasons(
        telling_first(lexicon.most_specific(both)[:MOST_BOTH]),
        alike,
        lexicon.most_specific(diagnoses(yours))[:MOST_BESIDE],
        lexicon.most_specific(diagnoses(alone))[:MOST_BESIDE],
        apart,
    )


def confirmed(tag: str, labels: Sequence[str]) -> bool:
    """Whether labels hold a tag or one that implies it; a case without labels denies nothing."""
    return not labels or _labelled(tag, labels)


def _labelled(tag: str, labels: Sequence[str]) -> bool:
    lexicon = load_lexicon()
    below = lexicon.descendants(tag) if tag in lexicon else frozenset()
    return not {tag, *below}.isdisjoint(labels)


def _values(
    cases: Profiles, gallery: Gallery, found: Valued, number: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Values that two readers could take for one, the least usual first, and those far apart."""
    alike: list[tuple[float, str]] = []
    apart: list[tuple[float, str]] = []
    theirs = gallery.quantities([number])[0]
    for name in VALUES:
        one, other = found.value(name), theirs.value(name)
        if one is None or other is None:
            continue
        between = shorter_way(one - other) if name == "axis_degrees" else one - other
        far = abs(between) / READERS_DIFFER[name]
        if far <= 1:
            alike.append((cases.unusual_by(name, other), _pair(name, one, other)))
        elif far > APART:
            apart.append((far, _pair(name, one, other)))
    return _first(alike), _first(apart)


def _first(ranked: Iterable[tuple[float, str]]) -> tuple[str, ...]:
    return tuple(said for _, said in sorted(ranked, reverse=True)[:MOST_BESIDE])


def _pair(name: str, one: float, other: float) -> str:
    """Two values of one name: "QRS 150 and 146 ms"."""
    short, _, _ = NAMES[name].short.partition(" (")
    return f"{short} {numeral(one)} and {numeral(other)}{NAMES[name].unit}"
