"""ECG statements: what they are called, what they imply, and where they show.

    from focal_app.lexicon import load_lexicon
    load_lexicon().resolve("LBBB").tag  # "left bundle branch block"

The statements stand in `assets/lexicon.yaml`, by group; the prompt sets of the app in
`assets/prompt_sets.yaml`. Both are checked when they are loaded, and a `LexiconError` lists
every contradiction at once.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from focal_app.errors import LexiconError
from focal_app.strict_yaml import read_yaml, repeated

_ASSETS = Path(__file__).parents[1] / "assets"

GROUPS = (
    "normal",
    "rhythm",
    "conduction",
    "infarction",
    "st-t",
    "hypertrophy",
    "waveform",
    "device",
    "technical",
)
FEATURE_GROUPS = frozenset({"waveform", "st-t", "rhythm"})
"""Groups whose statements describe a form of the signal, so that they may serve as features."""

LONGEST_WORDING = 500
"""Seven times the longest name, for what is written with spaces and accents."""

# The room of the lexicon may not import the room of the signal, which holds the ordered leads.
_LEADS = frozenset(["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"])


@dataclass(frozen=True)
class Statement:
    """One ECG statement; `tag` is its preferred wording and its key everywhere.

    `held_out` are wordings that no tuning sees, kept to measure a tag encoder. `scp` holds
    SCP-ECG codes and the names of PTB-XL's super and sub classes, `cpsc2018` and `csn` the class
    names of these data sets. `excludes` cannot hold at the same time; `opposites` are the mirror
    image (left and right, elevation and depression), must never be taken for each other, and
    may still hold together, as in biventricular hypertrophy or reciprocal ST depression.
    """

    tag: str
    group: str
    description: str
    synonyms: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()
    scp: tuple[str, ...] = ()
    snomed: tuple[str, ...] = ()
    cpsc2018: tuple[str, ...] = ()
    csn: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    opposites: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every wording, the preferred one first and the held-out ones last."""
        return (self.tag, *self.synonyms, *self.abbreviations, *self.held_out)


_TUPLES = tuple(f.name for f in fields(Statement) if f.name not in {"tag", "group", "description"})
_RELATIONS = ("parents", "excludes", "opposites", "features")
_CODES = ("scp", "snomed", "cpsc2018", "csn")


def normalize_name(text: str) -> str:
    """The letters and digits of a wording, without case, accents, spaces or punctuation."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def normalize_code(code: str) -> str:
    """A code without case or outer underscores: published tables write both `NST_` and `NST`."""
    return code.strip().strip("_").upper()


@dataclass(frozen=True)
class Lexicon:
    """All statements by tag, in the order of the file; iterating yields the statements."""

    statements: Mapping[str, Statement]

    def __getitem__(self, tag: str) -> Statement:
        return self.statements[tag]

    def __contains__(self, tag: object) -> bool:
        return tag in self.statements

    def __iter__(self) -> Iterator[Statement]:
        return iter(self.statements.values())

    def __len__(self) -> int:
        return len(self.statements)

    def resolve(self, text: str) -> Statement | None:
        """The statement that a wording names, whatever its case, spaces and punctuation.

        A text of more than `LONGEST_WORDING` characters is no wording.
        """
        # Unicode puts accents in order by insertion: a long run of them takes the square of it.
        return None if len(text) > LONGEST_WORDING else self._by_name.get(normalize_name(text))

    def ancestors(self, tag: str) -> frozenset[str]:
        """Every more general statement that this one implies."""
        return _reach(tag, lambda child: self.statements[child].parents)

    def descendants(self, tag: str) -> frozenset[str]:
        """Every more specific statement that implies this one."""
        return _reach(tag, lambda parent: self._children.get(parent, ()))

    def with_implied(self, tags: Iterable[str]) -> frozenset[str]:
        """Tags and all that they imply; one that is no statement implies nothing."""
        own = frozenset(tags)
        return own.union(*(self.ancestors(tag) for tag in own if tag in self))

    def signs(self, tags: Iterable[str]) -> frozenset[str]:
        """The features by which statements are known, and all that these imply."""
        known = (tag for tag in tags if tag in self)
        return self.with_implied(shown for tag in known for shown in self[tag].features)

    def most_specific(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Those that no other of them implies, in their order."""
        own = tuple(tags)
        implied = {above for tag in own if tag in self for above in self.ancestors(tag)}
        return tuple(tag for tag in own if tag not in implied)

    def exclusions(self, tag: str) -> frozenset[str]:
        """Every statement that cannot hold together with this one.

        What contradicts a statement contradicts all that imply it, on both sides, so the
        relation is symmetric and closed under descent.
        """
        implied = {tag, *self.ancestors(tag)}
        direct = {other for name in implied for other in self.statements[name].excludes}
        return frozenset(direct.union(*(self.descendants(other) for other in direct)))

    def contrasts(self, tag: str) -> frozenset[str]:
        """What must never be taken for this statement: its exclusions and its mirror images."""
        return self.exclusions(tag) | frozenset(self.statements[tag].opposites)

    def of_scp(self, code: str) -> Statement | None:
        """The statement of an SCP-ECG code or of a PTB-XL class; None where it is unknown."""
        return self._by_code["scp"].get(normalize_code(code))

    def of_snomed(self, code: str) -> Statement | None:
        """The statement of a SNOMED CT code; None where it is unknown."""
        return self._by_code["snomed"].get(normalize_code(code))

    @cached_property
    def _by_name(self) -> dict[str, Statement]:
        return {normalize_name(name): statement for statement in self for name in statement.names}

    @cached_property
    def _by_code(self) -> dict[str, dict[str, Statement]]:
        return {
            system: {normalize_code(c): s for s in self for c in getattr(s, system)}
            for system in _CODES
        }

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for statement in self:
            for parent in statement.parents:
                children.setdefault(parent, []).append(statement.tag)
        return children


@dataclass(frozen=True)
class PromptSet:
    """Prompts that are asked together; `labels` are the benchmark's classes, one a prompt."""

    name: str
    title: str
    description: str
    prompts: tuple[str, ...]
    labels: tuple[str, ...] = ()


@cache
def load_lexicon(path: Path | None = None) -> Lexicon:
    """The lexicon of a file, the app's own by default, checked; a `LexiconError` if it is wrong."""
    source = path or _ASSETS / "lexicon.yaml"
    problems: list[str] = []
    statements = _parse_statements(read_yaml(source), problems)
    problems += [problem for check in _CHECKS for problem in check(statements)]
    _refuse(problems, source)
    lexicon = Lexicon(MappingProxyType(_symmetric(statements)))
    _refuse(_contradictions(lexicon), source)
    return lexicon


@cache
def load_prompt_sets(path: Path | None = None) -> Mapping[str, PromptSet]:
    """The prompt sets of a file by name, the app's own by default."""
    source = path or _ASSETS / "prompt_sets.yaml"
    problems: list[str] = []
    raw = read_yaml(source)
    sets = {str(name): _parse_prompt_set(str(name), entry, problems) for name, entry in raw.items()}
    _refuse(problems, source)
    return MappingProxyType(sets)


def _reach(tag: str, neighbours: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """Everything that can be reached from a tag, the tag itself only if it lies on a circle."""
    reached: set[str] = set()
    waiting = list(neighbours(tag))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(neighbours(name))
    return frozenset(reached)


def _refuse(problems: list[str], source: Path) -> None:
    if problems:
        listed = "".join(f"\n- {problem}" for problem in problems)
        raise LexiconError(f"{source.name} holds {len(problems)} problem(s); mend them:{listed}")


def _parse_statements(raw: Mapping[object, object], problems: list[str]) -> dict[str, Statement]:
    statements: dict[str, Statement] = {}
    for group, entries in raw.items():
        if group not in GROUPS:
            problems.append(f"found group {group!r}; it needs one of {', '.join(GROUPS)}")
        if not isinstance(entries, list):
            problems.append(f"group {group!r} holds no list of statements")
            continue
        for number, entry in enumerate(entries, start=1):
            statement = _parse_statement(str(group), number, entry, problems)
            if statement and statement.tag in statements:
                problems.append(f"{statement.tag!r} stands twice; a tag is a key")
            elif statement:
                statements[statement.tag] = statement
    return statements


def _parse_statement(
    group: str, number: int, entry: object, problems: list[str]
) -> Statement | None:
    if not isinstance(entry, dict) or not _is_text(entry.get("tag")):
        problems.append(f"statement {number} of group {group!r} has no tag")
        return None
    tag = entry["tag"]
    if not _is_text(entry.get("description")):
        problems.append(f"{tag!r} has no description")
    unknown = [key for key in entry if key not in {"tag", "description", *_TUPLES}]
    problems += [f"{tag!r} has an unknown field {key!r}" for key in unknown]
    lists = {name: _texts(entry, name, repr(tag), problems) for name in _TUPLES}
    return Statement(tag=tag, group=group, description=str(entry.get("description")), **lists)


def _parse_prompt_set(name: str, entry: object, problems: list[str]) -> PromptSet:
    raw = entry if isinstance(entry, dict) else {}
    where = f"prompt set {name!r}"
    problems += [
        f"{where} has no {key}" for key in ("title", "description") if not _is_text(raw.get(key))
    ]
    classes = raw.get("classes", {})
    pairs = classes if isinstance(classes, dict) else {}
    asked = {"prompts": [*pairs.values()] or raw.get("prompts", []), "labels": [*pairs]}
    prompts, labels = (_texts(asked, key, where, problems) for key in asked)
    if not prompts:
        problems.append(f"{where} has no prompts")
    twice = repeated(normalize_name(prompt) for prompt in prompts)
    problems += [f"{where} asks {text!r} twice" for text in sorted(twice)]
    return PromptSet(name, str(raw.get("title")), str(raw.get("description")), prompts, labels)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(
    entry: Mapping[str, object], key: str, where: str, problems: list[str]
) -> tuple[str, ...]:
    value = entry.get(key, [])
    if isinstance(value, list) and all(_is_text(item) for item in value):
        return tuple(value)
    problems.append(f"{where}: {key} must be a list of texts; put codes and yes/no in quotes")
    return ()


def _shared_names(statements: Mapping[str, Statement]) -> list[str]:
    owners: dict[str, list[str]] = {}
    for tag, statement in statements.items():
        for name in statement.names:
            owners.setdefault(normalize_name(name), []).append(f"{name!r} of {tag!r}")
    shared = [found for found in owners.values() if len(found) > 1]
    return [f"the same name stands more than once: {', '.join(found)}" for found in shared]


def _shared_codes(statements: Mapping[str, Statement]) -> list[str]:
    return [
        f"the {system} code {code!r} belongs to more than one statement"
        for system in _CODES
        for code in sorted(
            repeated(normalize_code(c) for s in statements.values() for c in getattr(s, system))
        )
    ]


def _unknown_references(statements: Mapping[str, Statement]) -> list[str]:
    return [
        f"{tag!r}: {relation} name {other!r}, which is no statement"
        for tag, statement in statements.items()
        for relation in _RELATIONS
        for other in getattr(statement, relation)
        if other not in statements
    ]


def _wrong_leads_and_features(statements: Mapping[str, Statement]) -> list[str]:
    problems: list[str] = []
    for tag, statement in statements.items():
        problems += [f"{tag!r}: found lead {x!r}" for x in statement.leads if x not in _LEADS]
        problems += [
            f"{tag!r}: feature {x!r} is of group {statements[x].group!r}, not of a waveform"
            for x in statement.features
            if x in statements and statements[x].group not in FEATURE_GROUPS
        ]
    return problems


def _circles(statements: Mapping[str, Statement]) -> list[str]:
    parents = {tag: [p for p in s.parents if p in statements] for tag, s in statements.items()}
    circles = [tag for tag in statements if tag in _reach(tag, parents.__getitem__)]
    return [f"{tag!r} is its own ancestor" for tag in circles]


_CHECKS = (_shared_names, _shared_codes, _unknown_references, _wrong_leads_and_features, _circles)


def _symmetric(statements: Mapping[str, Statement]) -> dict[str, Statement]:
    """The statements with exclusions and opposites written on both sides, in file order."""
    result = dict(statements)
    for relation in ("excludes", "opposites"):
        for tag, statement in result.items():
            back = [t for t, s in statements.items() if tag in getattr(s, relation)]
            both = dict.fromkeys([*getattr(statement, relation), *back])
            changed: dict[str, Any] = {relation: tuple(both)}
            result[tag] = replace(statement, **changed)
    return result


def _contradictions(lexicon: Lexicon) -> list[str]:
    """A statement must exclude neither what it implies nor its own waveform features."""
    problems: list[str] = []
    for statement in lexicon:
        implied = {statement.tag, *lexicon.ancestors(statement.tag)}
        excluded = lexicon.exclusions(statement.tag)
        clashes = sorted(excluded & {*implied, *statement.features})
        problems += [f"{statement.tag!r} excludes {x!r}, which it implies" for x in clashes]
    return problems
