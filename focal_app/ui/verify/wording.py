"""Every sentence of the Verify tab."""

from collections.abc import Sequence

from focal_app.explore.reading.zones import (
    NOT_SUPPORTED,
    SUPPORTED,
    UNDECIDED,
    Kept,
    MeasuredZones,
    Zones,
)
from focal_app.explore.report.documents import FROM_SUSPECTED
from focal_app.explore.report.verdicts import NOT_CHECKED, NOT_MEASURED
from focal_app.words.asides import Aside
from focal_app.words.statements import ReportTag

TAB = "Verify"
INTRO = (
    "Paste the report of the ECG that is open in Read. Each of its statements becomes a row: what "
    "the ECG holds of it, and the waveform features that the report leaves out, checked too."
)
REPORT = "Report"
REPORT_PLACEHOLDER = "e.g. Sinus rhythm. Left bundle branch block, no acute ST elevation. PR 160."
READ_REPORT = "Verify this report"
TAKE_FINDINGS = "Take the findings instead"
TABLE = "The report against this ECG"
SAYS, HOLDS = "The report says", "The ECG"
SHOW = "show where"
CHANGE, REWORD, SAVE, REMOVE = "Change", "In other words", "Save", "Remove"
ADD, ADD_HINT = "Add a statement", "“no …” denies it, “possible …” suspects it."
VERDICTS = {
    SUPPORTED: ("Supported", "✓"),
    UNDECIDED: ("Undecided", "?"),
    NOT_SUPPORTED: ("Not supported", "✗"),
    NOT_MEASURED: ("Cannot be measured here", "–"),
    NOT_CHECKED: ("Not checked", "–"),
}
SUMMARY = "In short"
SUMMED = {
    SUPPORTED: "Agrees with",
    UNDECIDED: "Leaves open",
    NOT_SUPPORTED: "Does not agree with",
    NOT_MEASURED: "Cannot measure",
    NOT_CHECKED: "Not checked",
}
WOULD_ADD = "Would add"
ADDED_TITLE = "Not in the report, but supported by this ECG"
PROPOSED_TITLE = "Proposed for the report as a whole"
NOT_CHECKED_TITLE = "Not checked"
ASIDES = {
    "comparison": "compares with an earlier ECG",
    "boilerplate": "says nothing of the ECG",
    "unread": "is {language}, which is not read",
}
NAMED_TOO = "the report names the same finding too, perhaps in other leads or of another time"
MOST_DENIALS = 8
SOURCE = "Features proposed by"
FROM_LEXICON = "The lexicon (offline)"
ZONES = "From which probability on"
ZONES_HELP = "On the probability that Read tells; a measurement can move it by one zone more."
MOVE = "Move the border of what is supported"
THRESHOLD_LABEL = "Supported from"
THRESHOLD_HELP = "Moving it reads nothing again. The publication keeps features from 0.95 on."
ZONES_TABLE = "What the zones mean, measured"
ZONES_HEAD = ("measured on", "supported: right", "of the true", "not supported: right")
ZONES_WHERE = (
    "Right: were half of all statements true, by the model alone. The borders were chosen on other "
    "data than these. No ECG of either was trained on; the real ones helped to fit the curve of "
    "the probabilities."
)
ZONES_UNKNOWN = "Nothing is measured of the zones of this checkpoint."
NOTHING_YET = "Nothing is verified yet. Paste a report above, or take the findings."
DRAWN = {True: "drawn in this ECG: yes", False: "drawn in this ECG: no"}
DRAWN_HINT = (
    "This case is simulated, so that the truth is known: beside each feature stands whether the "
    "drawn waves reach the limits of that name. Broad S waves, say, need not be deep."
)
ENRICHED = "The enriched report"
SAVE_TEXT = "Save as text"
SAVE_JSON = "Save as JSON"
STALE = (
    "Another recording or window is open now: what is dimmed was found in the one before. Verify "
    "again to hold the report against this one."
)
SEND = "Send to the model"
NOT_ASKED = "the language model has not been asked yet"
UNREACHABLE = "the language model gave no answer, so that none could be proposed"
SENT_TITLE = "What will be sent"
SENT_PROMISE = "Neither the ECG, nor the report, nor anything else about the patient is sent."
THEN = "and, with its answer:"
ASKED = "The model was asked with exactly these words."
NO_TAGS = (
    "Found no finding in this report. Write what the ECG shows, such as “Sinus rhythm. Left bundle "
    "branch block.”"
)
NO_LIKELY = "The reading holds no finding of 50 % or more; paste a report instead."
TAG_GONE = "This statement is no longer there; choose another one."
NO_SOURCE = "Found no such source of features; take the lexicon."
NO_SERVER = "No language model is configured here; take the lexicon's features."
NOT_READ = "Open a recording in Read first, and wait until the model has read it."


def tags_many(most: int) -> str:
    """A report with no room left."""
    return f"The report holds {most} statements, the most that it may; remove some first."


def from_model(name: str, host: str) -> str:
    """A language model to choose."""
    return f"{name} at {host}"


def will_be_sent(host: str, model: str) -> str:
    """Where the words below would go."""
    return f"These words go to {host}, for the model {model}:"


def own_words(tag: ReportTag, name: str) -> str:
    """What the report itself wrote, where the row is named otherwise."""
    known = {name.casefold(), tag.tag.casefold()}
    return "" if tag.text.casefold() in known else f"“{tag.text}”"


def counted(verdicts: list[str]) -> str:
    """What became of the features of a statement: "5 features: 3 supported, 2 undecided"."""
    parts = [
        f"{verdicts.count(name)} {name}"
        for name in (SUPPORTED, UNDECIDED, NOT_SUPPORTED)
        if name in verdicts
    ]
    many = "feature" if len(verdicts) == 1 else "features"
    return f"{len(verdicts)} {many}: {', '.join(parts)}"


def beside(*, suspected: bool, drawn: bool | None) -> str:
    """What is known of a proposed feature apart from the model."""
    parts = [FROM_SUSPECTED] if suspected else []
    return "; ".join([*parts, *([] if drawn is None else [DRAWN[drawn]])])


def against(said: tuple[str, ...]) -> str:
    """That what the model would add cannot be beside what the report says."""
    return f"against the report's {', '.join(said)}" if said else ""


def no_feature(why: str) -> str:
    """Why nothing was added."""
    return f"No feature added: {why}."


def in_zones(zones: Zones) -> list[tuple[str, str]]:
    """The zones with their bounds."""
    low, high = f"{100 * zones.low:g} %", f"{100 * zones.high:g} %"
    return [
        (VERDICTS[NOT_SUPPORTED][0], f"below {low}"),
        (VERDICTS[UNDECIDED][0], f"{low} to {high}"),
        (VERDICTS[SUPPORTED][0], f"from {high}"),
    ]


def measured_on(one: MeasuredZones) -> str:
    """Which data, and how much of it."""
    return (
        f"{one.what} ({one.source}: n = {one.recordings}; {one.true:,} true, {one.false:,} false)"
    )


def shares(above: Kept, below: Kept) -> tuple[str, str, str]:
    """Precision and recall of what is supported, and how much of the rest is rightly left out."""
    found = (above.precision, above.true, below.rightly_left_out)
    return _share(found[0]), _share(found[1]), _share(found[2])


def _share(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def aside(one: Aside) -> str:
    """Why a line of the report became no row."""
    return f"“{one.text}” {ASIDES[one.kind].format(language=one.language)}"


def not_understood(words: tuple[str, ...]) -> str:
    """Words beside a statement that nothing is known of."""
    return f"{', '.join(f'“{word}”' for word in words)}: not understood"


def overruled(denied: Sequence[str]) -> str:
    """Denials of what the report names too; of very many the first."""
    named = ", ".join(f"“{one}”" for one in denied[:MOST_DENIALS])
    more = len(denied) - MOST_DENIALS
    return f"{named}{f' and {more} more' if more > 0 else ''}: {NAMED_TOO}"


def no_tags(asides: tuple[Aside, ...]) -> str:
    """A report without a finding, and why its lines are none."""
    return " ".join([NO_TAGS, *(f"{aside(one)}." for one in asides[:3])])
