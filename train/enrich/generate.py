"""Candidate features of every distinct tag set: asked once, kept, parsed, normalised.

    enrich(shards.tags, Curated(), out=Path("runs/embedded/candidates"))

A tag set is asked both prompts, the second after the answer to the first. An answer that holds no
list is asked for again with another seed, up to `attempts` times, and then recorded as malformed.
Records are counted, never dropped: those without tags, malformed and empty sets are in the report.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tqdm import tqdm

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.llm.answers import parse_features
from train.enrich.backends.protocol import Answer, Backend, BackendError
from train.enrich.cache import Answers, key_of
from train.enrich.candidates import Candidate, write_candidates
from train.enrich.normalise import Features, normalise
from train.enrich.prompts import Conversation, Generation, begin, organise, prompt_hash
from train.enrich.report import Report, Tally, summarised

ANSWERS = "answers.jsonl"

TagSet = tuple[str, ...]
"""Distinct tags in alphabetical order: equal sets are equal values."""


@dataclass(frozen=True)
class Outcome:
    """Both answers about a tag set, and the features they list; None if they list none."""

    raw: tuple[str, ...]
    said: tuple[str, ...] | None


def enrich(
    tags: Iterable[Iterable[str]],
    backend: Backend,
    *,
    out: Path,
    generation: Generation | None = None,
    attempts: int = 3,
) -> Report:
    """Ask for the features of every distinct tag set among the records, and write candidates.

    `tags` are those of each record. Whatever `out` knows already is not asked again, so a run that
    was stopped goes on where it was; the order of the records changes nothing.
    """
    if attempts < 1:
        raise ConfigError(f"found {attempts} attempts; needed at least 1")
    started, generation = time.monotonic(), generation or Generation()
    reports = distinct_sets(tags)
    sets = sorted(found for found in reports if found)
    prompts = prompt_hash(generation)
    with Answers.open(out / ANSWERS) as answers:
        asking = Asking(backend, answers, generation, Tally())
        outcomes = asking.outcomes(sets, attempts)
    made = [_candidate(found, outcomes[found], backend, prompts) for found in sets]
    report = summarised(
        [candidate for candidate, _ in made],
        [features for _, features in made],
        reports,
        asking.tally,
        seconds=time.monotonic() - started,
    )
    settings = {"generation": asdict(generation), "attempts": attempts}
    labels = {"backend": backend.name, "model": backend.model, "prompt_hash": prompts}
    write_candidates(out, [c for c, _ in made], {**labels, **settings, **asdict(report)})
    return report


def distinct_sets(tags: Iterable[Iterable[str]]) -> Counter[TagSet]:
    """How many records have each tag set; whatever the order of tags, equal sets are one."""
    return Counter(tuple(sorted(set(found))) for found in tags)


@dataclass(frozen=True)
class Asking:
    """A backend, and what it is known to have answered."""

    backend: Backend
    answers: Answers
    generation: Generation
    tally: Tally

    def outcomes(self, sets: Sequence[TagSet], attempts: int) -> dict[TagSet, Outcome]:
        """Both answers about every tag set, in blocks of what the backend takes at once."""
        outcomes: dict[TagSet, Outcome] = {}
        with tqdm(total=len(sets), unit=" tag sets", desc=self.backend.name) as bar:
            for block in _blocks(sets, self.backend.at_once):
                outcomes |= self._block(block, attempts)
                bar.update(len(block))
        return outcomes

    def _block(self, block: Sequence[TagSet], attempts: int) -> dict[TagSet, Outcome]:
        outcomes: dict[TagSet, Outcome] = {}
        for attempt in range(attempts):
            open_sets = [s for s in block if s not in outcomes or outcomes[s].said is None]
            self.tally.retried += len(open_sets) if attempt else 0
            outcomes |= self._attempt(open_sets, attempt)
        return outcomes

    def _attempt(self, sets: Sequence[TagSet], attempt: int) -> dict[TagSet, Outcome]:
        seed = self.generation.seed
        first = self._ask([begin(tags, seed=seed, attempt=attempt) for tags in sets])
        heard = [(asked, answer) for asked, answer in first if not answer.refused]
        second = self._ask([organise(asked, answer.text) for asked, answer in heard])
        outcomes = {asked.tags: Outcome((answer.text,), None) for asked, answer in first}
        for (_, before), (asked, answer) in zip(heard, second, strict=True):
            said = None if answer.refused else parse_features(answer.text)
            outcomes[asked.tags] = Outcome((before.text, answer.text), said)
        return outcomes

    def _ask(self, asked: Sequence[Conversation]) -> list[tuple[Conversation, Answer]]:
        """Every conversation with its answer; only those that are not known are asked."""
        keys = [key_of(one, self.backend, prompt_hash(self.generation)) for one in asked]
        refused: dict[str, Answer] = {}
        pairs = list(zip(keys, asked, strict=True))
        new = {key: one for key, one in pairs if key not in self.answers.texts}
        for key, answer in self._answered(new):
            if answer.refused:
                refused[key] = answer
            else:
                self.answers.put(key, answer.text)
        self.tally.calls += len(new)
        self.tally.refused += len(refused)
        self.tally.known += len(asked) - len(new)
        self._refuse_if_nothing_works(refused)
        texts = self.answers.texts
        return [(one, refused.get(key) or Answer(0, texts[key])) for key, one in pairs]

    def _refuse_if_nothing_works(self, refused: dict[str, Answer]) -> None:
        """One refusal concerns one tag set; nothing but refusals a wrong model or setting."""
        if refused and not self.tally.known and self.tally.refused == self.tally.calls:
            said = next(iter(refused.values())).text
            raise BackendError(
                f"{self.backend.name} refused every request: {said}. Check the address and the "
                "model; a server that knows no `chat_template_kwargs` needs --thinking."
            )

    def _answered(self, new: dict[str, Conversation]) -> Iterator[tuple[str, Answer]]:
        waiting = dict(enumerate(new))
        for answer in self.backend.answer(list(new.values())) if new else ():
            yield waiting.pop(answer.number), answer
        if waiting:
            raise BackendError(
                f"{self.backend.name} gave {len(new) - len(waiting)} answers to {len(new)} "
                "questions; one each is needed. They are kept: run the same command again."
            )


def _candidate(
    tags: TagSet, outcome: Outcome, backend: Backend, prompts: str
) -> tuple[Candidate, Features]:
    features = normalise(outcome.said or (), tags=tags, lexicon=load_lexicon())
    status = "malformed" if outcome.said is None else "ok" if features.kept else "empty"
    candidate = Candidate(
        tags=tags,
        features=features.kept,
        known=features.known,
        contradictory=features.contradictory,
        status=status,
        backend=backend.name,
        model=backend.model,
        prompt_hash=prompts,
        raw=outcome.raw,
    )
    return candidate, features


def _blocks(sets: Sequence[TagSet], size: int) -> Iterator[Sequence[TagSet]]:
    return (sets[begin : begin + size] for begin in range(0, len(sets), size))
