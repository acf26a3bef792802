"""Measures and waves that are said to be normal, as what that denies or affirms.

normals_judged("Normal PR and QT intervals")  # "; no prolonged PR interval; no long QT interval;"
normals_judged("QTc normal at 410 ms")        # "; no long QT interval; QTc 410 ms;"
normals_judged("QTc not normal")              # stays: what is doubted or bounded is not judged
"""

import re
from collections.abc import Sequence

from focal_app.words.vocabulary import named

_SPAN = r"(?:[- ]?(?:intervals?|times?|durations?|widths?|zeit|zeiten|intervall|dauer|breite))"
_SHAPES = r"(?:[- ](?:morphology|shapes?|form))?"
_PR, _QRS, _QT = "no prolonged PR interval", "narrow QRS complex", "no long QT interval"
_JUDGED = {
    "(?:QRS |electrical |frontal )?axis|(?:lage|herz)achse": ("normal QRS axis",),
    "(?:QRS )?(?:voltages?|amplitudes?)": ("no low QRS voltage", "no high QRS voltage"),
    "R(?:[- ]waves?)?[- ]progression|(?:precordial )?R-progression": ("normal R wave progression",),
    rf"P-?[RQ]{_SPAN}?": (_PR,),
    rf"QRS(?:[- ]?(?:complex(?:es)?|komplexe?))?{_SPAN}?": (_QRS,),
    rf"(?:QT/)?QTc?{_SPAN}?": (_QT,),
    "(?:(?:conduction|ECG) )?intervals|zeiten|zeitintervalle": (_PR, _QRS, _QT),
    rf"P(?:[- ](?:waves?|wellen?){_SHAPES})?|atrial activity": ("no P wave abnormality",),
    "ST[-/ ]?T(?:[- ](?:segments?|waves?))?|(?:ventricular )?repolari[sz]ation|"
    "erregungsrückbildung": ("no ST-T change",),
    "ST(?:[- ](?:segments?|strecken?))?": ("isoelectric ST segment",),
    rf"T(?:[- ](?:waves?|wellen?){_SHAPES})?": ("upright T waves",),
    "(?:AV|atrioventricular) conduction|AV-überleitung": ("no AV block",),
    "(?:intraventricular )?conduction": ("no conduction disturbance",),
    "(?:heart |ventricular )?rate|(?:herz)?frequenz": ("no bradycardia", "no tachycardia"),
    "(?:heart |cardiac )?rhythm|(?:herz)?rhythmus": ("sinus rhythm",),
}
"""What is said to be normal, and what that says in the lexicon's words."""
_ITEM = "(?:" + "|".join(f"(?:{item})" for item in _JUDGED) + r")(?![\w-])"
_JOIN = r"(?:\s?,\s?(?:and\s|und\s)?|\s(?:and|und|&)\s|\s?/\s?)"
_ITEMS = rf"(?P<items>{_ITEM}(?:(?:{_JOIN}{_ITEM}){{1,7}}(?!{_JOIN}{_ITEM}))?)"
"""All that are listed or the first alone: in "normal QT, PR and QRS prolonged" PR is not normal."""
_NORMAL = (
    r"(?:normale?[rsn]?|unremarkable|unauffällige?[rsn]?|regelrechte?[rsn]?|im normbereich|wnl"
    r"|(?:with)?in (?:the )?normal (?:limits|range))"
)
_BEFORE = (
    r"(?P<before>(?:^|[.,;:(\n]|\b(?:and|with|und|mit|but|aber|also|has|have|shows?|rhythm|rate|axis))"
    r"\s{0,3}(?:(?:the|an?|all|die|der|das)\s)?)"
)
_VALUE = r"(?:\s?[,(:=]?\s?(?:(?:at|of|with|mit|von)\s)?(?P<value>\d{2,3}\s?ms(?:ec)?)\)?)?"
_FOR = r"(?:\s(?:for|für)\s(?:the\s)?(?:age|sex|rate|heart rate|alter))?"
_AFTER = r"(?=\s{0,3}(?:$|[.,;()\n](?!\d)|(?:and|but|with|und|aber|mit)\b))"
_WORDED = (
    re.compile(_BEFORE + rf"{_NORMAL}\s{_ITEMS}{_VALUE}{_FOR}{_AFTER}", re.IGNORECASE),
    re.compile(
        _BEFORE + rf"{_ITEMS}(?:\s?:)?\s(?:(?:is|are|ist|sind)\s)?(?:(?:all|both|also)\s)?"
        rf"{_NORMAL}{_FOR}{_VALUE}{_AFTER}",
        re.IGNORECASE,
    ),
)
_BOUNDS = frozenset(["normal", "abnormal", "borderline", "high", "low", "not"])
_EACH = {re.compile(item, re.IGNORECASE): judged for item, judged in _JUDGED.items()}


def bounded(lower: Sequence[str], part: range, first: int, last: int) -> tuple[int, int]:
    """Tokens `[first, last]` of a part, with what bounds them: "borderline normal QTc"."""
    if not re.fullmatch(_ITEM, " ".join(lower[first : last + 1]), re.IGNORECASE):
        return first, last + 1
    while first > part.start and lower[first - 1] in _BOUNDS:
        first -= 1
    while last + 1 < part.stop and lower[last + 1] in _BOUNDS:
        last += 1
    return first, last + 1


def normals_judged(text: str) -> str:
    """The text with what is plainly said to be normal in words that can be checked on an ECG."""
    for worded in _WORDED:
        text = worded.sub(_judged, text)
    return text


def _judged(found: re.Match[str]) -> str:
    if named(found.group().removeprefix(found["before"])):
        return found.group()
    items = re.findall(_ITEM, found["items"], re.IGNORECASE)
    said = dict.fromkeys(word for item in items for word in _words(item))
    value = [f"{items[-1]} {found['value']}"] if found["value"] else []
    return f"{found['before']}; {'; '.join([*said, *value])};"


def _words(item: str) -> tuple[str, ...]:
    return next(judged for pattern, judged in _EACH.items() if pattern.fullmatch(item))
