"""How much a teaching set and the answers to it may hold; known without loading a model."""

MOST_CASES = 60
LONGEST_TITLE, LONGEST_NOTE, LONGEST_REMARK = 120, 2000, 600
"""Characters of a set's title, its task, and the educator's note on a case."""
LONGEST_ANSWER = 200
LONGEST_JSON = 100_000
"""Characters of a saved set, or of the answers that a quiz page saves."""
