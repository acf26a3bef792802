"""Words by which a report says that it only suspects a finding (`assets/wordings.yaml`).

The app reads reports with them, and training takes them off its tags, so that both mean the same.
"""

from focal_app.words.wordings import wordings

HEDGES = wordings().hedges
ONLY_IN_TEXT = wordings().hedges_in_text
"""Further ones that the app understands; training takes off those above alone."""
