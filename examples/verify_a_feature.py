"""Hold a report against its ECG, and the waveform features that it leaves out.

python examples/verify_a_feature.py assets/cases/right-bundle-branch-block.hea "Sinus rhythm. RBBB."
"""

import sys
from pathlib import Path

from focal_app.ecg.files import read_recording
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.report.candidates import lexicon_candidates
from focal_app.explore.report.documents import enriched_text
from focal_app.explore.report.table import table_of
from focal_app.explore.report.verification import verify
from focal_app.words.statements import report_tags


def main(path: str, report: str) -> None:
    """Print every proposed feature with its probability, then the enriched report."""
    ecg, tags = read_recording([Path(path)]), report_tags(report)
    found = verify(Explorer.load(), ecg, tags, lexicon_candidates(tags))
    for one in table_of(found).features:
        print(f"{one.finding.probability:6.1%}  {one.verdict.name:13}  {one.candidate.feature}")
    print(enriched_text(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
