"""Every sentence of the page that is not printed on the ECG paper itself."""

from collections.abc import Sequence

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.numerals import numeral
from focal_app.ecg.tables.question import SignalTable
from focal_app.explore.reading.reading import Finding, percent
from focal_app.figures.labels import looked, span
from focal_app.figures.places import Place

TITLE = "FOCAL Explorer"
SUBTITLE = "What a language model of the ECG finds in a recording, and where"
DISCLAIMER = "For research and teaching, not for diagnosis"
READ_TAB = "Read"
SIGN_IN = "FOCAL Explorer: for research and teaching, not for diagnosis."
COMPLETE = "Done"
"""What a screen reader says when what was asked for is there."""

CASE = "Simulated case"
UPLOAD = "Upload a recording"
UPLOAD_HELP = (
    "DICOM, XML, SCP-ECG, EDF, MFER, WFDB, CSV or MAT, also zipped, or drop it on the paper. "
    "Deleted from disk at once; names, ids and dates are never kept."
)
ORDINARY = ("Derived ", "Cut the last ")
"""How notes begin that say what was done to a good file, and warn of nothing."""
ASK_RATE = "Samples a second (Hz)"
ASK_UNIT = "Unit of the numbers"
ASK_LEADS = "Leads, in the order of the columns"
ASK_LEADS_HELP = "Between spaces; a hyphen (-) for a column that is no lead, such as the time."
ASK_APPLY = "Read it so"
ASK_GONE = "The numbers of this file are no longer held; upload it again."
SET = "Findings to look for"
RESET = "Reset"
SHOW_PLACE = "show it in 12×1"
MARK_WAVES = "mark the measured waves"
FOCUS = "Focus of the tint"
FOCUS_HELP = (
    "τ says how evenly the model has to look: a small one gathers the tint on the strongest "
    "places. No probability changes."
)
EVEN = "1× is as if every place were looked at equally."
IMPROBABLE = "Improbable: the tint shows only the least unlikely place."
FOCI = {1.0: "Soft (τ 1)", 0.3: "Medium (τ 0.3)", 0.1: "Sharp (τ 0.1)", 0.03: "Finest (τ 0.03)"}
ADD_LABEL = "Look for something else"
ADD_PLACEHOLDER = "e.g. delta wave"
ADD = "Add"
OWN_WORDS = "in your own words: scored as typed"
REWORD = "Wording of this prompt"
SAVE = "Save"
REMOVE = "Remove"

FINDINGS = "Findings"
FINDINGS_HELP = (
    "How probable each is, by the model and what is measured. Choose one to see where it shows."
)
WAITING = "The model is being loaded; the first reading takes a few seconds."
NO_PROMPTS = "Nothing is left to look for. Add a finding below, or reset the list."
NOT_READ = "The model has not read this recording."
MOST_PROBABLE = "Most probable"
READING = "Reading the recording …"
BACK = "Back to the findings"
CHOOSE = "Choose a finding to see where on the ECG it shows."
NUMBERS = "All numbers, by lead and second"
NUMBERS_CAPTION = (
    "How many times as much as on average the model looked; a dash where it did not look"
)
OTHER_LAYOUT = "3×4 shows a quarter of each lead; the 12×1 layout shows all of this."
SIMULATED = "Simulated"
UPLOADED = "Your recording"
YOURS = "Open in Read"
EXPIRED = "This visit has rested for too long and was forgotten. Reload the page to begin again."

BEFORE = "{} requests before yours …"
NEXT = "Yours is the next request …"
WORKING = "Working …"

NO_ROOM = "The server has no room to store the upload. Try again in 60 s, or tell whoever runs it."
PROMPT_EMPTY = "Found no words; name a finding, such as “atrial fibrillation”."
PROMPT_GONE = "This finding is no longer in the list; choose another one."
UNREADABLE = (
    "The file could not be read as an ECG. Choose it as the cardiograph or the archive wrote it, "
    "or export it in another format, such as DICOM or XML."
)
BROKEN = "Something went wrong that nobody foresaw; nothing was changed. Try it again."
NOT_TOLD = "Found a request that the page does not send; nothing was changed. Reload the page."

GROUPS = {
    "normal": "Overall",
    "rhythm": "Rhythm",
    "conduction": "Conduction",
    "infarction": "Infarction",
    "st-t": "ST-T and ischaemia",
    "hypertrophy": "Hypertrophy and enlargement",
    "waveform": "Waveform",
    "device": "Pacemaker",
    "technical": "Signal quality",
}
OWN_GROUP = "Your own wording"


def prompt_long(found: int, most: int) -> str:
    """A prompt longer than the model could take in."""
    return f"Found {found} characters; a prompt may have {most}. Name one finding at a time."


def prompt_twice(text: str) -> str:
    """A prompt that is in the list already."""
    return f"“{text}” is in the list already; choose it there, or word this one differently."


def prompts_many(most: int) -> str:
    """A list that has no room left."""
    return f"The list holds {most} prompts, the most that it may; remove some first."


def still_showing(title: str) -> str:
    """What the page goes on showing after an upload that was refused; no title is an upload."""
    return f"Your upload was not opened. Still showing {_from_before(title)}."


def _from_before(title: str) -> str:
    return f"“{title}”" if title else "the recording from before"


def too_large(most_mb: float) -> str:
    """A file that is refused before it is sent; the page puts its megabytes for the braces."""
    return (
        f"Found a file of {{}} MB; at most {most_mb:g} MB is read, half an hour of 12 leads at "
        "500 Hz. Cut out the part of interest (10 s are enough), export that, and upload it."
    )


def busy(waiting: int, retry_s: int) -> str:
    """A line that has no room left."""
    return f"Busy: {waiting} requests are waiting. Nothing was changed; try again in {retry_s} s."


def busy_visit(waiting: int, retry_s: int) -> str:
    """A visitor who asks faster than can be answered."""
    return f"Busy: {waiting} of your requests are still waiting. Try again in {retry_s} s."


def busy_working(retry_s: int) -> str:
    """A server that is still at work on what took too long."""
    return f"Busy with earlier requests; nothing was changed. Try again in {retry_s} s."


def late(limit_s: float) -> str:
    """An answer that did not come in time."""
    return (
        f"No answer within {limit_s:g} s, the most that one request may take; nothing was changed. "
        "Try again in a moment, or ask for less at a time."
    )


def asked(table: SignalTable, still: str) -> str:
    """What a table of mere numbers holds, that the form is a guess, and which case is shown."""
    columns, rows = table.values.shape
    column = "column" if columns == 1 else "columns"
    return (
        f"This {table.format} file holds {columns} {column} of {rows:,} numbers, and does not say "
        "for certain what they are. Below is a guess from what it holds: check it, fill in what is "
        f"missing, and then read it. Until then the page shows {_from_before(still)}."
    )


def ask_missing(missing: Sequence[str]) -> str:
    """Answers that the form still lacks."""
    return f"Fill in {' and '.join(missing)}; without it the recording cannot be drawn to scale."


def not_read(why: str) -> str:
    """A recording that is drawn, and not read by the model."""
    return f"Drawn, but not read by the model: {why}"


def cardiograph_says(statements: Sequence[str]) -> str:
    """The words of the cardiograph's own program, apart from what the model finds."""
    return f"The cardiograph's own statements: {'; '.join(statements)}"


def facts(ecg: CompleteECG) -> list[str]:
    """What is known of a recording, a few words each."""
    source = ecg.source
    known = [f"{source.age_years} years" if source.age_years is not None else "", source.sex or ""]
    recorded = f"{len(ecg.recorded)} leads" if len(ecg.recorded) != 1 else "1 lead"
    length, rate = f"{ecg.duration_s:.1f} s", f"{ecg.sampling_rate_hz:g} Hz"
    kind = "" if source.format == "WFDB" else source.format
    filters = f"filtered: {', '.join(source.filters)}" if source.filters else ""
    cart = (kind, source.device or "", filters)
    return [fact for fact in (*known, recorded, length, rate, *cart) if fact]


def lead_span(leads: Sequence[str]) -> str:
    """`V1–V3` for neighbours, a list otherwise."""
    if len(leads) > 2:
        return f"{leads[0]}–{leads[-1]}"
    return " and ".join(leads)


def place(found: Place, *, hidden: Sequence[str] = ()) -> str:
    """Where a heatmap stands out: leads, seconds, how much, and what the paper leaves out."""
    where = f"{lead_span(found.leads)}, {span(found.start_s, found.end_s)}"
    part = "" if len(hidden) == len(found.leads) else f"{lead_span(hidden)} "
    missing = f" ({part}not on this layout)" if hidden else ""
    return f"{where}: {looked(found.share)}{missing}"


def places_title(finding: Finding) -> str:
    """What the tint is about."""
    return f"Where the model looks for “{finding.prompt}” ({percent(finding.probability)})"


def nearly_even(greatest: float, *, sharper: bool) -> str:
    """A heatmap that points nowhere; `sharper` where the dial has not reached its end."""
    found = (
        "Spread nearly evenly: nowhere did the model look more than "
        f"{greatest:.2f} times as much as on average."
    )
    return f"{found} A sharper focus may bring one out." if sharper else found


def by_lead(shares: Sequence[tuple[str, float]]) -> str:
    """The leads with the most weight over the whole window."""
    listed = ", ".join(f"{lead} {share:.1f}×" for lead, share in shares[:4])
    return f"By lead: {listed}. {EVEN}"


def read_as(prompt: str, scored: str) -> str:
    """Which words were scored in place of a prompt's; empty where they are the same."""
    return "" if scored.casefold() == prompt.casefold() else f"read as {scored}"


def usually_in(leads: Sequence[str]) -> str:
    """Where textbooks look for a finding."""
    return f"Usually looked for in {', '.join(leads)}."


def looks_elsewhere(usual: Sequence[str], most: Sequence[str]) -> str:
    """That the tint is not where textbooks look."""
    return (
        f"Differs from where a reader looks: usually {', '.join(usual)}; the model looked most at "
        f"{', '.join(most)}."
    )


def measured_too(measured: str) -> str:
    """What the whole recording holds of a finding, beside where the model looked."""
    return f"Measured over all beats, beside where the model looked: {measured}."


def similarity(value: float) -> str:
    """The raw score behind a probability."""
    return f"Similarity {numeral(value, '+.2f')} (from −1 to 1)"
