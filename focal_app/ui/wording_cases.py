"""Every sentence of the tabs Similar and Search, and of teaching sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focal_app.explore.prompts import group_of
from focal_app.explore.reading import percent

if TYPE_CHECKING:
    from focal_app.explore.gallery import Case
    from focal_app.explore.hits import Hit

SIMILAR_TAB = "Similar cases"
SIMILAR_INTRO = (
    "Cases of the gallery that are like the ECG that is open in Read: as a whole, in one finding, "
    "or in a segment that you mark. The tint shows what matched, in both."
)
BY = "Compare by"
BY_WHOLE, BY_FINDING, BY_SEGMENT = "The whole ECG", "One finding", "A segment"
FINDING = "Finding"
LEAD = "Lead"
FROM_S, TO_S = "From second", "To second"
FIND = "Find similar cases"
YOURS = "Your ECG"
THEIRS = "Case of the gallery"
BEFORE, AFTER = "Previous case", "Next case"
NOT_COMPARED = "Nothing is compared yet."
NO_HITS = "No case of the gallery passes these filters. Loosen them."
STALE = "Another recording or window is open now; compare again."

SEARCH_TAB = "Search and teach"
SEARCH_INTRO = (
    "Say what an ECG should show, in plain words. Abbreviations and synonyms are understood, "
    "“without” and “no” exclude, and “in V1–V3” says where."
)
QUERY = "Show me cases with"
QUERY_PLACEHOLDER = "e.g. atrial fibrillation without LBBB"
SEARCH = "Search"
EXAMPLES_TITLE = "Examples"
EXAMPLES = (
    "RSR' pattern in V1-V3",
    "inverted T waves",
    "low QRS voltages",
    "AF without LBBB",
    "ST elevation in inferior leads",
)
UNDERSTOOD = "Understood as:"
HIDE = "Teaching mode: hide the labels until they are revealed"
REVEAL = "Reveal"
HIDDEN = "Labels hidden"
KEEP, DROP = "Add to set", "Remove from set"
NOT_SEARCHED = "Nothing is searched yet. Try an example."
FILTERS = "Filters"
LABELS = "Labelled"
SEX = "Sex"
ANY, FEMALE, MALE = "Any", "Female", "Male"
YOUNGEST, OLDEST = "Age from", "Age to"
SOURCE = "Source"
SIMULATED_CASES = "Every case is simulated."
SHARED = "Both show"
NOTHING_SHARED = "No labelled finding in common that is likely in both"
LABELLED = "Labels"
NO_LABELS = "no labels"
REPORT = "Report"
EMPTY_SET = "No case is in the set yet. Add some from the list above."

SET = "Teaching set"
SET_INTRO = "Cases that you add lie here. Nothing is kept on the server: save the set, or its link."
SET_TITLE, SET_NOTE = "Title", "Task for the reader"
SET_TITLE_FIRST, SET_NOTE_FIRST = "Teaching set", "What does each ECG show?"
COPY_LINK, COPIED = "Copy link", "Copied"
SAVE_SET = "Save as JSON"
OPEN_SET = "Open a saved set"
WITHOUT_ANSWERS, WITH_ANSWERS = "Worksheet without answers", "Worksheet with answers"
START_SET = "Show the set"
EMPTY_SET_BUTTON = "Empty the set"
OPENED_SET = "Opened from a link or a file; the labels are hidden until you reveal them."
MOST_TOLD = 3
_TELLING = ("infarction", "conduction", "rhythm", "device", "hypertrophy", "st-t", "normal")
_ORDER = {group: place for place, group in enumerate((*_TELLING, "waveform", "technical"))}
LARGE_SET = "Found a file of more than 100 kB; a teaching set is far smaller. Choose another file."


def place(number: int, count: int) -> str:
    """Where in the list the shown case stands."""
    return f"{number} of {count}"


def gallery_line(title: str, count: int, *, simulated: bool) -> str:
    """Which cases are searched."""
    kind = f" {SIMULATED_CASES}" if simulated else ""
    return f"{title}: {count} cases.{kind}"


def patient(case: Case) -> str:
    """What is known of whose recording it is."""
    age = f"{case.age_years} years" if case.age_years is not None else ""
    return ", ".join(filter(None, [age, case.sex or ""])) or "age and sex not known"


def source(case: Case) -> str:
    """Where a case is from, without its citation."""
    return case.source.partition(" (")[0]


def labels(case: Case) -> str:
    """What the source says of a case, the findings before the waveforms behind them."""
    return ", ".join(_telling_first(case)) or NO_LABELS


def headline(case: Case) -> str:
    """The most telling labels of a case, and how many more there are."""
    told = _telling_first(case)
    rest = f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
    return (", ".join(told[:MOST_TOLD]) or NO_LABELS) + rest


def _telling_first(case: Case) -> list[str]:
    return sorted(case.labels, key=lambda tag: _ORDER.get(group_of(tag), len(_ORDER)))


def score(hit: Hit) -> str:
    """How near a case is: a probability where a prompt is involved, else the likeness."""
    if hit.probability is not None:
        return percent(hit.probability)
    return f"{hit.score:.2f}"


def shared(findings: Sequence[str]) -> str:
    """Why a case is similar."""
    return f"{SHARED}: {', '.join(findings)}." if findings else f"{NOTHING_SHARED}."


def term(text: str, probability: float, *, wanted: bool) -> str:
    """One term of a query in one case."""
    return f"{'' if wanted else 'not '}{text}: {percent(probability)}"


def set_count(count: int) -> str:
    """How many cases the set holds."""
    return f"{SET} ({count})"


def set_full(most: int) -> str:
    """A set with no room left."""
    return f"The set holds {most} cases, the most that it may; remove some first."
