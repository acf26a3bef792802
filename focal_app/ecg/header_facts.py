"""The few facts that a header's comments may give: age, sex and diagnostic codes.

Comments also carry names, ids and dates in some exports; everything that is not one of these
three facts, in exactly the expected form, is dropped here and nowhere kept.
"""

import re
from collections.abc import Sequence

from focal_app.ecg.recording import SourceFacts

OLDEST_YEARS = 120
MAX_CODES = 64

LONGEST_COMMENT = 500
"""Room for some fifty codes; a longer comment is free text and is not looked into."""

_FACT = re.compile(r"<?\s*(age|sex|gender|dx)\s*(?:>\s*)?[:=]\s*(.*)", re.IGNORECASE)
_AGE = re.compile(r"([0-9]{1,3})(?:\.[0-9]+)?(?:\s*(?:y|years?))?", re.IGNORECASE)
_CODE = re.compile(r"[0-9]{6,18}")
_SEX = {"m": "male", "male": "male", "f": "female", "female": "female"}


def facts_of_comments(comments: Sequence[str]) -> SourceFacts:
    """Age in years, sex ("male", "female") and SNOMED CT codes of the comment lines."""
    facts: dict[str, str] = {}
    for comment in comments:
        if len(comment) > LONGEST_COMMENT:
            continue
        if match := _FACT.fullmatch(comment.strip()):
            facts.setdefault(match[1].lower(), match[2].strip())
    return SourceFacts(
        format="WFDB",
        age_years=_age(facts.get("age", "")),
        sex=_SEX.get((facts.get("sex") or facts.get("gender") or "").lower()),
        codes=_codes(facts.get("dx", "")),
    )


def _age(text: str) -> int | None:
    match = _AGE.fullmatch(text)
    years = int(match[1]) if match else OLDEST_YEARS + 1
    return years if years <= OLDEST_YEARS else None


def _codes(text: str) -> tuple[str, ...]:
    tokens = re.split(r"[,;\s]+", text)
    codes = dict.fromkeys(token for token in tokens if _CODE.fullmatch(token))
    return tuple(codes)[:MAX_CODES]
