"""What `assets/wordings.yaml` holds: names beside the lexicon's, words that doubt or deny, and
lines that are no statement.

All are data, so that another wording is a line of a file and no change of the grammar.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from focal_app.errors import LexiconError
from focal_app.lexicon import load_lexicon
from focal_app.strict_yaml import read_yaml

WORDINGS = Path(__file__).parents[2] / "assets" / "wordings.yaml"
READ = ("english", "german")
_WORDS = ("idle", "fill", "adverbs", "seen", "labels", "shortened", "apart")
_PHRASE = r"(?:(?![.:]\s)[^,;\n])*"
"""To the next comma, semicolon, colon, full stop or line."""
_OTHERS = (
    r"(?:(?!\b(?:E[CK]G|findings|befund)\b|\b\w+:\s|,\s(?:now|today|(?:normal\s)?sinus|n?sr)\b)"
    r"[^.;?\n])*\??"
)
"""To the next sentence, label, "now" or sinus rhythm: of what was, or is asked."""


@dataclass(frozen=True)
class Wordings:
    """`names` by language and tag; `asides` and `languages` are looked for before any name."""

    names: Mapping[str, Mapping[str, Sequence[str]]]
    idle: frozenset[str]
    fill: frozenset[str]
    adverbs: frozenset[str]
    seen: frozenset[str]
    labels: frozenset[str]
    shortened: frozenset[str]
    apart: frozenset[str]
    denials: tuple[str, ...]
    late_denials: tuple[str, ...]
    turns: tuple[str, ...]
    hedges: tuple[str, ...]
    hedges_in_text: tuple[str, ...]
    short_forms: Mapping[str, str]
    asides: Mapping[str, re.Pattern[str]]
    languages: Mapping[str, frozenset[str]]


@cache
def wordings() -> Wordings:
    """The file, read once; a `LexiconError` where it names what is no tag."""
    raw = cast(Mapping[str, Any], read_yaml(WORDINGS))
    names = {language: raw[language] for language in READ}
    strangers = [tag for tags in names.values() for tag in tags if tag not in load_lexicon()]
    if strangers:
        raise LexiconError(f"{WORDINGS.name} names no tag of the lexicon: {', '.join(strangers)}")
    return Wordings(
        names=names,
        denials=tuple(raw["denials"]),
        late_denials=tuple(raw["late_denials"]),
        turns=tuple(raw["turns"]),
        hedges=tuple(raw["hedges"]),
        hedges_in_text=tuple(raw["hedges_in_text"]),
        short_forms=raw["short_forms"],
        asides={kind: _any_of(raw[kind]) for kind in ("comparison", "boilerplate")},
        languages={name: frozenset(words) for name, words in raw["languages"].items()},
        **{name: frozenset(raw[name]) for name in _WORDS},
    )


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    written = (
        pattern.replace("***", r"[^\n]*").replace("...", _PHRASE).replace("%%%", _OTHERS)
        for pattern in patterns
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(f'(?:{one})' for one in written)})", re.IGNORECASE)
