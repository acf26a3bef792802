"""Read an ECG: findings with probabilities, and where the first one shows.

python examples/read_an_ecg.py assets/cases/inferior-infarction.hea "ST elevation" "normal ECG"
"""

import sys
from pathlib import Path

import numpy as np

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.explorer import Explorer


def main(path: str, *prompts: str) -> None:
    """Print a line a prompt, then the patch that holds most of the first one's heatmap."""
    explorer = Explorer.load()  # the embedded checkpoint; a folder or org/name@revision for another
    reading = explorer.read(read_recording([Path(path)]), prompts or ["normal ECG"])
    for finding in reading.findings:
        print(f"{finding.probability:6.1%}  {finding.prompt}")
    weights = reading.findings[0].weights  # leads x windows; 1 is the even share
    lead, window = np.unravel_index(np.nanargmax(weights), weights.shape)
    print(f"most of it in {LEADS[lead]}, second {window}: {weights[lead, window]:.1f} times even")


if __name__ == "__main__":
    main(*sys.argv[1:])
