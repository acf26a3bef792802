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
