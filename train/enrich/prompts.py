"""A conversation with a language model: the paper's two prompts about a tag set, and the settings.

    begin(("atrial fibrillation", "left bundle branch block"), Generation())   # the first prompt
    organise(conversation, "P waves are absent, ...")                    # and the second

A conversation depends on the tag set alone: tags are sorted, and the seed comes from the set.
"""

import hashlib
import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace

from focal_app.errors import ConfigError
from focal_app.llm.prompts import ORGANISE_PROMPT, PROMPTS, SCHEMA, question

AGAIN_TEMPERATURE, AGAIN_TOP_P = 0.7, 0.8
"""The least that a new attempt is drawn with: at temperature 0 the answer would be the same."""


@dataclass(frozen=True)
class Generation:
    """How an answer is drawn; Qwen3's advice for answers without thinking is the default.

    With `thinking`, nothing is said about it and the model's own default holds, which for Qwen3 is
    to think first; without, the chat template is told not to.
    """

    temperature: float = 0.7
    top_p: float = 0.8
    max_tokens: int = 1024
    seed: int = 0
    thinking: bool = False

    def __post_init__(self) -> None:
        """Refuse what no model can draw with."""
        if self.temperature < 0 or not 0 < self.top_p <= 1 or self.max_tokens < 1:
            raise ConfigError(
                f"found temperature {self.temperature:g}, top-p {self.top_p:g} and "
                f"{self.max_tokens} tokens; needed temperature >= 0, top-p in (0, 1] and at "
                "least 1 token"
            )

    @property
    def template(self) -> dict[str, bool]:
        """Arguments of the model's chat template."""
        return {} if self.thinking else {"enable_thinking": False}

    def of_attempt(self, attempt: int) -> "Generation":
        """How this attempt is drawn: the first as asked for, later ones not always alike."""
        if not attempt:
            return self
        warm, wide = max(self.temperature, AGAIN_TEMPERATURE), max(self.top_p, AGAIN_TOP_P)
        return replace(self, temperature=warm, top_p=wide)


@dataclass(frozen=True)
class Conversation:
    """Texts of user and assistant in turn, user first; `structured` asks for JSON by `SCHEMA`."""

    tags: tuple[str, ...]
    texts: tuple[str, ...]
    seed: int
    temperature: float
    top_p: float
    structured: bool = False

    @property
    def messages(self) -> list[dict[str, str]]:
        """The texts as OpenAI's protocol words them."""
        roles = ("user", "assistant")
        return [{"role": roles[i % 2], "content": text} for i, text in enumerate(self.texts)]


def begin(tags: Collection[str], generation: Generation, *, attempt: int = 0) -> Conversation:
    """The first prompt about a tag set; every attempt draws with another seed."""
    ordered, drawn = tuple(sorted(set(tags))), generation.of_attempt(attempt)
    seed = _seed_of(ordered, generation.seed, attempt)
    return Conversation(ordered, (question(ordered),), seed, drawn.temperature, drawn.top_p)


def organise(asked: Conversation, answer: str) -> Conversation:
    """The second prompt, after the answer to the first."""
    return replace(asked, texts=(*asked.texts, answer, ORGANISE_PROMPT), structured=True)


def prompt_hash(generation: Generation) -> str:
    """Content hash of the prompts, the schema and the settings."""
    return digest(PROMPTS, SCHEMA, asdict(generation))[:16]


def digest(*parts: object) -> str:
    """SHA-256 of plain values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _seed_of(tags: tuple[str, ...], seed: int, attempt: int) -> int:
    """A seed below 2**31, as every server takes it."""
    return int(digest(tags, seed, attempt)[:8], 16) >> 1
