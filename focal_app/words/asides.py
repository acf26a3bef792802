"""Lines of a report that state nothing of this ECG: comparisons, boilerplate, other languages."""

import re
from dataclasses import dataclass

from focal_app.words.wordings import wordings

UNREAD = "unread"
_LINE = re.compile(r"[^\n;.!?]+")
_WORD = re.compile(r"[^\W\d_]+")
_TELLING = 7
"""Letters from which on one word gives a language away; of shorter ones it takes two."""
_SCRIPTS = {
    "Russian": re.compile(r"[\u0400-\u04ff]{3}"),
    "Greek": re.compile(r"[\u0370-\u03ff]{3}"),
    "Arabic": re.compile(r"[\u0600-\u06ff]{3}"),
    "Hebrew": re.compile(r"[\u0590-\u05ff]{3}"),
    "Japanese": re.compile(r"[\u3040-\u30ff]{2}"),
    "Korean": re.compile(r"[\uac00-\ud7af]{2}"),
    "Chinese": re.compile(r"[\u4e00-\u9fff]{2}"),
}


@dataclass(frozen=True)
class Aside:
    """What is no statement: its words, its kind, and the language of what is not read."""

    text: str
    kind: str
    language: str = ""


def without_asides(text: str) -> tuple[str, tuple[Aside, ...]]:
    """The text without what is no statement, and that, in its order."""
    found: list[tuple[int, Aside]] = []

    def taken(match: re.Match[str], kind: str, language: str = "") -> str:
        found.append((match.start(), Aside(match.group().strip(), kind, language)))
        return ";" + " " * (len(match.group()) - 1)

    for kind, pattern in wordings().asides.items():
        text = pattern.sub(lambda match, kind=kind: taken(match, kind), text)
    text = _LINE.sub(
        lambda line: (
            taken(line, UNREAD, told) if (told := _language(line.group())) else line.group()
        ),
        text,
    )
    return text, tuple(aside for _, aside in sorted(found, key=lambda one: one[0]))


def _language(sentence: str) -> str:
    """The language of a sentence where it is one that is not read; else empty."""
    for language, letters in _SCRIPTS.items():
        if letters.search(sentence):
            return language
    words = [word.casefold() for word in _WORD.findall(sentence)]
    counts = {name: [w for w in words if w in of] for name, of in wordings().languages.items()}
    language, told = max(counts.items(), key=lambda item: len(item[1]))
    if len(set(told)) > 1 or any(len(word) >= _TELLING for word in told):
        return language
    return ""
