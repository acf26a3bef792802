"""The set of cases that a visitor makes or works through. Values in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from focal_app.errors import GalleryError, PromptError
from focal_app.explore.cases.limits import LONGEST_NOTE, LONGEST_REMARK, LONGEST_TITLE, MOST_CASES
from focal_app.ui.teach import wording

if TYPE_CHECKING:
    # Not when the page is laid out: it brings torch with it.
    from focal_app.explore.cases.teaching import TeachingSet


@dataclass(frozen=True)
class Lesson:
    """Keys of cases in their order, with a title, a task and notes, and the one that is shown.

    With `hidden` nothing of a case is told until it is among `revealed`.
    """

    title: str = wording.TITLE_FIRST
    note: str = wording.TASK_FIRST
    keys: tuple[str, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    number: int = 0
    hidden: bool = False
    revealed: frozenset[str] = frozenset()

    @property
    def taught(self) -> TeachingSet:
        """The teaching set; a `GalleryError` where it is empty."""
        from focal_app.explore.cases.teaching import TeachingSet

        if not self.keys:
            raise GalleryError(wording.EMPTY)
        return TeachingSet(self.title, self.note, self.keys, self.remarks)

    @property
    def shown(self) -> str | None:
        """The key of the case that lies on the paper."""
        return self.keys[self.number] if self.number < len(self.keys) else None

    def hides(self, key: str) -> bool:
        """Whether nothing of this case may be told yet."""
        return self.hidden and key not in self.revealed


def with_set(taught: TeachingSet) -> Lesson:
    """A set as learners see it: its first case, all labels hidden."""
    return Lesson(taught.title, taught.note, taught.keys, taught.remarks, hidden=True)


def kept(lesson: Lesson, key: str) -> Lesson:
    """A case put into the set, or taken out of it."""
    if key in lesson.keys:
        return dropped(lesson, lesson.keys.index(key))
    if len(lesson.keys) >= MOST_CASES:
        raise PromptError(wording.set_full(MOST_CASES))
    return replace(lesson, keys=(*lesson.keys, key))


def with_cases(lesson: Lesson, keys: Sequence[str]) -> Lesson:
    """More cases behind those of the set, each once."""
    both = tuple(dict.fromkeys([*lesson.keys, *keys]))
    if len(both) > MOST_CASES:
        raise PromptError(wording.set_full(MOST_CASES))
    return replace(lesson, keys=both)


def dropped(lesson: Lesson, number: int) -> Lesson:
    """The set without the case of that place."""
    gone = key_at(lesson, number)
    keys = tuple(key for key in lesson.keys if key != gone)
    remarks = {key: one for key, one in lesson.remarks.items() if key != gone}
    shown = max(0, min(lesson.number, len(keys) - 1))
    return replace(lesson, keys=keys, remarks=remarks, number=shown)


def opened(lesson: Lesson, number: int) -> Lesson:
    """The case of that place shown."""
    key_at(lesson, number)
    return replace(lesson, number=number)


def revealed(lesson: Lesson, number: int) -> Lesson:
    """The labels of one case told, and the case shown."""
    key = key_at(lesson, number)
    return replace(opened(lesson, number), revealed=lesson.revealed | {key})


def hiding(lesson: Lesson, *, on: bool) -> Lesson:
    """Labels hidden again, or all told."""
    return replace(lesson, hidden=on, revealed=frozenset())


def worded(lesson: Lesson, title: str, note: str) -> Lesson:
    """The set under another title, with another task."""
    return replace(lesson, title=title.strip()[:LONGEST_TITLE], note=note.strip()[:LONGEST_NOTE])


def remarked(lesson: Lesson, number: int, text: str) -> Lesson:
    """The educator's note on the case of that place; an empty one takes it away."""
    key = key_at(lesson, number)
    rest = {other: one for other, one in lesson.remarks.items() if other != key}
    said = text.strip()[:LONGEST_REMARK]
    return replace(lesson, remarks={**rest, key: said} if said else rest)


def key_at(lesson: Lesson, number: int) -> str:
    """The key of the case of that place."""
    if not 0 <= number < len(lesson.keys):
        raise PromptError(wording.GONE)
    return lesson.keys[number]
