"""The lexicon in place of a language model: the curated features of every statement.

No model is asked, and candidates say so: their backend is `curated`, their model the lexicon's
fingerprint, so that a changed lexicon is asked anew.
"""

import json
from collections.abc import Iterator, Sequence

from focal_app.lexicon import load_lexicon
from train.data.fingerprint import LEXICON, fingerprint
from train.enrich.backends.protocol import Answer
from train.enrich.prompts import Conversation


class Curated:
    """Answers with the features that the lexicon files under the tags and what they imply."""

    name = "curated"
    at_once = 4096
    varies = False

    def __init__(self) -> None:
        """Read the app's lexicon."""
        self.lexicon = load_lexicon()
        self.model = f"lexicon-{fingerprint(files=[LEXICON])}"

    def answer(self, conversations: Sequence[Conversation]) -> Iterator[Answer]:
        """The features as JSON, to either prompt; an unknown tag has none."""
        for number, conversation in enumerate(conversations):
            yield Answer(number, json.dumps({"features": self._features(conversation.tags)}))

    def _features(self, tags: Sequence[str]) -> list[str]:
        found = filter(None, map(self.lexicon.resolve, tags))
        implied = [name for s in found for name in (s.tag, *sorted(self.lexicon.ancestors(s.tag)))]
        return list(dict.fromkeys(f for name in implied for f in self.lexicon[name].features))
