"""Denials in the forms that the grammar reads, whatever form a report gives them.

answers_written_out("There isn't any LBBB")     # "There is not any LBBB"
answers_written_out("LBBB: no, P waves: none")  # "LBBB absent, P waves absent"
answers_written_out("no change in the LBBB")    # "LBBB"
denials_first("QTc not prolonged")              # "no QTc prolonged"
denials_first("P waves cannot clearly be seen") # "no P waves"
denials_first("no ST elevation except in V2")   # "no ST elevation except in V2. ST elevation in V2"
"""

import re

from focal_app.lexicon import load_lexicon
from focal_app.words.leads import Place, notation, places
from focal_app.words.reach import ADVERBS, SEEN
from focal_app.words.vocabulary import named

_ADVERB = f"(?:{'|'.join(sorted(ADVERBS))})"
_SEEN_WORD = f"(?:{'|'.join(sorted(SEEN))})"
_CONTRACTED = re.compile(r"(?<=\bca)n['’´`]t\b|(?<=\bcan)not\b|(?<=\w)n['’´`]t\b", re.IGNORECASE)
_SIGNS = f"(?:signs?|evidence|hinweise?|zeichen|{_SEEN_WORD})"
_NONE = rf"(?:no|none|keine?r?)(?:\s{_SIGNS})?|nil|absent|nein"
_ANSWERED = re.compile(
    rf"\s{{0,4}}[:=(–-]\s{{0,4}}(?:(?P<no>{_NONE}|(?P<sign>negativ(?:e|er)?))|yes|ja)\b"
    r"(?:\s{0,4}\))?(?=\s{0,4}(?:[.,;(\n]|in\b|$))",
    re.IGNORECASE,
)
_TICKED = re.compile(r"\s{0,4}\(\s?(?P<sign>\?{1,3}|[-–+])\s?\)")
_TICKS = {"?": " questionable", "+": " present", "-": " absent", "–": " absent"}
_WAVE = re.compile(
    r"\b(?:[PQRSTU]|QRS|ST|waves?|complex(?:es)?|zacken?|wellen?|axis|achse)\b", re.IGNORECASE
)
"""What may be negative and there."""
_PART = 60
"""Characters of a part of a sentence in which a wave is looked for."""
_UNCHANGED = re.compile(
    r"(?<![\w'-])(?:no|without)\s(?:(?:significant|relevant|major|interval)\s)?"
    r"(?:changes?\sin|(?:resolution|improvement|progression)\s(?:in|of))\s(?:the\s)?"
    r"(?=(?P<what>[\w'-]{1,30}(?:\s[\w'-]{1,30}){0,3}))",
    re.IGNORECASE,
)
_SEEN_AHEAD = re.compile(
    rf"(?<![\w'-])(?P<no>no|without|keine?|ohne)\s(?:{_ADVERB}|{_SEEN_WORD})\s", re.IGNORECASE
)
_WITHIN = re.compile(
    r"(?<![\w'-])((?:[^\W\d][\w'-]* ){1,3}?)(?:(?:is|are|was|were|can|could|ist|sind|können?) )?"
    rf"(?:not|never|no longer|nicht) (?:(?:{_ADVERB}|be|been) ){{0,2}}([^\W\d]+)",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r"\s([^\W\d]+)")
_SPACES = re.compile(r"[^\S\n]{2,}")
_DENIED = (
    r"\b(?P<no>no|without|kein\w{0,2}|ohne) "
    r"(?:(?:signifi[ck]ant|relevant|definite|clear|marked)\w{0,2} )?"
    rf"(?:{_SIGNS} (?:of|for|auf|für) )?"
    r"(?P<how>(?:(?:acute|new|akut|frisch|neu)\w{0,2} )?)"
    r"(?P<what>(?:[^\W_][\w'’/-]{0,30} ){0,5}?[^\W_][\w'’/-]{0,30})"
)
_PERHAPS = (
    r"\b(?:(?:possib|probab|questionab)l[ey]|likely|perhaps|maybe|evtl|eventuell|vielleicht|"
    r"möglicherweise|fraglich)"
)
_BUT_IN = re.compile(
    rf"{_DENIED} (?P<within>in [^.;:\n]{{1,60}}?),? (?:but|aber|sondern|jedoch) (?:only |nur )?"
    r"in (?:(?:the|leads?) ){0,2}(?P<where>[^.;:\n]{1,60})",
    re.IGNORECASE,
)
_EXCEPT_IN = re.compile(
    rf"{_DENIED}"
    r"(?: in (?P<within>[^.;:\n]{1,60}?))?(?P<but>,? \(?)"
    r"(?:except(?:ing)?|with the exception of|other than|(?:aside|apart) from|save|"
    r"bis auf|mit Ausnahme|ausgenommen|au(?:ß|ss)er) (?:for )?"
    rf"(?P<perhaps>{_PERHAPS}\.? )?"
    r"(?:(?:(?:minimal|mild|slight|subtle|leicht|gering)\w{0,8}|\d[\d.,]{0,4} ?m[mV]) "
    r"(?:(?:change|one|veränderung)(?:s|en)? )?)?"
    r"(?:(?:in|von|the|de[nr]|leads?|ableitung(?:en)?) ){0,3}(?P<where>[^.;:\n]{1,60})",
    re.IGNORECASE,
)
_UNSURE = re.compile(rf"{_PERHAPS}|\?", re.IGNORECASE)
_UNREAD = re.compile(
    r"\s?[,(]?[^,;()]{0,40}?(?:art[ei]fa[ck]t|nois[ey]|(?<!take[ -])\boff\b|\blost\b|loose|missing|"
    r"contact|connected|exchang|swap|not recorded|readable|(?:not|un)[ -]?(?:assess|interpret)|"
    r"gestört|verrauscht|abgefallen|beurteilbar)",
    re.IGNORECASE,
)
"""Why leads may be left out of a denial without the finding being there."""
_OVER = re.compile(r"\s?(?:$|[,()?!\]–-]|(?:and|but|with|und|aber|mit)\b)", re.IGNORECASE)
"""What may stand behind leads that are a finding's own: "V5 has ST depression" begins another."""
_NOWHERE = frozenset(["rhythm", "conduction", "normal"])
"""Groups of what is in no lead more than in others."""


def answers_written_out(text: str) -> str:
    """The text with contractions, the answers of a form and ticks as words."""
    text = _ANSWERED.sub(_answered, _CONTRACTED.sub(_written_out, text))
    return _UNCHANGED.sub(_still_there, _TICKED.sub(_ticked, text))


def denials_first(text: str) -> str:
    """The text with a denial before what it denies, where that is a name."""
    text = _EXCEPT_IN.sub(_there_alone, _BUT_IN.sub(_said_again, _SPACES.sub(" ", text)))
    return _WITHIN.sub(_denied_first, _SEEN_AHEAD.sub(r"\g<no> ", text))


def _said_again(found: re.Match[str]) -> str:
    """What is denied in some leads "but in" others is there, said of these in a sentence."""
    if not (named(found["what"]) and _own_place(found) and _leads_alone(found["within"])):
        return found[0]
    what = found["how"] + found["what"]
    return f"{found['no']} {what} {found['within']}. {what} in {found['where']}"


def _there_alone(found: re.Match[str]) -> str:
    """What is denied "except in" some leads is there, said of these in a sentence of its own."""
    tag, place = named(found["what"]), _own_place(found)
    if not (tag and place) or load_lexicon()[tag].group in _NOWHERE:
        return found[0]
    if found["within"] and not _leads_alone(found["within"]):
        return found[0]
    own, rest = found["where"][: place.end], found["where"][place.end :]
    where = f"in {notation(place.leads)}"
    denied = f"{found[0][: found.end('but') - found.start()]}excluding {where}"
    if _UNREAD.match(rest):
        return f"{denied}{rest}"
    perhaps = "possible " if found["perhaps"] or _UNSURE.search(own) else ""
    there = f"{perhaps}{found['how']}{found['what']} {where}"
    # Behind a bracket the denial goes on.
    return f". {there}. {denied}{rest}" if "(" in found["but"] else f"{denied}. {there}{rest}"


def _own_place(found: re.Match[str]) -> Place | None:
    """The leads with which "where" begins, if they are not those of another finding behind."""
    place = next(places(found["where"]), None)
    own = place and not place.start and _OVER.match(found["where"], place.end)
    return place if own else None


def _leads_alone(text: str) -> bool:
    """Whether nothing but leads is named."""
    listed = re.sub(r"^(?:(?:in|the|all|leads?|ableitungen) )+", "", text, flags=re.IGNORECASE)
    return any((one.start, one.end) == (0, len(listed)) for one in places(listed))


def _written_out(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - 2) : found.start()].lower()
    return "n not" if before == "ca" else " not"


def _answered(found: re.Match[str]) -> str:
    if found["sign"] and _of_a_wave(found):
        return found[0]
    return " absent" if found["no"] else " present"


def _ticked(found: re.Match[str]) -> str:
    return found[0] if found["sign"] in "-–" and _of_a_wave(found) else _TICKS[found["sign"][0]]


def _of_a_wave(found: re.Match[str]) -> bool:
    before = found.string[max(0, found.start() - _PART) : found.start()]
    return _WAVE.search(re.split(r"[.;,\n]", before)[-1]) is not None


def _still_there(found: re.Match[str]) -> str:
    """Nothing in place of "no change in" before a finding."""
    words = found["what"].split()
    known = any(named(" ".join(words[:last])) for last in range(1, len(words) + 1))
    return "" if known else found[0]


def _denied_first(found: re.Match[str]) -> str:
    """A statement that is denied in its midst with the denial before it: "QTc not prolonged"."""
    subject, told = found[1].split(), found[2]
    behind = _NEXT_WORD.match(found.string, found.end())
    if behind and named(f"{told} {behind[1]}"):
        return found[0]  # "sinus rhythm not atrial fibrillation"
    seen = told.lower() in SEEN
    for first in range(len(subject)):
        name = " ".join(["no", *subject[first:]] if seen else [*subject[first:], told])
        if named(name):
            return " ".join([*subject[:first], *([] if seen else ["no"]), name])
    return found[0]
