"""Every word that is printed around the ECG and its findings."""

from focal_app.ecg.measurement_names import Named
from focal_app.ecg.numerals import numeral
from focal_app.explore.reading.document import NOTICE, record_document
from focal_app.explore.reading.prompts import read_as
from focal_app.explore.reading.reading import Finding, Reading, percent
from focal_app.figures.labels import span

TITLE = "FOCAL Explorer: reading of a 12-lead ECG"
FINDINGS = "Findings, and how probable"
LIKELY = "Most probable"
MEASURED, PACING, EARLY_BEATS = "Measured (estimated)", "Pacing", "Early beats"
DEVICE_SAYS = "The device says (not checked)"
WARNINGS = "About the recording"
NO_WARNING = "Nothing to mind was found."
ROMANISED = (
    "Some words hold letters that the font of this document lacks; they are written in Latin."
)
IMPROBABLE = "Improbable: the tint shows only the least unlikely place."
HOW = "Each finding is judged on its own. The tint says where the model looked, not why."


def facts(reading: Reading) -> str:
    """What is known of the recording, and what of it was read."""
    known = record_document(reading.record)
    age, sex = known["age_years"], known["sex"]
    said = [
        *([] if age is None else [f"{age} years"]),
        *([] if sex is None else [sex]),
        f"{len(known['leads'])} leads",
        f"{known['sampling_rate_hz']:g} Hz",
        f"{known['duration_s']:.1f} s",
        known["format"],
    ]
    return f"{' · '.join(said)} · read: {span(*reading.window_s)}"


def device_says(reading: Reading) -> list[str]:
    """What the cardiograph's file says of itself and of the ECG; nothing of who was recorded."""
    record = reading.record
    about = ", ".join([*([record.device] if record.device else []), *record.filters])
    return [*([about] if about else []), *record.statements]


def measurement(named: Named) -> str:
    """One value with its spread, and the device's own."""
    found = named.measurement
    spread = f" {named.spread}" if found.spread else ""
    device = f" (device {numeral(found.device)})" if found.device is not None else ""
    return f"{named.value}{spread}{device}"


def finding(found: Finding) -> str:
    """A finding in the words that were asked, and in those that were scored."""
    scored = read_as(found.prompt)
    other = "" if scored.casefold() == found.prompt.casefold() else f" (read as {scored})"
    return f"{found.prompt}{other}"


def not_read(why: str) -> str:
    """Why there are no findings."""
    return f"Not read by the model: {why}"


def where(found: Finding) -> str:
    """What the tint of a page is about."""
    return f"Where the model looks for “{found.prompt}” ({percent(found.probability)})"


def remark(found: Finding) -> str:
    """What the measurements say of a finding; empty where they say nothing."""
    said = {True: "Measured against it", False: "Measured for it", None: "Measured"}
    return f"{said[found.contradicted]}: {found.measured}" if found.measured else ""


def foot(checkpoint: str, page: int, pages: int) -> str:
    """What stands at the foot of every page."""
    return f"{NOTICE}.   Model: {checkpoint}   Page {page} of {pages}"
