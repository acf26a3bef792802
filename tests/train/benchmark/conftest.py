"""Small data sets in their official layouts, and embeddings whose answers are planted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from focal_app.ecg.recording import LEADS
from focal_app.model.focal import Focal
from focal_app.model.seen import Seen
from train.benchmark.embeddings import Store, digest_of, embed, encoder_hash, text_hash
from train.benchmark.merl import Finished, Learnt, Merl, MerlConfig
from train.benchmark.results import Result
from train.benchmark.sets import Item

RATE, SECONDS = 100, 10
SCP = (
    ("NORM", "1.0", "", "", "NORM", "NORM"),
    ("IMI", "1.0", "", "", "MI", "IMI"),
    ("NDT", "1.0", "1.0", "", "STTC", "STTC"),
    ("CLBBB", "1.0", "", "", "CD", "CLBBB"),
    ("LVH", "1.0", "", "", "HYP", "LVH"),
    ("PVC", "", "1.0", "", "", ""),
    ("INVT", "", "1.0", "", "", ""),
    ("SR", "", "", "1.0", "", ""),
    ("AFIB", "", "", "1.0", "", ""),
)
DIAGNOSES = ("NORM", "IMI", "NDT", "CLBBB", "LVH")
PER_FOLD = len(DIAGNOSES)
"""Recordings a fold: one of each diagnosis."""


def write_record(header: Path, *, seed: int, comments: Sequence[str] = (), seconds: int = SECONDS):
    """A WFDB record of twelve leads of noise."""
    header.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    signal = (rng.standard_normal((RATE * seconds, 12)) * 300).astype("<i2")
    lines = [f"{header.stem} 12 {RATE} {len(signal)}"]
    for row, lead in enumerate(LEADS):
        checksum = int(np.int16(signal[:, row].astype(np.int64).sum() & 0xFFFF).item())
        first = signal[0, row]
        lines.append(f"{header.stem}.dat 16 1000(0)/mV 16 0 {first} {checksum} 0 {lead}")
    header.write_text("\n".join([*lines, *(f"#{c}" for c in comments)]) + "\n")
    header.with_suffix(".dat").write_bytes(signal.tobytes())


@pytest.fixture
def noise_record() -> Callable[..., None]:
    """`noise_record(header, seed=1)`: such a record, for tests that write their own."""
    return write_record


@pytest.fixture(scope="session")
def ptbxl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PTB-XL's layout with 50 recordings in ten folds, one of each superclass in every fold."""
    root = tmp_path_factory.mktemp("data")
    folder = root / "ptb-xl"
    folder.mkdir()
    head = ",diagnostic,form,rhythm,diagnostic_class,diagnostic_subclass\n"
    (folder / "scp_statements.csv").write_text(head + "".join(",".join(r) + "\n" for r in SCP))
    lines = ["ecg_id,patient_id,age,sex,report,scp_codes,strat_fold,filename_hr"]
    for number in range(10 * PER_FOLD):
        fold, name = 1 + number // PER_FOLD, f"records500/00000/{number + 1:05d}_hr"
        rhythm = "AFIB" if number % 4 == 0 else "SR"
        form = ["PVC", "INVT"][number % 2]
        codes = {DIAGNOSES[number % 5]: 100.0, rhythm: 0.0, form: 100.0}
        age, sex = 30 + 40 * (number % 2), fold % 2
        cells = (number + 1, number, age, sex, "", f'"{codes}"', fold, name)
        lines.append(",".join(map(str, cells)))
        write_record(folder / f"{name}.hea", seed=number)
    (folder / "ptbxl_database.csv").write_text("\n".join(lines) + "\n")
    return root


@pytest.fixture(scope="session")
def model(tiny_checkpoint: Path) -> Focal:
    """The untrained model."""
    return Focal.load(tiny_checkpoint)


@pytest.fixture(scope="session")
def encoded(ptbxl: Path, model: Focal, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that already holds what the model says of every recording of `ptbxl`."""
    cache = tmp_path_factory.mktemp("cache")
    embed(model, sorted((ptbxl / "ptb-xl").rglob("*.hea")), cache=cache)
    return cache


@pytest.fixture(scope="session")
def pair(model: Focal, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two untrained MERL-style models, as trained on original and on enriched reports."""
    folder, config = tmp_path_factory.mktemp("pair"), model.config
    learnt = Learnt("hash", ("mimic-iv-ecg",), 40, 0, 3, 8, 1e-3, 0, prepared=False)
    for seed, name in enumerate(("merl", "enriched")):
        torch.manual_seed(seed)
        sizes = MerlConfig(config.signal, text_hash(model.text), config.embed_dim, width=2)
        said = replace(learnt, verified_features=7 * seed)
        Finished(Merl(sizes), said, Seen.of((), ())).save(folder / name)
    return folder / "merl", folder / "enriched"


@pytest.fixture
def long_record(tmp_path: Path) -> Path:
    """A recording of two windows."""
    write_record(tmp_path / "long.hea", seed=3, seconds=2 * SECONDS)
    return tmp_path / "long.hea"


@pytest.fixture
def transferred() -> Callable[..., Result]:
    """`transferred(dataset, figures)`: a result of the pair on a set."""

    def made(dataset: str, figures: Mapping[str, object]) -> Result:
        about = {"original": "merl", "enriched": "enriched", "trained_seed": 0, "learnt": "a"}
        auc = {"original": 0.7, "enriched": 0.75, "gain": 0.05}
        every = {k: {"value": v, "low": v - 0.04, "high": v + 0.04} for k, v in auc.items()}
        whole = {"unreadable": 0, **every, **figures}
        return Result("transferability", dataset, "tiny", "", "", about, "", 0, whole)

    return made


@pytest.fixture
def plant() -> Callable[..., None]:
    """`plant(cache, model, items, patches)`: put made-up patches (N, d) a recording into a cache.

    What a task then reads is what a model with these patches would have said.
    """

    def put(
        cache: Path,
        model: Focal,
        items: Sequence[Item],
        patches: Mapping[str, torch.Tensor],
        pooled: Mapping[str, torch.Tensor] | None = None,
    ) -> None:
        counts, parts = {}, []
        for item in items:
            assert item.header is not None
            made = patches[item.key]
            mean = (pooled or patches)[item.key]
            mean = mean if mean.ndim == 1 else mean.mean(0)
            kept = torch.ones(len(made), dtype=torch.uint8)
            counts[digest_of(item.header)] = 1
            parts.append({"patches": made.half(), "kept": kept, "pooled": mean.float()})
        windows = {name: torch.stack([one[name] for one in parts]) for name in parts[0]}
        Store(cache / encoder_hash(model)).add(counts, windows)

    return put


@pytest.fixture
def challenge() -> Callable[..., None]:
    """`challenge(header, codes)`: a record with SNOMED CT codes in its header."""

    def write(header: Path, codes: Sequence[str], *, comments: Sequence[str] = ()) -> None:
        said = [f"Dx: {','.join(codes)}", *comments]
        write_record(header, seed=sum(map(ord, header.stem)), comments=said)

    return write
