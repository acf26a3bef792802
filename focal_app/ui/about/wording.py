"""Every sentence of the About tab."""

from collections.abc import Sequence

from focal_app.explore.reading.checkpoint_card import Card, Measured, Reliable, Trained

TAB = "About"
TOUR_TITLE = "A tour in four steps"
TOUR_HELP = "Each step opens a simulated case and does what it says; then look around there."
SHOW_ME = "Show me"
STEPS = (
    (
        "Read a case and see where",
        "An acute inferior infarction. “ST elevation” is chosen: the tint lies where the model "
        "looks for it. Compare with II, III and aVF, then soften or sharpen the tint below the "
        "paper.",
    ),
    (
        "Ask in your own words",
        "A left bundle branch block, and a prompt that no list had: “broad notched R waves in "
        "V6”. Reword it in its row; the scores of the others stay as they are.",
    ),
    (
        "Verify a report",
        "A right bundle branch block with a one-line report. Each statement is a row with what the "
        "ECG holds of it. Unfold the features of the block: beside each stands what a simulated "
        "ECG gives away, whether it is drawn. RSR' is; the S waves are broad, but not deep.",
    ),
    (
        "Find cases and teach with them",
        "A search for “RSR' pattern in V1-V3”, labels hidden. Say what you see, reveal, add good "
        "ones to a set; “Teach” shows, prints and shares it.",
    ),
)
TOUR_ADDED = "broad notched R waves in V6"
TOUR_REPORT = "Sinus rhythm. Right bundle branch block."
TOUR_QUERY = "RSR' pattern in V1-V3"

WHAT = "What it is"
WHAT_TEXT = (
    "FOCAL Explorer reads a 12-lead ECG with a small model that knows ECGs and words. The ECG is "
    "cut into patches of one lead and one second; a finding in words is laid out over the patches "
    "by optimal transport (Semi-UOT), which gives both a probability and the place. It follows "
    "FOCAL (Li et al.); it is an independent implementation."
)
TRAINED = "What it was trained on"
REACHES = "What it reaches"
REACHES_HELP = (
    "Macro AUC on held-out patients of labelled sources: 0.5 is chance, 1 is perfect. Training has "
    "seen other patients of the same sources, labelled in the same way, and choices were made on "
    "these recordings, so this is not the zero-shot reading of a model that knows reports alone. "
    "Of the model without measurements. The interval holds 95 % of bootstrap samples."
)
HEADINGS = ("Task", "Recordings", "Classes", "Macro AUC", "95 % interval")
NO_FIGURES = "This checkpoint comes without figures: nothing is known here of how well it reads."
LIMITS = "What it cannot do"
LIMITS_TEXT = (
    "It is no medical device and makes no diagnosis; nothing that it says may decide about a "
    "patient.",
    "What it measures is an estimate, and does not replace the values that the device prints.",
    "It knows adults only; what it says of children's ECGs means nothing.",
    "It reads ten seconds at a time, and misses what takes longer to show.",
    "Rare findings may never have been seen in a real recording; low scores are then no evidence "
    "of absence, nor high ones of presence.",
    "Words of an ECG that the lexicon does not know are scored as typed: that they get a "
    "probability makes no finding of them.",
    "Heatmaps say where the model looked, not why. On real recordings nobody drew places, and a "
    "model may have been taught the leads in which a finding is usually looked for: then its map "
    "lies there where the finding is, and where it is not.",
    "What Teach says of a finding, and where it draws the line between easy and hard cases, is our "
    "own; no cardiologist has checked it.",
    "Probabilities hold on average for recordings like those on which they were fitted; where "
    "findings are rarer or more frequent, they are off accordingly.",
)
LICENCES = "Licences and citations"
LICENCES_TEXT = (
    ("The code and the embedded checkpoint", "MIT licence."),
    (
        "The method",
        "Haitao Li, Che Liu, Zhengyao Ding, Ziyi Liu, Wenqi Shao, Zhengxing Huang. FOCAL: "
        "Fine-Grained Optimal-Transport-Driven Contrastive Alignment of Language and ECGs with "
        "Waveform Enhancement.",
    ),
    ("PTB-XL", "Wagner et al., Scientific Data 7:154 (2020), doi:10.13026/kfzx-aw45, CC BY 4.0."),
    ("LUDB", "Kalyakulina et al., IEEE Access 8:186181 (2020), doi:10.13026/eegm-h675, ODC-BY."),
    ("Chapman-Shaoxing-Ningbo", "Zheng et al. (2022), doi:10.13026/wgex-er52, CC BY 4.0."),
    (
        "CPSC2018, CPSC-Extra, Georgia",
        "Liu et al., J. Med. Imaging Health Inf. 8:1368 (2018); PhysioNet challenges 2020 and "
        "2021, CC BY 4.0.",
    ),
    ("PhysioNet", "Goldberger et al., Circulation 101:e215 (2000)."),
    ("Tag encoder", "begins from all-MiniLM-L6-v2 (sentence-transformers), Apache-2.0."),
)
SOURCES = {
    "simulated": "simulated recordings, every finding and its place known",
    "second simulated": "other simulated recordings, from which the second of two encoders learnt",
    "ptb-xl": "recordings of PTB-XL",
    "csn": "recordings of Chapman-Shaoxing-Ningbo",
    "cpsc2018": "recordings of CPSC2018",
    "cpsc-extra": "recordings of CPSC-Extra",
    "georgia": "recordings of the Georgia set",
    "ludb": "recordings of LUDB",
}


def trained(part: Trained) -> str:
    """One source of the training data."""
    name = SOURCES.get(part.source, f"recordings of {part.source}")
    held = f"; {part.held_out:,} more were held out to measure with" if part.held_out else ""
    return f"{part.trained:,} {name}{held}"


def measured(found: Measured) -> Sequence[str]:
    """One row of the table."""
    few = f" ({found.few} with fewer than 5 cases)" if found.few else ""
    return (
        found.task,
        f"{found.recordings:,}",
        f"{found.classes}{few}",
        f"{found.value:.3f}",
        f"{found.low:.3f} to {found.high:.3f}",
    )


def _reliability(one: Reliable) -> str:
    """How far the probability of a superclass may be trusted."""
    better = "better" if one.brier < one.base_rate else "no better"
    return (
        f"“{one.name}” by its own prompt: off by {100 * one.expected_error:.0f} percentage points "
        f"on average; Brier score {one.brier:.3f}, {better} than telling everybody its share "
        f"({one.base_rate:.3f})."
    )


def other_figures(card: Card) -> list[str]:
    """Figures that stand in no table."""
    said = []
    if card.calibration_error is not None:
        said.append(
            f"Calibration: probabilities are off by {100 * card.calibration_error:.1f} percentage "
            "points on average, over all statements, most of them rare and rightly low."
        )
    said += [_reliability(one) for one in card.reliable]
    if card.place_auc is not None:
        said.append(
            f"Places, on simulated recordings: patches that hold a finding rank above the others "
            f"with an AUC of {card.place_auc:.3f}."
        )
    if card.wordings and card.wordings_right is not None:
        said.append(
            f"Wording: of {card.wordings} wordings that tuning never saw, "
            f"{100 * card.wordings_right:.1f} % lie nearest to their own statement."
        )
    return said
