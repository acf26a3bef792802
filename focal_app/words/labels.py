"""Labels of a form with what is said under them, as the sentences that the grammar reads.

labels_joined("Rhythm: sinus. T waves: inverted in V1-V3")  # "Rhythm sinus. T waves inverted ..."
labels_joined("Rhythm: atrial fibrillation")                # "atrial fibrillation"
labels_joined("ST: no elevation. Consider: ischemia")       # "no ST elevation. Consider ischemia"
"""

import re

from focal_app.words.leads import places
from focal_app.words.names import idle
from focal_app.words.reach import DENIALS, SEEN, hedge_at
from focal_app.words.tokens import tokens
from focal_app.words.vocabulary import named
from focal_app.words.wordings import wordings

_LABEL = re.compile(
    r"(?:^|(?<=[.;,?\n])|(?<=\s\s))(?P<space>\s{0,8})"
    r"(?P<label>[^\W\d][\w-]{0,30}(?: [\w-]{1,30}){0,4})"
    r"\s{0,4}:[ \t]{1,4}(?P<no>(?:no|not|keine?|without)[ \t])?"
    r"(?=(?P<said>[^\s:;,.]{1,30}(?: [^\s:;,.]{1,30}){0,3}))",
    re.IGNORECASE,
)


_WHOLE = frozenset(["ecg", "ekg", "tracing"])


def labels_joined(text: str) -> str:
    """The text with a label before what it makes a name with, and without one before a name.

    A hedge, and a finding before words that name none ("LVH: possible"), lose their colon. Labels
    that make no name stay, each a sentence of its own, unless they head a form as
    `assets/wordings.yaml` lists them.
    """
    return _LABEL.sub(_joined, text)


def _joined(found: re.Match[str]) -> str:
    space, label, no = found["space"], found["label"], found["no"] or ""
    if next(places(label), None):
        return found.group()  # leads as a heading
    words = found["said"].split()
    count = range(len(words) + 1)
    heads = label.casefold() in wordings().labels
    hedge = [token.lower for token in tokens(label)]
    if hedge_at(hedge, 0) == len(hedge):
        return f"{space}{label} {no}"
    if any(named(" ".join(words[:last])) for last in count[1:]):
        return space + no if heads else found.group()
    place = words[1] if words[0] == "in" and len(words) > 1 else words[0]
    if no and named(label) and words[0].lower() not in SEEN:
        return found.group()  # "AF: no RVR"
    placed = named(label) and next(places(place), None)
    if placed or any(named(" ".join([label, *words[:last]])) for last in count[1:]):
        return (
            f"{space}no {label} " if no and words[0].lower() not in DENIALS else f"{space}{label} "
        )
    whole = heads or label.casefold() in _WHOLE
    if whole and any(named(" ".join([label, "is", *words[:last]])) for last in count[1:]):
        return f"{space}{no}{label} is "
    if any(named(" ".join(words[i:j])) for i in count[1:] for j in count[i + 1 :]):
        return space + no if heads else found.group()  # "Block: no RBBB"
    told = _finding(label) and all(map(_tells_nothing, words))
    return f"{space}{label} {no}" if told else found.group()


def _finding(label: str) -> bool:
    words = label.split()
    ends = (" ".join(words[first:]) for first in range(len(words)))
    return any(named(end) for end in (*ends, " ".join(words[:-1])))


def _tells_nothing(word: str) -> bool:
    said = [token.lower for token in tokens(word)]
    return all(idle(one) or hedge_at([one], 0) for one in said)
