"""Embed every WFDB recording below a folder, and list those that show a finding, likeliest first.

python examples/search_a_folder.py assets/cases "atrial fibrillation"
"""

import sys
from pathlib import Path

import torch

from focal_app.ecg.complete import completed
from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.errors import RecordingError
from focal_app.explore.reading.explorer import Explorer


def main(folder: str, prompt: str) -> None:
    """Print a line a recording; one that cannot be read says why, and stops nothing."""
    explorer, found = Explorer.load(), []
    tag = explorer.tags([prompt])
    for header in sorted(Path(folder).rglob("*.hea")):
        try:
            prepared = prepare(completed(read_recording([header])), explorer.spec)
        except RecordingError as error:
            print(f"left out {header.name}: {error}", file=sys.stderr)
            continue
        patches = explorer.patches(prepared)  # (1, 120, d): keep these to ask again later
        kept = torch.from_numpy(prepared.seen)[None].flatten(1)
        routed = explorer.route(patches, tag, kept)
        found.append((float(explorer.probability(routed.cosine)[0, 0]), header.stem))
    for probability, name in sorted(found, reverse=True):
        print(f"{probability:6.1%}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
