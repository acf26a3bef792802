"""LUDB's waves: onset and end of P, QRS and T, annotated lead by lead by two cardiologists.

Kalyakulina et al., IEEE Access 8:186181 (2020); doi:10.13026/eegm-h675. Each lead has a file of
its own (`1.ii`), whose annotations leave out what the first and last seconds cut.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import wfdb
from jaxtyping import Float

from focal_app.ecg.archives.tables import rows
from focal_app.ecg.complete import completed
from focal_app.ecg.delineation_signal import DelineationSignal
from focal_app.ecg.files import read_recording
from focal_app.ecg.lead_waves import QRS, P, T
from focal_app.ecg.recording import ECG, LEADS
from focal_app.errors import ConfigError
from train.delineate.leads import KnownLeads, mark

KINDS = {"p": P, "N": QRS, "t": T}
SIDE_S = 0.02
"""Beyond the first and the last wave, so long is still known to be none."""


@dataclass(frozen=True)
class LeadWaves:
    """Waves of one lead, (n, 2) each: onset and offset in seconds."""

    p: Float[np.ndarray, "n 2"]
    qrs: Float[np.ndarray, "m 2"]
    t: Float[np.ndarray, "k 2"]


@dataclass(frozen=True)
class Annotated:
    """One recording of LUDB with its waves by lead, in the order of LEADS, and its diagnoses."""

    number: str
    ecg: ECG
    waves: tuple[LeadWaves, ...]
    diagnoses: tuple[str, ...]

    def known(self, settings: DelineationSignal) -> KnownLeads:
        """As training takes it."""
        signal = settings.prepared(self.ecg.signal_mv, self.ecg.sampling_rate_hz)
        classes = np.full(signal.shape, -1)
        for row, waves in zip(classes, self.waves, strict=True):
            _write(row, waves, settings.sampling_rate_hz)
        return KnownLeads(signal, classes)


def annotated_records(folder: Path) -> list[Annotated]:
    """Every recording of the folder that is there with all its annotations."""
    found = []
    for row in rows(folder / "ludb.csv", ("ID", "Rhythms")):
        number = row["ID"].strip()
        header = folder / "data" / f"{number}.hea"
        if not (header.is_file() and all(_file(header, lead).is_file() for lead in LEADS)):
            continue
        said = [line.strip() for text in row.values() for line in (text or "").split("\n")]
        waves = tuple(_lead(header, lead) for lead in LEADS)
        diagnoses = tuple(line for line in said if line)
        found.append(Annotated(number, completed(read_recording([header])), waves, diagnoses))
    if not found:
        raise ConfigError(
            "found no recording of LUDB with its annotations; --ludb needs the folder with "
            "ludb.csv and data/, as published"
        )
    return found


def _file(header: Path, lead: str) -> Path:
    return header.with_suffix(f".{lead.lower()}")


def _lead(header: Path, lead: str) -> LeadWaves:
    found = wfdb.rdann(str(header.with_suffix("")), lead.lower())
    at_s = np.asarray(found.sample) / float(found.fs or 500)
    waves: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    symbols = list(found.symbol or ())
    for index, symbol in enumerate(symbols):
        whole = symbols[max(0, index - 1) : index + 2] == ["(", symbol, ")"]
        if symbol in KINDS and whole:
            waves[symbol].append((at_s[index - 1], at_s[index + 1]))
    return LeadWaves(*(np.array(waves[kind]).reshape(-1, 2) for kind in KINDS))


def _write(row: np.ndarray, waves: LeadWaves, rate_hz: float) -> None:
    every = np.concatenate([waves.p, waves.qrs, waves.t])
    if not len(every):
        return
    mark(row, every[:, 0].min() - SIDE_S, every[:, 1].max() + SIDE_S, 0, rate_hz)
    for kind, spans in ((P, waves.p), (T, waves.t), (QRS, waves.qrs)):
        for first_s, last_s in spans:
            mark(row, first_s, last_s, kind, rate_hz)
