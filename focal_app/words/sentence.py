"""One sentence: where its statements stand, their leads and age, and how far "no" reaches."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise, takewhile

from focal_app.ecg.recording import LEADS
from focal_app.lexicon import load_lexicon
from focal_app.words.bare_lists import denied_with
from focal_app.words.leads import REGIONS, in_order, leads_in, places
from focal_app.words.names import AGE_OF, PARTS, WAVES, Span, idle, names, telling
from focal_app.words.normals import bounded
from focal_app.words.numbers import Quantity, persons, quantities
from focal_app.words.reach import DENIALS, SEEN, denied, hedges_in, suspected
from focal_app.words.regions import region_before
from focal_app.words.spared import INTO, JOINING, of_an_answer, spared_places
from focal_app.words.tokens import COMMA, Token, tokens
from focal_app.words.vocabulary import named, placed

_SHOWING = frozenset(["show", "shows", "showing", "has", "have", "there", "is", "are"])
"""They lead from leads to what is seen there."""
_NOWHERE = frozenset(["axis", "interval", "PR", "QT", "diffuse", "widespread", "elsewhere"])
"""What is in no leads of a heading, or in all."""
_RANGE = re.compile(r"\d\s*(?:-|–|—|to\b|bis\b)")
_LOCATED = frozenset(["st-t", "waveform", "technical"])
"""Groups of statements that a place after several of them belongs to, all alike."""
_REPLACED = frozenset([("has", "replaced"), ("have", "replaced"), ("now", "replaces")])


def _in_other_words(general: Span, other: Span) -> bool:
    """Whether a name says less than the one right beside it: "Mobitz II second degree AV block"."""
    beside = general.last == other.first or other.last == general.first
    return beside and general.tag in load_lexicon().ancestors(other.tag)


class Sentence:
    """A sentence and everything that is said in it."""

    def __init__(self, text: str, heading: tuple[str, ...] = (), *, asked: bool = False) -> None:
        """A sentence, maybe asked, under leads as a heading: "V1-V3: ST elevation"."""
        self.text, self._asked = text, asked
        self._heading = heading
        self.tokens: Sequence[Token] = tokens(text)
        self.lower = [token.lower for token in self.tokens]
        self._spared = spared_places(self.tokens)
        self._sparing = frozenset(at for words in self._spared.values() for at in words)
        self._named = list(names(text, self.tokens, self._sparing))

    def said(self, span: Span) -> str:
        """The words of a span as they were typed."""
        piece = self.text[self.tokens[span.first].start : self.tokens[span.last - 1].end]
        return " ".join(piece.split())

    @cached_property
    def spans(self) -> list[Span]:
        """Every statement in its order: named, measured, or unknown."""
        known = [self._complete(span) for span in self._with_places]
        beside = [two for two in pairwise(known) if not self._slash(two[1].first)]
        general = {one.first for one, other in beside if _in_other_words(one, other)}
        general |= {one.first for other, one in beside if _in_other_words(one, other)}
        known = [span for span in known if span.first not in general]
        unknown = [Span(first, last) for first, last in self._rests()]
        found = sorted([*known, *self._values, *unknown], key=lambda span: span.first)
        return [replace(span, either=self._either(span)) for span in found]

    @cached_property
    def denied(self) -> frozenset[int]:
        """Places of the words that a denial reaches."""
        reached = denied(self.lower, self._taken | self._hedged, self._breaks, self._says)
        replaced = self._replaced
        after = () if replaced is None else range(replaced + 1, len(self.lower))
        listed = () if self._asked else denied_with(self._named, self.lower, reached)
        return reached.union(after, listed)

    @cached_property
    def suspected(self) -> frozenset[int]:
        """Places of the words that a hedge reaches; a hedge of an age alone reaches none."""
        name_at = {at: span.first for span in self._named for at in range(span.first, span.last)}
        hedges = [one for one in self._hedges if not self._of_age(one[1])]
        return suspected(
            self.lower, hedges, name_at=name_at, saying=self._says, breaks=self._breaks
        )

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Words beside the statements of which nothing is known."""
        said = self._taken.union(*(range(span.first, span.last) for span in self.spans))
        for span in self._with_places:
            first, leads = self._region(span)
            said = said.union(range(first, span.first) if set(leads) & set(span.leads) else ())
        rest = sorted(set(range(len(self.tokens))) - said - self._hedged)
        words = [self.lower[at] for at in rest if self._telling(at) and not self.tokens[at].leads]
        return tuple(words)

    @cached_property
    def _taken(self) -> frozenset[int]:
        """Places that belong to a name, a value or a person."""
        return frozenset(
            at for span in (*self._named, *self._values) for at in range(span.first, span.last)
        ).union(self._persons)

    @cached_property
    def _values(self) -> list[Span]:
        """Measured values, unless their number belongs to a name."""
        found: list[Span] = []
        for one in self._quantities:
            inside = self._between(one.start, one.end)
            kept = [at for at in inside if at not in self._in_names]
            if inside and inside[-1] in kept and one.value.name != "age_years":
                found.append(Span(kept[0], kept[-1] + 1, value=one.value))
        return found

    @cached_property
    def _quantities(self) -> list[Quantity]:
        return list(quantities(self.text))

    @cached_property
    def _persons(self) -> frozenset[int]:
        ages = (one for one in self._quantities if one.value.name == "age_years")
        found = (*persons(self.text), *ages)
        return frozenset(at for one in found for at in self._between(one.start, one.end))

    def _between(self, start: int, end: int) -> range:
        """The tokens within `[start, end)` of the text."""
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.tokens]

    @cached_property
    def _hedges(self) -> list[tuple[int, int]]:
        return list(hedges_in(self.lower))

    @cached_property
    def _hedged(self) -> frozenset[int]:
        return frozenset(at for first, last in self._hedges for at in range(first, last))

    @cached_property
    def _breaks(self) -> frozenset[int]:
        """Where a name follows right on another: what is said of the one ends there."""
        ends = {span.last for span in self._named}
        firsts = (span.first for span in self._named)
        return frozenset(at for at in firsts if at in ends and not self._slash(at))

    def _says(self, at: int) -> bool:
        """Whether a word is one of a name or would carry a finding of its own, or is leads."""
        return at in self._in_names or (at not in self._persons and not idle(self.lower[at]))

    @cached_property
    def _in_names(self) -> frozenset[int]:
        return frozenset(at for span in self._named for at in range(span.first, span.last))

    def _slash(self, at: int) -> bool:
        """Whether a slash stands before a token: "no LVH/RVH"."""
        return self.text[self.tokens[at - 1].end : self.tokens[at].start] == "/"

    @cached_property
    def _replaced(self) -> int | None:
        """Where "... has replaced ..." stands, or else "... replaced ..." between two names."""
        pairs = (at for at, two in enumerate(pairwise(self.lower), 1) if two in _REPLACED)
        alone = (at for at, word in enumerate(self.lower) if word == "replaced")
        plainly = (at for at in alone if {at - 1, at + 1} <= self._in_names)
        return next(chain(pairs, plainly), None)

    def _of_age(self, at: int) -> bool:
        """Whether nothing but an age is said from here to the end of the clause."""
        if AGE_OF.keys().isdisjoint(self.lower[at : at + 1]):
            return False
        clause = takewhile(lambda place: self.lower[place] != COMMA, range(at, len(self.lower)))
        return set(self._firsts).isdisjoint(clause)

    def _telling(self, at: int) -> bool:
        return at not in self._sparing and telling(self.lower[at])

    def _rests(self) -> Iterator[tuple[int, int]]:
        """Parts between commas, conjunctions and hedges in which nothing is known."""
        first = 0
        for at in range(len(self.tokens) + 1):
            if at < len(self.tokens) and at not in self._hedged and self.lower[at] not in PARTS:
                continue
            part = range(first, at)
            first = at + 1
            free = [p for p in part if self._telling(p) and not self.tokens[p].leads]
            if free and not self._taken.intersection(part):
                yield bounded(self.lower, part, free[0], free[-1])

    def _either(self, span: Span) -> bool:
        return span.first > 0 and self.lower[span.first - 1] in {"or", "oder"}

    @cached_property
    def _with_places(self) -> list[Span]:
        """The names with their leads: those inside, behind, or before them."""
        found = [replace(span, leads=self._inside(span)) for span in self._named]
        spared: dict[int, set[str]] = {}
        for at in self._places:
            if of_an_answer(self.tokens, at):
                continue
            behind = bisect_left(self._firsts, at)
            if self._of_a_stranger(at, behind):
                continue
            if halves := self._halves(at, behind):
                self._give(found, behind - 1, halves[0])
                self._give(found, behind, halves[1])
                continue
            fits_before = behind > 0 and not self._begins(at, behind)
            index = behind - 1 if fits_before else behind
            late = index < len(found) and found[index].leads and self._denied_late(at)
            if index < len(found) and (at in self._spared or late):
                spared.setdefault(index, set()).update(self.tokens[at].leads)
            elif index < len(found):
                self._give(found, index, self.tokens[at].leads)
        for index in reversed(range(len(found))):
            if index + 1 in spared and self._alike(found[index], found[index + 1]):
                spared.setdefault(index, set()).update(spared[index + 1])
            if index in spared:
                found[index] = replace(
                    found[index], leads=self._without(found[index], spared[index])
                )
        return [
            one if one.leads else replace(one, leads=self._region(one)[1] or self._headed(one))
            for one in found
        ]

    @cached_property
    def _firsts(self) -> list[int]:
        return [span.first for span in self._named]

    @cached_property
    def _places(self) -> list[int]:
        """Leads outside names; a Roman number alone is one behind "in", "except" or a name."""
        ends = {span.last for span in self._named}
        return [
            at
            for at, token in enumerate(self.tokens)
            if token.leads
            and at not in self._in_names
            and (
                token.surely_leads
                or at in ends
                or (at > 0 and self.lower[at - 1] in INTO)
                or (at in self._spared and self.lower[at - 1] not in DENIALS)
                or (at in self._spared and self.lower[at - 2 : at - 1] == ["but"])
            )
        ]

    def _begins(self, at: int, behind: int) -> bool:
        """Whether a place begins a part whose name follows: "..., V4-V6 ST depression"."""
        before = at - 1 - (at > 0 and self.lower[at - 1] in INTO)
        follows = behind < len(self._named) and all(
            self.lower[p] in _SHOWING for p in range(at + 1, self._named[behind].first)
        )
        return follows and before >= 0 and self.lower[before] in PARTS

    def _of_a_stranger(self, at: int, behind: int) -> bool:
        """Whether leads follow a wave of which nothing is known: "Q in III, T inversion in V1"."""
        first = self._named[behind - 1].last if behind else 0
        part, stranger = self._last_before[at]
        if not (part >= first or not behind) or stranger < max(first, part):
            return False
        own = self._named[behind - 1] if behind else Span(0, 0)
        stems = {one.stem for one in self.tokens[own.first : own.last]}
        return self.tokens[stranger].stem not in stems

    @cached_property
    def _last_before(self) -> list[tuple[int, int]]:
        """Of every place, where the last part before it begins, and the last wave in no name."""
        found, part, stranger = [], -1, -1
        for at, token in enumerate(self.tokens):
            found.append((part, stranger))
            part = at if token.lower in PARTS else part
            stranger = at if token.stem in WAVES and at not in self._taken else stranger
        return found

    def _halves(self, at: int, behind: int) -> tuple[tuple[str, ...], ...]:
        """Leads of two names around a list: "ST elevation V1-V3, V4-V6 ST depression"."""
        text = self.text[self.tokens[at].start : self.tokens[at].end]
        if not 0 < behind < len(self._named) or self._named[behind].first != at + 1:
            return ()
        lead_up = range(self._named[behind - 1].last, at)
        first, comma, last = text.rpartition(",")
        listed = _RANGE.search(first.rpartition(",")[2]) or _RANGE.search(last)
        if not comma or not listed or any(self.lower[p] not in INTO for p in lead_up):
            return ()
        return leads_in(first), leads_in(last)

    def _denied_late(self, at: int) -> bool:
        """Whether further leads of a finding are denied it: ", not evident in V4"."""
        while at > 0 and (self.lower[at - 1] in INTO or self.lower[at - 1] in SEEN):
            at -= 1
        before = self.lower[max(0, at - 2) : at]
        return before == ["no", "longer"] or before[-1:] in (["not"], ["absent"], ["nicht"])

    def _without(self, span: Span, spared: Collection[str]) -> tuple[str, ...]:
        """The leads of a name that has a place, less those that it spares, unless that is all."""
        if load_lexicon()[span.tag].group not in _LOCATED:
            return span.leads
        placed_in = load_lexicon()[span.tag].leads if any(places(span.tag)) else ()
        everywhere = span.leads or self._region(span)[1] or placed_in or LEADS
        return in_order(set(everywhere).difference(spared)) or span.leads

    def _give(self, found: list[Span], index: int, leads: tuple[str, ...]) -> None:
        """Leads for a name, and for those that are joined to it and have none."""
        found[index] = replace(found[index], leads=in_order((*found[index].leads, *leads)))
        while (
            index > 0 and self._alike(found[index - 1], found[index]) and not found[index - 1].leads
        ):
            index -= 1
            found[index] = replace(found[index], leads=leads)

    def _alike(self, one: Span, other: Span) -> bool:
        """Whether two names of one kind are joined by an "and" or an "or" alone."""
        between = self.lower[one.last : other.first]
        groups = {load_lexicon()[span.tag].group for span in (one, other)}
        joined = len(between) == 1 and between[0] in JOINING
        return joined and (len(groups) == 1 or groups <= _LOCATED)

    def _inside(self, span: Span) -> tuple[str, ...]:
        own = (token for token in self.tokens[span.first : span.last] if token.surely_leads)
        return in_order(lead for token in own for lead in token.leads)

    def _headed(self, span: Span) -> tuple[str, ...]:
        alone = load_lexicon()[span.tag].group in _LOCATED and _NOWHERE.isdisjoint(span.tag.split())
        around = {*self.lower[max(0, span.first - 1) : span.first], *self.lower[span.last :][:1]}
        return self._heading if alone and _NOWHERE.isdisjoint(around) else ()

    def _region(self, span: Span) -> tuple[int, tuple[str, ...]]:
        """Where the regions right before a name of a wave begin, and their leads."""
        if load_lexicon()[span.tag].group not in _LOCATED:
            return span.first, ()
        return region_before(self.tokens, span.first, placed=any(places(span.tag)))

    def _complete(self, span: Span) -> Span:
        """A name as the statement that it is in its leads and at its age."""
        age, before = self._ages.get(span.first, ("", False))
        if age == "old" and not before and load_lexicon()[span.tag].group == "rhythm":
            age = ""  # "atrial fibrillation as on the previous ECG" is there now
        tag = placed(span.tag, span.leads) if span.leads else span.tag
        acute = named(f"acute {tag}") if age == "new" and before else None
        return replace(span, tag=acute or tag, age=age)

    @cached_property
    def _ages(self) -> dict[int, tuple[str, bool]]:
        """The age of the names by their first word, and whether it stands before or in the name."""
        found: dict[int, tuple[str, bool]] = {}
        spans = self._named
        for at, word in enumerate(self.lower):
            new = word in AGE_OF and at not in self._persons and self.lower[max(0, at - 1)] != "not"
            if not new or not spans:
                continue
            index = bisect_left(self._firsts, at + 1) - 1
            inside = index >= 0 and at < spans[index].last
            ahead = not inside and index + 1 < len(spans) and self._leads_up(at, spans[index + 1])
            index += ahead
            if index < 0:
                continue
            step = 1 if ahead or inside else -1
            found.setdefault(spans[index].first, (AGE_OF[word], ahead or inside))
            while 0 <= index + step < len(spans) and self._alike(
                *sorted((spans[index], spans[index + step]), key=lambda span: span.first)
            ):
                index += step
                found.setdefault(spans[index].first, (AGE_OF[word], step > 0))
        replaced = self._replaced or 0
        for span in spans:
            if span.first < replaced:
                found.setdefault(span.first, ("new", False))
        return found

    def _leads_up(self, at: int, span: Span) -> bool:
        """Whether nothing but idle words stands between an age and the name behind it."""
        between = self.lower[at + 1 : span.first]
        return len(between) < 6 and not any(
            word in PARTS or not (idle(word) or word in REGIONS) for word in between
        )
