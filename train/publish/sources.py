"""Where records come from: who made them, and whether their text may be passed on."""

from collections.abc import Iterable
from dataclasses import dataclass

from focal_app.errors import ConfigError


@dataclass(frozen=True)
class SourceTerms:
    """A data set as its publishers want it named; `open` where its text may be passed on."""

    name: str
    citation: str
    licence: str
    open: bool = True


_PHYSIONET_2021 = "PhysioNet/CinC Challenge 2021 (Reyna et al. 2021, doi:10.13026/34va-7q14)"

TERMS = {
    terms.name: terms
    for terms in (
        SourceTerms("simulated", "the simulator of this project; nobody has these ECGs", "mit"),
        SourceTerms("ptb-xl", "PTB-XL (Wagner et al. 2020, doi:10.13026/kfzx-aw45)", "cc-by-4.0"),
        SourceTerms(
            "csn",
            "Chapman-Shaoxing-Ningbo (Zheng et al. 2022, doi:10.13026/wgex-er52)",
            "cc-by-4.0",
        ),
        SourceTerms("cpsc2018", f"CPSC2018 (Liu et al. 2018), from {_PHYSIONET_2021}", "cc-by-4.0"),
        SourceTerms("cpsc-extra", f"CPSC-Extra, from {_PHYSIONET_2021}", "cc-by-4.0"),
        SourceTerms("georgia", f"the Georgia set, from {_PHYSIONET_2021}", "cc-by-4.0"),
        SourceTerms(
            "code-15", "CODE-15% (Ribeiro et al. 2021, doi:10.5281/zenodo.4916206)", "cc-by-4.0"
        ),
        SourceTerms(
            "mimic-iv-ecg",
            "MIMIC-IV-ECG (Gow et al. 2023, doi:10.13026/4nqg-sb35)",
            "other",
            open=False,
        ),
    )
}


def terms_of(source: str) -> SourceTerms:
    """The terms of a source; one that is not listed is held to be restricted."""
    return TERMS.get(source) or SourceTerms(
        source, f"{source} (terms not known here)", "other", False
    )


def refuse_restricted(sources: Iterable[str], *, rights: bool) -> None:
    """Refuse to pass on text that is not ours to pass on, unless the user holds the rights."""
    restricted = sorted({source for source in sources if not terms_of(source).open})
    if restricted and not rights:
        raise ConfigError(
            f"found records of {', '.join(restricted)}, whose text may not be passed on without "
            "the consent of its publisher; nothing was written. Leave these shards out, or give "
            "--i-hold-the-rights if you do hold them"
        )
