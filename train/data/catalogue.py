"""The data sets that can be made into shards, by the name that the command line gives them.

source = open_source("ptb-xl", Path("ptb-xl"), Shares())
"""

from pathlib import Path

from focal_app.errors import ConfigError
from train.data.challenge import NUMBERED, Challenge
from train.data.code15 import Code15
from train.data.ludb import Ludb
from train.data.mimic import MimicIvEcg
from train.data.ptbxl import PtbXl
from train.data.source import Shares, Source, Tagging

DESCRIBED = {
    "mimic-iv-ecg": "record_list.csv, machine_measurements.csv and files/, as PhysioNet serves it",
    "ptb-xl": "ptbxl_database.csv and records500/; its folds are its splits",
    "csn": "challenge files JS*.hea, anywhere below the folder",
    "cpsc2018": "challenge files A*.hea, anywhere below the folder",
    "cpsc-extra": "challenge files Q*.hea, anywhere below the folder",
    "georgia": "challenge files E*.hea, anywhere below the folder",
    "ludb": "ludb.csv and data/; its wordings are mapped to statements",
    "code-15": "exams.csv with exams_part*.hdf5 (needs h5py), or WFDB files",
}
"""What each source expects in its folder."""


def open_source(
    name: str,
    folder: Path,
    shares: Shares,
    *,
    test_folds: tuple[int, ...] = (10,),
    validation_folds: tuple[int, ...] | None = None,
    tagging: Tagging = "curated",
) -> Source:
    """The source of a name in a folder; PTB-XL keeps its own splits, whatever the shares.

    `test_folds` and `validation_folds` are PTB-XL's, `tagging` is MIMIC-IV-ECG's.
    """
    if not folder.is_dir():
        raise ConfigError(f"found no folder {folder.name!r}; the data set's own folder is needed.")
    if name in NUMBERED:
        return Challenge(name, folder, shares)
    if name == "mimic-iv-ecg":
        return MimicIvEcg(folder, shares, tagging)
    if name == "code-15":
        return Code15(folder, shares)
    if name == "ptb-xl":
        return PtbXl(folder, test_folds, validation_folds)
    if name == "ludb":
        return Ludb(folder, shares)
    raise ConfigError(f"found source {name!r}; one of {', '.join(DESCRIBED)} is needed.")
