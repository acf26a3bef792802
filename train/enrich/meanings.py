"""What candidate wordings mean: by the grammar of reports, else by the cosine to a statement.

    meanings(model.text, ["AF waveform", "golden spike"], load_lexicon())
    # {"AF waveform": "atrial fibrillation", "golden spike": None}

A cosine counts from the bound on from which 19 of 20 wordings that tuning never saw mean the
statement that they are nearest to (`train.fit.phrases`), and where both name the same leads; what
denies a finding has none. Whatever means no statement stays free text: no candidate of which the
truth is known is like it, so that nothing calibrates its score.
"""

import re
from collections.abc import Collection, Mapping

from focal_app.lexicon import Lexicon
from focal_app.model.text import TagEncoder, embed_tags
from focal_app.words.leads import places
from focal_app.words.proposals import denies, named_in
from train.fit.phrases import measured_bounds

_OTHER_LEAD = re.compile(r"\b(?:V(?:[7-9]|\dR)|D(?:I{1,3}|[1-3])|lead \d)\b", re.IGNORECASE)


def meanings(
    encoder: TagEncoder, wordings: Collection[str], lexicon: Lexicon
) -> dict[str, str | None]:
    """The statement of each wording, with the leads that it names; None for free text."""
    found = {wording: _by_grammar(wording) for wording in wordings}
    unread = (wording for wording, meant in found.items() if meant is None)
    free = sorted(wording for wording in unread if not denies(wording))
    return {**found, **_by_cosine(encoder, free, lexicon)} if free else found


def _by_grammar(wording: str) -> str | None:
    named = named_in(wording)
    return named[0].text if named and len(named) == 1 else None


def _by_cosine(
    encoder: TagEncoder, wordings: list[str], lexicon: Lexicon
) -> Mapping[str, str | None]:
    tags, bounds = list(lexicon.statements), measured_bounds(encoder, lexicon)
    highest, nearest = (embed_tags(encoder, wordings) @ embed_tags(encoder, tags).T).max(-1)
    found: dict[str, str | None] = dict.fromkeys(wordings)
    for wording, cosine, row in zip(wordings, highest, nearest, strict=True):
        tag = tags[int(row)]
        if float(cosine) >= bounds.alike and _leads(wording) == _leads(tag):
            found[wording] = tag
    return found


def _leads(text: str) -> frozenset[str]:
    """The leads that words name; those of another notation or place as they are written."""
    named = (lead for place in places(text) for lead in place.leads)
    return frozenset((*named, *_OTHER_LEAD.findall(text)))
