"""Every sentence of the Verify tab."""

from focal_app.explore.report.verification import FROM_SUSPECTED
from focal_app.words.asides import Aside
from focal_app.words.numbers import Value

TAB = "Verify"
INTRO = (
    "Reports name diagnoses and leave out the waveform features behind them. Paste the report of "
    "the ECG that is open in Read, or take what was found there: features that its tags make "
    "likely are proposed, and the model says which of them this ECG supports."
)
REPORT = "Report"
REPORT_PLACEHOLDER = "e.g. Sinus rhythm. Left bundle branch block, no acute ST elevation."
READ_REPORT = "Verify this report"
TAKE_FINDINGS = "Take the findings instead"
TAGS = "Tags"
TAGS_HINT = (
    "Change a tag in its place; “no …” denies it and suggests nothing, “possible …” suspects it."
)
TAG_LABEL = "Wording of this tag"
REMOVE_TAG = "Remove"
ADD_TAG = "Add a tag"
UNKNOWN = "not a known ECG term"
MEASUREMENT = "measured value"
CHIP_NOTES = {
    "unknown": UNKNOWN,
    "denied": "denied",
    "suspected": "suspected",
    "value": MEASUREMENT,
}
AGES = {"old": "the report calls it old", "new": "the report calls it new"}
ASIDES = {
    "comparison": "compares with another ECG",
    "boilerplate": "says nothing of the ECG",
    "unread": "is {language}, which is not read",
}
SOURCE = "Features proposed by"
FROM_LEXICON = "The lexicon (offline)"
THRESHOLD_LABEL = "Accept from a probability of"
THRESHOLD_HELP = (
    "The publication uses 0.95. A mark on each bar shows the line; moving it reads nothing again."
)
NOTHING_YET = "Nothing is verified yet. Paste a report above, or take the findings."
ACCEPTED = "Accepted"
REJECTED = "Rejected"
IN_REPORT = "Said by the report"
DRAWN = {True: "drawn in this ECG: yes", False: "drawn in this ECG: no"}
DRAWN_HINT = (
    "This case is simulated, so that the truth is known: beside each feature stands whether the "
    "drawn waves reach the limits of that name. Broad S waves, say, need not be deep."
)
NONE_ACCEPTED = "No proposed feature reaches the threshold on this ECG."
NONE = "None."
NO_FEATURES = "No features are proposed for these tags; change them, or add one."
UNKNOWN_TITLE = "Not known ECG terms"
UNKNOWN_HINT = (
    "The lexicon does not have these words. Words that are no finding of an ECG get no percentage; "
    "the others are scored as typed. None suggests a feature."
)
AFFIRMED = "the report affirms it"
STANCES = {
    "unknown": UNKNOWN,
    "denied": "the report denies it",
    "suspected": "the report suspects it",
}
ENRICHED = "The enriched report"
SAVE_TEXT = "Save as text"
SAVE_JSON = "Save as JSON"
STALE = "Another recording or window is open now; verify again to hold the report against it."
SEND = "Send to the model"
SENT_TITLE = "What will be sent"
SENT_PROMISE = "Neither the ECG, nor the report, nor anything else about the patient is sent."
THEN = "and, with its answer:"
ASKED = "The model was asked with exactly these words."
NO_TAGS = (
    "Found no finding in this report. Write what the ECG shows, such as “Sinus rhythm. Left bundle "
    "branch block.”"
)
NO_LIKELY = "The reading holds no finding of 50 % or more; paste a report instead."
TAG_GONE = "This tag is no longer there; choose another one."
NO_SOURCE = "Found no such source of features; take the lexicon."
NO_SERVER = "No language model is configured here; take the lexicon's features."
NOT_READ = "Open a recording in Read first, and wait until the model has read it."


def tags_many(most: int) -> str:
    """A report with no room left."""
    return f"The report holds {most} tags, the most that it may; remove some first."


def from_model(name: str, host: str) -> str:
    """A language model to choose."""
    return f"{name} at {host}"


def will_be_sent(host: str, model: str) -> str:
    """Where the words below would go."""
    return f"These words go to {host}, for the model {model}:"


def proposed_by(tags: tuple[str, ...], *, suspected: bool) -> str:
    """Why a feature is a candidate, and whether that is doubtful; empty where it is not known."""
    said = [f"suggested by {', '.join(tags)}"] if tags else []
    return "; ".join([*said, *([FROM_SUSPECTED] if suspected else [])])


def held(value: Value | None, measured: float | None, *, agrees: bool | None) -> str:
    """A measured statement of the report against what was measured; empty without a statement."""
    if value is None:
        return ""
    if measured is None:
        return "not measured on this ECG"
    found = f"measured here: {Value(value.name, round(measured), round(measured)).words}"
    return f"{found}, which {'fits' if agrees else 'does not fit'}"


def aside(one: Aside) -> str:
    """Why a line of the report became no tag."""
    return f"“{one.text}” {ASIDES[one.kind].format(language=one.language)}"


def no_tags(asides: tuple[Aside, ...]) -> str:
    """A report without a finding, and why its lines are none."""
    return " ".join([NO_TAGS, *(f"{aside(one)}." for one in asides[:3])])


def count(title: str, number: int) -> str:
    """A heading with how many stand below it."""
    return f"{title} ({number})"
