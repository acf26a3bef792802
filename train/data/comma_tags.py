"""Tags as the publication cuts them: the statements of a report joined, then split at every comma.

    cut_at_commas(["Sinus rhythm", "Inferior infarct, old"])     # two tags, neither of them whole

Kept for the recipe `paper` alone: a report without commas is one tag, and a finding that has one
is cut in two (docs/method.md). `train.data.report_tags` is what every other recipe takes.
"""

from collections.abc import Sequence

from train.data.report_tags import ReportTags


def joined(statements: Sequence[str]) -> str:
    """A report in one line, a sentence a statement."""
    return ". ".join(statement.rstrip(". ") for statement in statements)


def cut_at_commas(statements: Sequence[str]) -> ReportTags:
    """The parts between the commas of a report in lower case, each once; none is a hedge."""
    parts = (part.strip(" .").lower() for part in joined(statements).split(","))
    return ReportTags(tuple(dict.fromkeys(filter(None, parts))), ())
