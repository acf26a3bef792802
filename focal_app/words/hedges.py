"""Words by which a report says that it only suspects a finding.

The app reads reports with them, and training takes them off its tags, so that both mean the same.
"""

HEDGES = (
    "possible",
    "possibly",
    "poss",
    "probable",
    "probably",
    "prob",
    "likely",
    "consider",
    "suspect",
    "suspected",
    "suggest",
    "suggests",
    "suggesting",
    "suggestive of",
    "consistent with",
    "compatible with",
    "cannot rule out",
    "can not rule out",
    "cannot exclude",
    "can not exclude",
    "cannot be ruled out",
    "cannot be excluded",
    "rule out",
    "questionable",
    "may be",
    "might be",
    "could be",
)

ONLY_IN_TEXT = (
    "may",
    "might",
    "could",
    "suspicious for",
    "concerning for",
    "questionably",
    "query",
    "accord with",
    "wahrscheinlich",
    "möglich",
    "möglicherweise",
    "vermutlich",
    "verdacht auf",
    "v a",
    "fraglich",
    "nicht auszuschliessen",
    "nicht ausgeschlossen",
    "dd",
    "vereinbar mit",
    "passend zu",
    "könnte",
)
"""Further ones that the app understands; training takes off those above alone."""
