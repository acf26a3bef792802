"""How often measurements contradict a likely finding, and how often the labels agree with them.

    python -m tests.benchmarks.contradictions --ptb-xl DIR --challenge DIR

Of the findings of the everyday set, those with 50 % and more are likely, with 10 % and more
possible; "by the model alone" is before measurements join the percentage. A contradiction is right
where the labels of the recording name neither the finding nor anything that implies it. PTB-XL's
statements of no stated likelihood count as named. Of findings that measurements join, what Verify
says of them, and what it would say by the model alone.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from focal_app.ecg.archives.ptbxl import read_ptbxl
from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG
from focal_app.errors import FocalError
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.prompts import EVERYDAY, prompt_set
from focal_app.explore.reading.reading import Finding
from focal_app.explore.report.verdicts import of_feature
from focal_app.lexicon import load_lexicon

LIKELY, POSSIBLE = 0.5, 0.1
Labelled = tuple[str, ECG, frozenset[str], bool]


def ptbxl(folder: Path) -> Iterator[Labelled]:
    """Recordings with their statements; held out by fold as the embedded checkpoint's are."""
    lexicon = load_lexicon()
    for row in read_ptbxl(folder):
        if row.header(folder).is_file():
            found = [lexicon.of_scp(code) for code in row.codes]
            tags = frozenset(one.tag for one in found if one)
            held_out = row.fold in (7, 8)
            yield f"PTB-XL {row.ecg_id}", read_recording([row.header(folder)]), tags, held_out


def challenge(folder: Path) -> Iterator[Labelled]:
    """Recordings with the statements of their SNOMED CT codes."""
    lexicon = load_lexicon()
    for header in sorted(folder.glob("*.hea")):
        try:
            ecg = read_recording([header])
        except FocalError:
            continue
        found = [lexicon.of_snomed(code) for code in ecg.source.codes]
        yield header.stem, ecg, frozenset(one.tag for one in found if one), False


def judged(explorer: Explorer, labelled: Iterator[Labelled]) -> Iterator[dict]:
    """Every finding, and what a measurement decided."""
    lexicon = load_lexicon()
    for name, ecg, tags, held_out in labelled:
        try:
            reading = explorer.read(ecg, prompt_set(EVERYDAY).prompts)
        except FocalError:
            continue
        named = tags.union(*(lexicon.ancestors(tag) for tag in tags))
        for finding in reading.findings:
            alone = replace(finding, probability=_of_model(finding), model_probability=None)
            yield {
                "recording": name,
                "finding": finding.prompt,
                "probability": round(finding.probability, 2),
                "model": round(alone.probability, 2),
                "joined": finding.model_probability is not None,
                "verdict": of_feature(finding, explorer.zones).name,
                "verdict alone": of_feature(alone, explorer.zones).name,
                "contradicted": finding.contradicted,
                "measured": finding.measured,
                "labelled": finding.prompt in named,
                "held_out": held_out,
            }


def _of_model(finding: Finding) -> float:
    """Before measurements join the percentage."""
    own = finding.model_probability
    return finding.probability if own is None else own


def counted(found: list[dict]) -> dict[str, int]:
    """How many were decided on, and how many of those the labels share."""
    against = [one for one in found if one["contradicted"]]
    fits = [one for one in found if one["contradicted"] is False]
    return {
        "findings": len(found),
        "contradicted": len(against),
        "of these not labelled": sum(not one["labelled"] for one in against),
        "supported": len(fits),
        "of these labelled": sum(one["labelled"] for one in fits),
    }


def verdicts(found: list[dict]) -> Iterator[str]:
    """A line a verdict: how many findings that are labelled so and that are not have it."""
    for by in ("verdict", "verdict alone"):
        seen = Counter((one[by], one["labelled"]) for one in found if one["joined"])
        for name in sorted({name for name, _ in seen}):
            yield f"{by}, {name}: {seen[name, True]} labelled, {seen[name, False]} not"


def main() -> None:
    """Print the counts, and every contradiction that the labels do not share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptb-xl", type=Path)
    parser.add_argument("--challenge", type=Path)
    options = parser.parse_args()
    if not (options.ptb_xl or options.challenge):
        parser.error("found no recordings; needed --ptb-xl, --challenge or both")
    explorer, found = Explorer.load(), []
    for folder, source in ((options.ptb_xl, ptbxl), (options.challenge, challenge)):
        if folder:
            found += judged(explorer, source(folder))
    for name, by, lowest in (
        ("likely", "probability", LIKELY),
        ("possible", "probability", POSSIBLE),
        ("likely by the model alone", "model", LIKELY),
        ("possible by the model alone", "model", POSSIBLE),
        ("all", "probability", 0.0),
    ):
        chosen = [one for one in found if one[by] >= lowest]
        print(name, json.dumps(counted(chosen)))
        print(name, "held out", json.dumps(counted([one for one in chosen if one["held_out"]])))
    for name, chosen in (("all", found), ("held out", [one for one in found if one["held_out"]])):
        for line in verdicts(chosen):
            print(name, line)
        between = [one for one in chosen if explorer.zones.high <= one["probability"] < LIKELY]
        known = sum(one["labelled"] for one in between)
        print(f"{name} supported and not likely: {known} labelled, {len(between) - known} not")
    for one in found:
        if one["contradicted"] and (
            one["labelled"] or max(one["probability"], one["model"]) >= LIKELY
        ):
            print(json.dumps(one))


if __name__ == "__main__":
    main()
