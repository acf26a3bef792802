"""What an enrichment will cost, before it begins: requests, tokens, and hours once some are asked.

    planned(sets, Generation(), reports=800_000).words(seconds_a_set=1.2)

Tokens are estimated at four letters each, as English has them, and answers at what they usually
take; `most` is what `max_tokens` allows. Every new attempt costs a tag set's tokens again.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from focal_app.llm.prompts import ORGANISE_PROMPT, question
from train.enrich.prompts import Generation

LETTERS_A_TOKEN = 4
USUAL_ANSWERS = (400, 120)
"""Tokens of an answer in prose, and of a list of eight features as JSON."""


@dataclass(frozen=True)
class Costs:
    """Of all tag sets, both prompts each, without new attempts."""

    reports: int
    sets: int
    requests: int
    tokens_in: int
    tokens_out: int
    most_out: int

    def words(self, seconds_a_set: float | None = None) -> str:
        """A line; hours where a set's time is known."""
        said = (
            f"{self.sets:,} tag sets of {self.reports:,} reports: {self.requests:,} requests, "
            f"about {self.tokens_in:,} tokens in and {self.tokens_out:,} out "
            f"(at most {self.most_out:,}), new attempts apart; what is known already costs nothing"
        )
        if seconds_a_set is None:
            return said
        hours = self.sets * seconds_a_set / 3600
        return f"{said}; about {hours:.1f} hours at {seconds_a_set:.2f} s a tag set"


def planned(sets: Collection[Sequence[str]], generation: Generation, *, reports: int) -> Costs:
    """The costs of asking about these tag sets."""
    usual = [min(tokens, generation.max_tokens) for tokens in USUAL_ANSWERS]
    first = [len(question(tags)) // LETTERS_A_TOKEN for tags in sets]
    # The second prompt carries the first with its answer.
    again = len(ORGANISE_PROMPT) // LETTERS_A_TOKEN + usual[0]
    return Costs(
        reports=reports,
        sets=len(first),
        requests=2 * len(first),
        tokens_in=2 * sum(first) + again * len(first),
        tokens_out=sum(usual) * len(first),
        most_out=2 * generation.max_tokens * len(first),
    )
