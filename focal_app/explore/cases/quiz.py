"""Answers to "what does this ECG show?", scored through the lexicon.

asked_of(case.facts)                                       # ("left bundle branch block",)
score("LBBB", wanted, labels).credit                       # 1.0: all names of a statement count
score("bundle branch block", wanted, labels).credit        # 0.5: true, but less than it shows
score("right bundle branch block", wanted, labels).credit  # 0.0
score("banana", wanted, labels)                            # PromptError: no answer at all
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from focal_app.errors import GalleryError, PromptError
from focal_app.explore.cases.gallery.case import Case, Facts
from focal_app.explore.cases.label_order import HEALTHY, diagnoses, telling_first
from focal_app.lexicon import load_lexicon
from focal_app.words.own_words import mechanism
from focal_app.words.prompts import asked, no_finding
from focal_app.words.statements import LONGEST, ReportTag, tidy, understood
from focal_app.words.vocabulary import named

PARTLY = 0.5
"""Credit for a more general or a more specific statement than the one that is labelled."""
TOO_GENERAL = frozenset(["abnormal ECG"])
"""True of nearly every case: it answers nothing."""
RATES = frozenset(
    [
        *("bradycardia", "tachycardia", "sinus bradycardia", "sinus tachycardia"),
        "narrow complex tachycardia",
    ]
)
"""What goes along with other findings, and is asked where it stands alone."""
_INFARCTION = "myocardial infarction"
_AGES = {"old": "old myocardial infarction", "new": "acute myocardial infarction"}


@dataclass(frozen=True)
class Scored:
    """What an answer is worth: `credit` from 0 to 1, and why.

    `found` are statements of the answer that were asked for, `near` those that are more general or
    more specific, `beside` what holds in the ECG but was not asked, `wrong` what does not hold in
    it; `missed` what was asked and not named exactly.
    """

    credit: float
    found: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether all that was asked is named, and nothing else."""
        return self.credit == 1.0


def asked_of(facts: Facts) -> tuple[str, ...]:
    """What an answer should name: what the case stands for, else its most specific diagnoses.

    Not what is a sign of another of them, nor the rate beside something else. ST and T changes
    count where nothing else is labelled, what a healthy heart has where they do not either, and
    what is no diagnosis at the very last.
    """
    if facts.shows:
        return facts.shows
    lexicon = load_lexicon()
    told = lexicon.most_specific(diagnoses(facts.labels))
    ill = [tag for tag in told if tag not in HEALTHY]
    signs = {tag for tag in ill for other in ill if tag != other and tag in lexicon.signs([other])}
    telling = [tag for tag in ill if tag not in signs]
    large = [tag for tag in telling if lexicon[tag].group != "st-t" and tag not in RATES]
    healthy = [tag for tag in told if tag == "normal ECG"] or told
    first = large or [tag for tag in telling if tag not in RATES] or telling
    return tuple(first or healthy or telling_first(facts.labels)[:1])


def check_askable(cases: Sequence[Case]) -> None:
    """Refuses cases without a label, by their places: of such nothing can be asked or scored."""
    bare = [str(place) for place, case in enumerate(cases, 1) if not asked_of(case.facts)]
    if bare:
        raise GalleryError(
            f"found no label on case {', '.join(bare)}; a quiz needs one on each. Remove what has "
            "none from the set"
        )


def score(answer: str, wanted: Sequence[str], labels: Collection[str]) -> Scored:
    """What an answer is worth where `wanted` was asked of an ECG with these labels.

    A `PromptError` for words that name no finding: they are no answer.
    """
    return graded(findings_named(answer), wanted, labels)


def score_or_none(answer: str, wanted: Sequence[str], labels: Collection[str]) -> Scored:
    """The same for an answer that cannot be asked again: no finding named, nothing earned."""
    try:
        return score(answer, wanted, labels)
    except PromptError:
        return graded((), wanted, labels)


def graded(told: Sequence[str], wanted: Sequence[str], labels: Collection[str]) -> Scored:
    """The same for statements that were named or chosen."""
    holds = _implied(labels) | _implied(wanted)
    found = tuple(tag for tag in told if any(_is(tag, one, holds) for one in wanted))
    near = tuple(tag for tag in told if tag not in found and _kin(tag, wanted, holds))
    rest = [tag for tag in told if tag not in (*found, *near)]
    signs = load_lexicon().signs(holds)
    beside = tuple(tag for tag in rest if tag in holds or tag in signs)
    wrong = tuple(tag for tag in rest if tag not in beside)
    each = [max((_credit(tag, one, holds) for tag in told), default=0.0) for one in wanted]
    return Scored(
        credit=_less(sum(each) / len(each) if each else 0.0, len(found) + len(near), len(wrong)),
        found=found,
        near=near,
        beside=beside,
        wrong=wrong,
        missed=tuple(one for one, credit in zip(wanted, each, strict=True) if credit < 1.0),
    )


def findings_named(answer: str) -> tuple[str, ...]:
    """The statements of an answer, each once; a `PromptError` where there are none."""
    typed = tidy(answer)
    if len(typed) > LONGEST:
        raise PromptError(f"the answer has {len(typed)} characters; shorten it to {LONGEST}")
    whole = named(typed) or mechanism(typed)
    told = [whole] if whole else _of_words(typed)
    general = [tag for tag in told if tag in TOO_GENERAL]
    if general and len(general) == len(told):
        raise PromptError(f'"{general[0]}" says only that something is; say what it is')
    return tuple(dict.fromkeys(tag for tag in told if tag not in general))


def _of_words(typed: str) -> list[str]:
    tags = [tag for tag in understood(typed).tags if tag.known and not tag.denied and not tag.value]
    if tags:
        return [tag for one in tags for tag in _with_age(one)]
    parts = [part.words for part in asked(typed).each if part.known]
    if not parts:
        raise no_finding([typed])
    return parts


def _with_age(said: ReportTag) -> list[str]:
    """An infarction that is called old or acute is that as well."""
    infarct = _INFARCTION in _implied([said.tag])
    return [said.tag, _AGES[said.age]] if infarct and said.age in _AGES else [said.tag]


def _credit(tag: str, wanted: str, holds: Collection[str]) -> float:
    if _is(tag, wanted, holds):
        return 1.0
    return PARTLY if _kin(tag, [wanted], holds) else 0.0


def _is(tag: str, wanted: str, holds: Collection[str]) -> bool:
    """Whether a statement is the one that was asked, or one of its kind that is labelled too."""
    return tag == wanted or (tag in holds and wanted in _implied([tag]))


def _kin(tag: str, wanted: Sequence[str], holds: Collection[str]) -> bool:
    """Whether it is more general or more specific than what was asked, and not against it."""
    lexicon = load_lexicon()
    line = any(tag in _implied([one]) or one in _implied([tag]) for one in wanted)
    against = {x for one in wanted if one in lexicon for x in lexicon.contrasts(one)} - {*holds}
    return line and not against & _implied([tag])


def _less(credit: float, right: int, wrong: int) -> float:
    """Naming many findings so that one of them fits is worth half, or nothing."""
    if wrong > right:
        return 0.0
    return min(credit, PARTLY) if wrong else credit


def _implied(tags: Collection[str]) -> frozenset[str]:
    """Statements and all that they imply."""
    return load_lexicon().with_implied(tags)
