"""Labels of a form with what is said under them, as the sentences that the grammar reads.

labels_joined("Rhythm: sinus. T waves: inverted in V1-V3")  # "Rhythm sinus. T waves inverted ..."
labels_joined("Rhythm: atrial fibrillation")                # "atrial fibrillation"
"""

import re

from focal_app.words.leads import places
from focal_app.words.vocabulary import named
from focal_app.words.wordings import wordings

_LABEL = re.compile(
    r"(?:^|(?<=[.;,\n]))(?P<space>\s{0,8})(?P<label>[^\W\d][\w-]{0,30}(?: [\w-]{1,30}){0,2})"
    r"\s{0,4}:[ \t]{1,4}(?=(?P<said>[^\s:;,.]{1,30}(?: [^\s:;,.]{1,30}){0,3}))"
)


def labels_joined(text: str) -> str:
    """The text with a label before what it makes a name with, and without one before a name.

    Labels that make no name stay, each a sentence of its own, unless they head a form as
    `assets/wordings.yaml` lists them.
    """
    return _LABEL.sub(_joined, text)


def _joined(found: re.Match[str]) -> str:
    space, label = found["space"], found["label"]
    if next(places(label), None):
        return found.group()  # leads as a heading
    words = found["said"].split()
    count = range(len(words) + 1)
    heads = label.casefold() in wordings().labels
    if any(named(" ".join(words[:last])) for last in count[1:]):
        return space if heads else found.group()
    placed = named(label) and next(places(found["said"].removeprefix("in ")), None)
    if placed or any(named(" ".join([label, *words[:last]])) for last in count[1:]):
        return f"{space}{label} "
    if heads and any(named(" ".join(words[i:j])) for i in count[1:] for j in count[i + 1 :]):
        return space  # "Block: no RBBB"
    return found.group()
