"""The README of a gallery: what it holds, whose it is, and how it was made."""

from collections import Counter
from collections.abc import Mapping, Set

from focal_app.explore.cases.gallery.manifest import Manifest


def storage_note(manifest: Manifest) -> str:
    """How the signals were stored, in one sentence."""
    return (
        f"Stored: the first window of each recording, at {manifest.rate_hz} Hz in steps of "
        f"{manifest.step_uv} µV."
    )


def trained_note(trained: int, count: int) -> str:
    """On how many cases the model was trained, and what that means; nothing where on none."""
    if not trained:
        return ""
    return (
        f"The model was trained on ECGs of the same patient in {trained} of the {count} cases, "
        "each marked: what it finds in those proves nothing."
    )


def card(manifest: Manifest, origins: Mapping[tuple[str, str], int], labels: Counter[str]) -> str:
    """Markdown with the Hub's front matter; `origins` counts cases by source and licence."""
    rows = "\n".join(f"| {s} | {licence} | {n} |" for (s, licence), n in origins.items())
    frequent = ", ".join(f"{tag} ({n})" for tag, n in labels.most_common(25))
    return CARD_TEXT.format(
        manifest=manifest,
        note=f"{manifest.note}\n" if manifest.note else "",
        warning=SIMULATED if manifest.simulated else "",
        rows=rows,
        frequent=frequent or "none",
        licence=_licence({licence for _, licence in origins}),
    )


def _licence(licences: Set[str]) -> str:
    """As the Hub names it, where all cases have the same."""
    named = {"MIT": "mit", "CC BY 4.0": "cc-by-4.0"}
    return named.get(next(iter(licences)), "other") if len(licences) == 1 else "other"


SIMULATED = "**Every case is simulated: no recording of a person is in it.**\n"

CARD_TEXT = """---
license: {licence}
tags: [ecg, focal-gallery]
---

# {manifest.title}

A gallery of {manifest.count} cases for FOCAL Explorer: signals, labels and embeddings. For research
and teaching, not for diagnosis.
{warning}
{note}
It opens with the checkpoint that made it alone (`{manifest.checkpoint}`):

    FOCAL_GALLERY=DIR_OR_ORG/NAME@REVISION python app.py

| source | licence | cases |
|---|---|---|
{rows}

Labels are statements of the app's lexicon. The most frequent: {frequent}.

Signals are stored as differences in blocks of their own, so that one is read without the others;
nothing in the folder is code or a pickle. `gallery.json` says what every file holds.
"""
