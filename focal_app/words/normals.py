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
)
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
    r"\b(?:no|not|never|may|might|can|could|than|without|nicht|keine?|nie|ohne)\b|n['’]t\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:previous(?:ly)?|earlier|last|before|prior|initial(?:ly)?|früher\w*|vorher|zuvor|vor"
    r"|in \d{4})\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\b(?:V\d|aV[RLF]|I{1,3}|leads?|abl|ableitung\w*|limb|chest|precordial|inferior|anterior"
    r"|lateral|septal)\b",
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
            sentences[at] = _judged(sentences[at])
    return "".join(sentences)


def _judged(sentence: str) -> str:
    said: list[str] = []
    for pattern in (_AHEAD, *_BEHIND):
        sentence = pattern.sub(partial(_taken_out, said), sentence)
    return "; ".join(
        [re.sub(r",\s{0,3},", ",", sentence) if said else sentence, *dict.fromkeys(said)]
    )


def _taken_out(said: list[str], found: re.Match[str]) -> str:
    items = re.findall(_ITEM, found["items"], re.IGNORECASE)
    words = [word for item in items for word in _words(item)]
    if _stays(found, items, words):
        return found.group()
    said += words
    if found["value"]:
        said.append(f"{items[0]} {found['value']}")
    return found["before"]


def _words(item: str) -> tuple[str, ...]:
    return next(judged for pattern, judged in _EACH.items() if pattern.fullmatch(item))


def _stays(found: re.Match[str], items: Sequence[str], words: Sequence[str]) -> bool:
    """Whether it has a name already, or what stands around it makes doubtful what is normal."""
    ahead = found.string[max(0, found.start() - _NEAR) : found.start()] + found["before"]
    behind = found.string[found.end() : found.end() + _NEAR]
    around = f"{ahead} {behind}"
    return bool(
        named(found.group().removeprefix(found["before"]))
        or _GOVERNED.search(ahead.rpartition(",")[2])
        or _PAST.search(ahead)
        or (
            len(items) > 1
            and behind.lstrip()[:1] in {",", "("}
            and not _AS_ONE.search(found["items"])
        )
        or (found.re is _AHEAD and re.search(f"{_ITEM} ?: ?$", ahead, re.IGNORECASE))
        or (
            found.re is _BEHIND[1]
            and (found["value"] or ":" in found.group())
            and (one := _LISTED.search(ahead))
            and not one["normal"]
        )
        or ("no tachycardia" in words and _FAST.search(around))
        or (_IN_LEADS.intersection(words) and _LEADS.search(around))
    )
