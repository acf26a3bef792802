"""Every sentence of the tabs Similar and Search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focal_app.ecg.leads import listed
from focal_app.explore.cases.label_order import most_telling, telling_first
from focal_app.explore.reading.reading import percent

if TYPE_CHECKING:
    from focal_app.explore.cases.gallery import Facts
    from focal_app.explore.cases.reasons import Reasons

SIMILAR_TAB = "Similar cases"
SIMILAR_INTRO = (
    "Cases of the gallery that are like the ECG that is open in Read: as a whole, in one finding, "
    "or in a segment that you mark."
)
BY = "Compare by"
BY_WHOLE, BY_FINDING, BY_SEGMENT = "The whole ECG", "One finding", "A segment"
FINDING = "Finding"
LEAD = "Lead"
FROM_S, TO_S = "From second", "To second"
MARK_HELP = (
    "Drag along a lead of your ECG to mark a segment, by mouse or finger, or tap a second. By "
    "keys, with the ECG focused: ← → move it by half a second, ↑ ↓ change the lead, Shift with "
    "← → moves its end."
)
NO_LEAD = "found no lead; choose the one in which your segment lies."
FIND = "Find similar cases"
THEIRS = "Case of the gallery"
BEFORE, AFTER = "Previous case", "Next case"
NOT_A_TERM = "no known term, no percentage"
NOT_COMPARED = "Nothing is compared yet."
NO_HITS = "No case of the gallery passes these filters. Loosen them."
OLD_COMPARISON = "The cases below are those of the comparison before. Press “Find similar cases”."
OLD_SEARCH = "The cases below answer the search before."
STALE = "Another recording or window is open now; compare again."

SEARCH_TAB = "Search"
SEARCH_INTRO = (
    "Say what an ECG should show, in plain words. Abbreviations and synonyms are understood, "
    "“without” and “no” exclude, “in V1–V3” says where, and “QRS > 140 ms”, “rate over 120” or "
    "“women over 60” filter."
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
ONLY_LABELLED = "Only cases that are labelled so"
LABELLED_SO, NOT_LABELLED_SO = "labelled so", "not labelled so"
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
REAL_CASES = "Real ECGs instead"
REAL_CASES_HOW = (
    "Whoever runs this page can fetch 500 open recordings of PTB-XL (CC BY 4.0) from PhysioNet, "
    "once, and open them. Nothing is fetched otherwise, and never by the page."
)
REAL_CASES_BUILD = "python -m focal_app gallery build --source ptb-xl --download --cases 500"
REAL_CASES_OPEN = "FOCAL_GALLERY=galleries/ptb-xl python app.py"
SHARED = "Likely in yours and labelled in this case"
SHARED_UNLABELLED = "Likely in both (this case has no labels)"
NOTHING_SHARED = "No label of this case is a finding that is likely in your ECG"
ALIKE, DIFFERS = "Measured alike (yours first)", "Differs"
MATCHED = "The tint shows the patches that matched."
LIKENESS_SHOWN = (
    "At the right: how many of 100 random pairs of this gallery’s cases are less alike; 50 is "
    "chance. It is no probability."
)
PROBABILITY_SHOWN = "At the right: how probable it is that the case shows what was asked."
LABELLED = "Labels"
NO_LABELS = "no labels"
REPORT = "Report"
TRAINED = (
    "The model was trained on ECGs of this patient: what it finds here, and that it finds this "
    "case at all, proves nothing."
)
TRAINED_BRIEF = "the model was trained on this patient"
TO_SET = "Go to the set"
MOST_TOLD = 3


def place(number: int, count: int) -> str:
    """Where in the list the shown case stands."""
    return f"{number} of {count}"


def gallery_line(title: str, count: int, *, simulated: bool) -> str:
    """Which cases are searched."""
    kind = f" {SIMULATED_CASES}" if simulated else ""
    return f"{title}: {count} cases.{kind}"


def patient(known: Facts) -> str:
    """What is known of whose recording it is."""
    age = f"{known.age_years} years" if known.age_years is not None else ""
    return ", ".join(filter(None, [age, known.sex or ""])) or "age and sex not known"


def source(known: Facts) -> str:
    """Where a case is from, without its citation."""
    return known.source.partition(" (")[0]


def licence(known: Facts) -> str:
    """Under what a case may be used, so that it reads as that."""
    return f"licence {known.licence}" if known.licence else ""


def labels(known: Facts) -> str:
    """What the source says of a case, the findings before the waveforms behind them."""
    return ", ".join(telling_first(known.labels)) or NO_LABELS


def headline(known: Facts) -> str:
    """The most telling labels of a case, and how many more there are."""
    return most_telling(known.labels, MOST_TOLD) or NO_LABELS


def shared(findings: Sequence[str], *, labelled: bool) -> str:
    """Why a case is similar."""
    if not findings:
        return f"{NOTHING_SHARED}."
    return f"{SHARED if labelled else SHARED_UNLABELLED}: {', '.join(findings)}."


def told_apart(found: Reasons | None) -> str:
    """What was measured alike in both, and what tells them apart."""
    if found is None:
        return ""
    alike = f" {ALIKE}: {', '.join(found.alike)}." if found.alike else ""
    differs = f" {DIFFERS}: {', '.join(found.differs)}." if found.differs else ""
    return f"{alike}{differs}"


def finding_in_case(finding: str, probability: float) -> str:
    """The finding by which was compared."""
    return f"{finding}: {percent(probability)} in this case."


def ordered_by(finding: str) -> str:
    """What the figures of a comparison by one finding are."""
    return f"At the right: how probable {finding} is. Ordered by that and by how alike it shows."


def looked_for(finding: str) -> str:
    """What the tint of one finding shows."""
    return f"The tint shows where the model looks for {finding}."


def outlined(lead: str, start_s: float, end_s: float, *, even: bool) -> str:
    """What the frames and the tint of a compared segment show."""
    tint = (
        f"All of its {lead} matched about alike"
        if even
        else f"The tint shows what in {lead} matched"
    )
    return (
        f"The frame in your ECG is your segment, {lead} from {start_s:g} to {end_s:g} s; that in "
        f"the case is the lead in which it was looked for. {tint}; no other lead took part."
    )


def only_in(leads: list[str]) -> str:
    """Where alone a term was looked for."""
    return f"Only {listed(leads)} took part."


def term(text: str, probability: float | None, *, wanted: bool) -> str:
    """One term of a query in one case; one that is no known term has no probability."""
    known = NOT_A_TERM if probability is None else percent(probability)
    return f"{'' if wanted else 'not '}{text}: {known}"


def labelled_so(labelled: bool | None) -> list[str]:
    """Whether the labels of a case say what was searched for, where they can tell."""
    return [] if labelled is None else [LABELLED_SO if labelled else NOT_LABELLED_SO]


def in_set(count: int) -> str:
    """How many cases the set of the Teach tab holds."""
    return f"{count or 'No'} {'case' if count == 1 else 'cases'} in your set."
