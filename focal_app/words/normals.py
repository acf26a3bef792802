"""Measures and waves that are said to be normal, as what that denies or affirms.

normals_judged("Normal PR and QT intervals")  # "; no prolonged PR interval; no long QT interval"
normals_judged("LBBB, QTc normal at 410 ms")  # "LBBB, ; no long QT interval; QTc 410 ms"
normals_judged("QTc not normal")              # stays: what is doubted or bounded is not judged

It is taken out of its sentence and said behind it, so that what stands around it, leads, doubts and
denials, goes on as if it were not there.
"""

import re
from collections.abc import Sequence
from functools import partial

from focal_app.words.hedges import HEDGES
from focal_app.words.names import idle
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
    "intraventricular conduction": (
        "no bundle branch block",
        "no nonspecific intraventricular conduction delay",
    ),
    "conduction": ("no conduction disturbance",),
    "(?:heart |ventricular )?rate|(?:herz)?frequenz": ("no bradycardia", "no tachycardia"),
    "(?:heart |cardiac )?rhythm|(?:herz)?rhythmus": ("regular RR intervals",),
}
"""What is said to be normal, longer words first, and what that says in the lexicon's words."""
_EACH = {re.compile(item, re.IGNORECASE): judged for item, judged in _JUDGED.items()}
_ITEM = r"(?<![\w-])(?:" + "|".join(_JUDGED) + r")(?![\w-])"
_JOIN = r"(?: ?, ?(?:and |und )?| (?:and|und|&) | ?/ ?)"
_LIST = rf"{_ITEM}(?:{_JOIN}{_ITEM}){{1,7}}(?!{_JOIN}{_ITEM})"
"""A whole list: in "normal QT, PR and QRS prolonged" PR is not normal."""
_NORMAL = (
    r"(?:normale?[rsn]?|unremarkable|unauffällige?[rsn]?|regelrechte?[rsn]?|im normbereich|wnl"
    r"|(?:with)?in (?:the )?normal (?:limits|range))"
)
_SAYING = "(?:with|mit|also|has|have|shows?|(?:sinus|atrial|junctional) rhythm)"
_BEGINS = rf"(?:^|[.,:(]|\b{_SAYING})"
_BEHIND_AND = rf"(?:^|[.,:(]|\b(?:{_SAYING}|and|und))"
_THE = r"\s{0,3}(?:(?:the|an?|all|die|der|das) )?"
_VALUE = r"(?: ?[,(:=]? ?(?:(?:at|of|with|mit|von) )?(?P<value>\d{2,3} ?ms(?:ec)?)\)?)?"
_FOR = "(?: (?:for|für) (?:the )?(?:age|sex|rate|heart rate|alter))?"
_AFTER = (
    r"(?=\s{0,3}(?:$|[,()]|\.(?!\d)|(?:and|with|und|mit)\b))"
    r"(?! ?[,(]? ?(?:but|aber|except\w*|excluding|besides|save|apart|other than|bis auf|or|oder"
    r"|au(?:ß|ss)er)\b)"
    r"(?! ?[,(:=] ?[<>≤≥~]?\.?\d)(?![^.()]{0,40}\b(?:axes|vectors?|angles?|exception)\b)"
)
"""Neither an exception, nor a value that is not taken along, nor more of the list behind it."""
_IS = rf" ?:? (?:(?:is|are|ist|sind) )?(?:(?:all|both|also) )?{_NORMAL}{_FOR}"
_AHEAD, *_BEHIND = (
    re.compile(f"(?P<before>{before}{_THE}){worded}{_AFTER}", re.IGNORECASE)
    for before, worded in (
        (_BEHIND_AND, rf"{_NORMAL} (?P<items>{_LIST}|{_ITEM}{_VALUE}){_FOR}"),
        (_BEGINS, rf"(?P<items>{_LIST}){_IS}(?P<value>(?!))?"),
        (_BEHIND_AND, rf"(?P<items>{_ITEM}){_IS}{_VALUE}"),
    )
)
_LISTED = re.compile(f"(?P<normal>{_NORMAL} )?{_ITEM}{_JOIN}$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"([;!?\n\r]+|\.(?=\s|$))")
_AS_ONE = re.compile(r"\b(?:and|und)\b|[&/]", re.IGNORECASE)
_GOVERNED = re.compile(
    r"\b(?:no|not|never|may|might|can|could|should|would|expected|confirm|does|if|than|without"
    r"|presumabl[ey]|reference|intermittent|alternating|some|few|occasional|beats|p[av]cs?"
    r"|nicht|keine?|nie|ohne|falls|wenn)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What in the same part of a sentence denies, doubts, or says it of some beats alone."""
_PAST = re.compile(
    r"\b(?:previously|earlier|before|initially|formerly|admission|früher\w*|vorher|zuvor"
    r"|vor(?:aufnahme|befund|-ekg)?|(?:19|20)\d\d)\b"
    r"|\b(?:previous|prior|old|last|past|baseline|alte[sn]?) ?"
    r"(?:E[CK]Gs?\b|tracing|study|recording|[:,])",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\d[^,;]{0,20}\($")
"""A value, and in brackets what would be normal."""
_LIMITED = re.compile(
    r"^\W{0,3}(?:and )?(?:(?:borderline|upper|slightly|mildly|sometimes|then|progressively"
    r"|grenzwertig)\b|(?:prolonged|shortened|verlängert)\s?(?:$|[,.)]))"
    r"|^ ?\([^)]*\), ?(?:prolonged|borderline|verlängert)\b",
    re.IGNORECASE,
)
_HEDGES = frozenset(hedge.split()[0] for hedge in HEDGES)
_NEXT_PART = re.compile(r"^ ?, ?([^,.()\d]{1,60})(?:$|[,.)])")
_BLOCKED = re.compile(
    r"block|\b[LR]BBB\b|\b[LR]SB\b|\bpac(?:ed|ing)|schrittmacher|\bWPW\b|preexcit|präexzit|delta",
    re.IGNORECASE,
)
"""Beside these, intervals that are normal are the others."""
_LEADS = re.compile(
    r"\b(?:V\d|aV[RLF]|I{1,3}|leads?|abl|limb|chest|right-sided)\b"
    r"|ableitung|brustwand|vorderwand|hinterwand|seitenwand|präkordial"
    r"|precordial|inferior|anterior|posterior|lateral|sept|apical",
    re.IGNORECASE,
)
_IN_LEADS = frozenset(
    [
        *("no P wave abnormality", "upright T waves", "isoelectric ST segment", "no ST-T change"),
        *("no low QRS voltage", "normal R wave progression"),
    ]
)
"""Normal in some leads, these say nothing of the others."""
_FAST = re.compile(r"tachy|flutter|flatter", re.IGNORECASE)
_NEAR = 200
"""Characters before and behind in which what makes it doubtful is looked for."""
_BOUNDS = frozenset(["normal", "abnormal", "borderline", "high", "low", "not"])


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
    sentences = _SENTENCE_END.split(text)
    for at in range(0, len(sentences), 2):
        if "?" not in "".join(sentences[at + 1 : at + 2]):
            sentences[at] = _judged(sentences[at], blocked=bool(_BLOCKED.search(text)))
    return "".join(sentences)


def _judged(sentence: str, *, blocked: bool) -> str:
    said: list[str] = []
    for pattern in (_AHEAD, *_BEHIND):
        sentence = pattern.sub(partial(_taken_out, said, blocked), sentence)
    return "; ".join(
        [re.sub(r",\s{0,3},", ",", sentence) if said else sentence, *dict.fromkeys(said)]
    )


def _taken_out(said: list[str], blocked: bool, found: re.Match[str]) -> str:
    items = re.findall(_ITEM, found["items"], re.IGNORECASE)
    words = [word for item in items for word in _words(item)]
    ahead = found.string[max(0, found.start() - _NEAR) : found.start()] + found["before"]
    behind = found.string[found.end() : found.end() + _NEAR]
    if (
        named(found.group().removeprefix(found["before"]))
        or _doubted(ahead, behind)
        or _listed(found, len(items), ahead, behind)
        or ("no tachycardia" in words and _FAST.search(ahead + behind))
        or (_IN_LEADS.intersection(words) and _LEADS.search(f"{ahead} {behind}"))
    ):
        return found.group()
    said += [_QT] if blocked and tuple(words) == (_PR, _QRS, _QT) and len(items) == 1 else words
    if found["value"]:
        said.append(f"{items[0]} {found['value']}")
    return found["before"]


def _words(item: str) -> tuple[str, ...]:
    return next(judged for pattern, judged in _EACH.items() if pattern.fullmatch(item))


def _doubted(ahead: str, behind: str) -> bool:
    """Whether what stands around it denies, doubts or bounds it, or is of another ECG."""
    verdict = _NEXT_PART.search(behind)
    return bool(
        _GOVERNED.search(ahead.rpartition(",")[2])
        or _PAST.search(ahead)
        or _REFERENCE.search(ahead)
        or _LIMITED.search(behind)
        or (verdict and all(idle(word) or word in _HEDGES for word in verdict[1].lower().split()))
    )


def _listed(found: re.Match[str], items: int, ahead: str, behind: str) -> bool:
    """Whether it is a part of a list of which normal is not said."""
    before = _LISTED.search(ahead)
    if found.re is _AHEAD:
        open_ended = re.search(f"{_ITEM} ?: ?$", ahead, re.IGNORECASE)
    else:
        told = found["value"] or ":" in found.group()
        open_ended = items == 1 and told and before and not before["normal"]
    loose = items > 1 and behind.lstrip()[:1] in {",", "("}
    return bool(open_ended or (loose and not _AS_ONE.search(found["items"])))
