"""What changed, as tables."""

from pathlib import Path

from markupsafe import Markup

from focal_app.explore.comparing.comparison import Comparison
from focal_app.figures.templates import Templates
from focal_app.ui.compare import wording

_fill = Templates(Path(__file__).parent, wording=wording)


def changes(comparison: Comparison) -> Markup:
    """Measurements and findings, each then and now, and a word for what became of it."""
    measured = [(one.name.heading, wording.values(one), one.verdict) for one in comparison.measured]
    measured.append((wording.PACING, wording.pacing_of(comparison), comparison.pacing))
    findings = [
        (one.prompt, wording.probabilities(one), one.verdict)
        for one in comparison.findings
        if one.likely
    ]
    tables = ((wording.MEASURED, measured), (wording.FINDINGS, findings))
    return _fill("changes", comparison=comparison, tables=tables)
