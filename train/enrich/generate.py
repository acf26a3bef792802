"""Candidate features of every distinct tag set: asked once, kept, parsed, sorted by meaning.

    enrich(shards.tags, Curated(), out=Path("runs/embedded/candidates"))

A tag set is asked both prompts, the second after the answer to the first. Where that brings no
list, an empty one or one of nothing new, it is asked again with another seed, and never at
temperature 0, up to `attempts` times; then it is recorded as what it is. Records are counted, never
dropped. Answers lie on the disk as they come, candidates after every block of tag sets.
"""

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from focal_app.errors import ConfigError
from focal_app.llm.answers import parse_features
from focal_app.words.proposals import Proposals, proposals
from train.enrich.backends.protocol import Answer, Backend, BackendError
from train.enrich.cache import Answers, key_of
from train.enrich.candidates import Candidate, CandidateFiles, Status
from train.enrich.costs import Costs, planned
from train.enrich.prompts import Conversation, Generation, begin, organise, prompt_hash
from train.enrich.report import Report, Summing, Tally

ANSWERS = "answers.jsonl"
OFTEN = 0.5
"""A share of tag sets for which nothing is proposed that asks for a word of warning."""
log = logging.getLogger(__name__)

TagSet = tuple[str, ...]
"""Distinct tags in alphabetical order: equal sets are equal values."""


@dataclass(frozen=True)
class Outcome:
    """Both answers about a tag set, and what they propose; None where they hold no list."""

    raw: tuple[str, ...]
    found: Proposals | None

    @property
    def status(self) -> Status:
        """How the tag set is recorded."""
        if self.found is None:
            return "malformed"
        outcome = self.found.outcome
        return "ok" if outcome == "features" else outcome

    @property
    def wanting(self) -> bool:
        """Whether another attempt may bring more; free text is an answer, if not a useful one."""
        return self.status not in ("ok", "free text")


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
    prompts, summing = prompt_hash(generation), Summing(reports)
    with Answers.open(out / ANSWERS) as answers, _bar(backend, len(sets)) as bar:
        asking = Asking(backend, answers, generation, bar)
        files = CandidateFiles(out)
        for block in _blocks(sets, backend.at_once):
            outcomes = asking.outcomes(block, attempts)
            made = [_candidate(one, outcomes[one], backend, prompts) for one in block]
            files.add(made)
            summing.add(made, [outcomes[one].found for one in block])
    report = summing.report(asking.tally, seconds=time.monotonic() - started)
    _warn(report)
    settings = {"generation": asdict(generation), "attempts": attempts}
    labels = {"backend": backend.name, "model": backend.model, "prompt_hash": prompts}
    files.finish({**labels, **settings, **asdict(report)})
    return report


def costs(tags: Iterable[Iterable[str]], generation: Generation) -> Costs:
    """What asking about all these records will cost."""
    reports = distinct_sets(tags)
    return planned([one for one in reports if one], generation, reports=reports.total())


def estimate(
    tags: Iterable[Iterable[str]],
    backend: Backend,
    asked: int,
    *,
    out: Path,
    generation: Generation,
    attempts: int = 3,
) -> str:
    """The costs of a run, after `asked` of its tag sets are asked and timed; none is, with 0."""
    reports = distinct_sets(tags)
    sets = sorted(one for one in reports if one)
    expected = planned(sets, generation, reports=reports.total())
    if not asked or not sets:
        return expected.words()
    started, sample = time.monotonic(), sets[:: max(len(sets) // asked, 1)][:asked]
    with Answers.open(out / ANSWERS) as answers, _bar(backend, len(sample)) as bar:
        asking = Asking(backend, answers, generation, bar)
        for block in _blocks(sample, backend.at_once):
            asking.outcomes(block, attempts)
    if not asking.tally.calls:
        raise ConfigError(
            f"all of the {len(sample)} tag sets were asked before, which takes no time; give "
            "--estimate a larger number, or run it"
        )
    return expected.words((time.monotonic() - started) / len(sample))


def distinct_sets(tags: Iterable[Iterable[str]]) -> Counter[TagSet]:
    """How many records have each tag set; whatever the order of tags, equal sets are one."""
    return Counter(tuple(sorted(set(found))) for found in tags)


def _bar(backend: Backend, sets: int) -> "tqdm[Any]":
    """Counts answers, not tag sets: the first of these is complete only after many answers."""
    return tqdm(total=2 * sets, unit=" answers", desc=backend.name)


def _warn(report: Report) -> None:
    if report.none_proposed + report.malformed > OFTEN * max(report.distinct_sets, 1):
        log.warning(
            "%d of %d tag sets have no proposal and %d no list, after %d new attempts. Look at "
            "`raw` of candidates-00000.jsonl; a server that forbids whitespace in JSON "
            "(disable_any_whitespace) answers so, and so does a model that is too small",
            *(report.none_proposed, report.distinct_sets, report.malformed, report.retried),
        )


@dataclass(frozen=True)
class Asking:
    """A backend, and what it is known to have answered."""

    backend: Backend
    answers: Answers
    generation: Generation
    bar: "tqdm[Any]"
    tally: Tally = field(default_factory=Tally)

    def outcomes(self, block: Sequence[TagSet], attempts: int) -> dict[TagSet, Outcome]:
        """Both answers about every tag set of a block."""
        outcomes = self._attempt(block, 0)
        for attempt in range(1, attempts if self.backend.varies else 1):
            again = [one for one in block if outcomes[one].wanting]
            self.tally.again.update(outcomes[one].status for one in again)
            self.bar.total = (self.bar.total or 0) + 2 * len(again)
            outcomes |= self._attempt(again, attempt)
        return outcomes

    def _attempt(self, sets: Sequence[TagSet], attempt: int) -> dict[TagSet, Outcome]:
        first = self._ask([begin(tags, self.generation, attempt=attempt) for tags in sets])
        heard = [(asked, answer) for asked, answer in first if not answer.refused]
        self.bar.update(len(first) - len(heard))  # a refused one is asked no second question
        second = self._ask([organise(asked, answer.text) for asked, answer in heard])
        outcomes = {asked.tags: Outcome((answer.text,), None) for asked, answer in first}
        for (_, before), (asked, answer) in zip(heard, second, strict=True):
            said = None if answer.refused else parse_features(answer.text)
            found = None if said is None else proposals(said, asked.tags)
            outcomes[asked.tags] = Outcome((before.text, answer.text), found)
        return outcomes

    def _ask(self, asked: Sequence[Conversation]) -> list[tuple[Conversation, Answer]]:
        """Every conversation with its answer; only those that are not known are asked."""
        keys = [key_of(one, self.backend, prompt_hash(self.generation)) for one in asked]
        refused: dict[str, Answer] = {}
        pairs = list(zip(keys, asked, strict=True))
        new = {key: one for key, one in pairs if key not in self.answers.texts}
        self.bar.update(len(asked) - len(new))
        for key, answer in self._answered(new):
            if answer.refused:
                refused[key] = answer
            else:
                self.answers.put(key, answer.text)
            self.bar.update()
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


def _candidate(tags: TagSet, outcome: Outcome, backend: Backend, prompts: str) -> Candidate:
    found = outcome.found or Proposals()
    return Candidate(
        tags=tags,
        status=outcome.status,
        features=found.features,
        contradictory=found.contradictory,
        echoes=found.echoes,
        apart=found.apart,
        backend=backend.name,
        model=backend.model,
        prompt_hash=prompts,
        raw=outcome.raw,
    )


def _blocks(sets: Sequence[TagSet], size: int) -> Iterator[Sequence[TagSet]]:
    return (sets[begin : begin + size] for begin in range(0, len(sets), size))
