"""Every sentence of the Teach tab."""

from __future__ import annotations

TAB = "Teach"
INTRO = (
    "A set of cases for a lesson. Put cases into it under “Search” or “Similar cases”, then show "
    "them with labels hidden, print them, or pass the set on. Nothing is kept on the server: save "
    "the set, or its link."
)
UNCHECKED = (
    "The lines of teaching and the limits of difficulty are our own: no cardiologist has checked "
    "them."
)
TITLE, TASK = "Title", "Task for the reader"
TITLE_FIRST, TASK_FIRST = "Teaching set", "What does each ECG show?"
EMPTY = (
    "No case is in the set yet. Add some under “Search” or “Similar cases”, open a saved set, or "
    "be asked without one: “A quiz from the gallery”."
)
TO_SEARCH = "Search for cases"
HIDE = "Hide labels, as learners see the set"
REVEAL, DROP = "Reveal", "Remove"
COPY_LINK, COPIED = "Copy link", "Copied"
SAVE_SET = "Save as JSON"
SHARE_HIDDEN = f"To change, save or share the set, take the tick off “{HIDE}”."
OPEN_SET = "Open a saved set"
WITHOUT_ANSWERS, WITH_ANSWERS = "Worksheet without answers", "Worksheet with answers"
QUIZ_PAGE, HAND_IN = "Quiz page without answers", "Score a learner's answers"
REMARK = "Educator's note"
REMARK_HINT = "What to see in this case; told with its answer alone."
NOTES_GO_ALONG = (
    "Link and file carry your notes, and who unpacks them can read them; worksheet and quiz page "
    "without answers do not."
)
OTHER_SET = "These answers are to another set, or to its cases in another order; open that set."
EMPTY_BUTTON = "Empty the set"
NO_DIAGNOSIS = "No diagnosis among its labels"
LARGE_SET = "Found a file of more than 100 kB; a teaching set is far smaller. Choose another file."
GONE = "This case is no longer in the set; choose another."


def set_count(count: int) -> str:
    """How many cases the set holds."""
    return f"{count} {'case' if count == 1 else 'cases'} in the set"


def set_full(most: int) -> str:
    """A set with no room left."""
    return f"The set holds {most} cases, the most that it may; remove some first."


def case_number(number: int) -> str:
    """What a case is called of which nothing may be told."""
    return f"Case {number}"
