"""A small archive in MIMIC-IV-ECG's shape, drawn by the simulator, for tests and for trying out.

    python -m train data mimic-fixture --out DIR --count 200

Same files, columns and lead order; a machine's statements with commas, hedges, compounds and
technical lines; some NaN, a study without waveform, an empty report. The reports leave out some
waveform features on purpose, or say each in a share of them, in the lexicon's words; `truth.jsonl`
holds everything by `study_id`.
"""

import csv
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from focal_app.ecg.recording import ECG
from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from train.data.mimic import MEASUREMENTS, RECORDS
from train.data.worker_processes import mapping
from train.read_back import read_back
from train.simulate import simulate

WORDING = Path(__file__).parent / "mimic_fixture.yaml"
TRUTH = "truth.jsonl"
LEADS_OF_MIMIC = ("I", "II", "III", "aVR", "aVF", "aVL", "V1", "V2", "V3", "V4", "V5", "V6")
LEFT_OUT = ("inverted T waves", "ST depression")
"""What the reports keep silent about, with everything that implies it."""

_GAIN = 200.0
_MISSING = -32768
_NOT_MEASURABLE = 29999
_REPORT_COLUMNS = tuple(f"report_{i}" for i in range(18))
_MEASURED = ("rr_interval", "p_onset", "p_end", "qrs_onset", "qrs_end", "t_end")
_AXES = ("p_axis", "qrs_axis", "t_axis")
_HEDGED, _IN_ONE_BREATH, _NAN, _TECHNICAL = 0.3, 0.7, 0.01, 0.22


@dataclass(frozen=True)
class Fixture:
    """What to draw: `count` studies, from `states` of the simulator or from all it knows.

    Reports keep silent about what is `left_out`. Of the waveform features in `features`, each with
    all that imply it, they say so large a share where it shows.
    """

    count: int
    seed: int = 0
    left_out: tuple[str, ...] = LEFT_OUT
    states: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse fewer studies than it takes to hold every trap, and features that are none."""
        if self.count < 4:
            raise ConfigError(
                f"found {self.count} studies; at least 4 are needed, since one of them has no "
                "waveform, one no report and one a gap. Ask for more with --count."
            )
        for name, share in self.features.items():
            if name not in load_lexicon() or not 0 <= share <= 1:
                raise ConfigError(
                    f"found {name!r} in a share of {share}; needed statements of the lexicon, each "
                    "with a share from 0 to 1"
                )

    def of_study(self, number: int) -> "Fixture":
        """The fixture of one study: the features that this report leaves out are drawn."""
        if not self.features:
            return self
        drawn = np.random.default_rng([self.seed, 3, number]).random(len(self.features))
        shares = zip(self.features.items(), drawn, strict=True)
        silent = tuple(name for (name, share), one in shares if one >= share)
        return replace(self, left_out=(*self.left_out, *silent))


@dataclass(frozen=True)
class _Study:
    """One study of the archive, before it is drawn."""

    number: int
    subject: int
    study: int

    @property
    def path(self) -> str:
        subject, study = f"p{self.subject}", f"s{self.study}"
        return f"files/{subject[:5]}/{subject}/{study}/{self.study}"


def write_fixture(folder: Path, fixture: Fixture, *, workers: int = 1) -> None:
    """Draw the archive into `folder`; the same fixture gives the same files."""
    studies = _studies(fixture)
    draw = partial(_drawn, folder=folder, fixture=fixture)
    folder.mkdir(parents=True, exist_ok=True)
    with mapping(workers, __name__, chunk=8) as mapped:
        drawn = list(mapped(draw, studies))
    _write_table(folder / RECORDS, [record for record, _, _ in drawn])
    _write_table(folder / MEASUREMENTS, [measured for _, measured, _ in drawn])
    truth = "".join(json.dumps(line) + "\n" for _, _, line in drawn)
    (folder / TRUTH).write_text(truth, encoding="utf-8")


def read_truth(folder: Path) -> dict[str, dict[str, Any]]:
    """What was drawn, by study: `tags`, `places` and the `left_out` of its report."""
    with read_back(folder / TRUTH, "draw it again with `python -m train data mimic-fixture`"):
        lines = list(map(json.loads, (folder / TRUTH).read_text(encoding="utf-8").splitlines()))
        if len(lines) + 1 != len((folder / RECORDS).read_text(encoding="utf-8").splitlines()):
            raise ValueError("other lines than recordings")
        return {line["study_id"]: line for line in lines}


def report_of(
    tags: Collection[str],
    rng: np.random.Generator,
    *,
    left_out: Sequence[str] = LEFT_OUT,
    features: Collection[str] = (),
) -> list[str]:
    """The statements of a machine about an ECG with these tags; `features` it says beyond them."""
    wording, said = _wording(), _said(tags, left_out, features)
    statements = _rhythm(said, rng)
    for tag in said:
        if tag in wording["findings"]:
            statements.append(_finding(tag, tags, rng))
        elif is_one_of(tag, features):
            statement = load_lexicon()[tag]
            statements.append(str(rng.choice([tag, *statement.synonyms])))
    if rng.random() < _TECHNICAL:
        line = str(rng.choice(wording["technical"]))
        statements.insert(int(rng.integers(0, len(statements) + 1)), line)
    verdict = "Normal ECG" if "normal ECG" in tags else "Abnormal ECG"
    return [*statements, verdict if rng.random() < 0.8 else "Borderline ECG"]


def is_one_of(tag: str, statements: Collection[str]) -> bool:
    """Whether a tag is one of some statements, or implies one."""
    return bool({tag, *load_lexicon().ancestors(tag)} & set(statements))


def _said(tags: Collection[str], left_out: Sequence[str], features: Collection[str]) -> list[str]:
    """The tags to be said: the most specific ones that a machine has words for."""
    wording = _wording()
    known = {*wording["rhythms"], *wording["tails"], *wording["findings"]}
    known |= {tag for tag in tags if is_one_of(tag, features)}
    spoken = [tag for tag in sorted(tags) if tag in known and not is_one_of(tag, left_out)]
    return list(load_lexicon().most_specific(spoken))


def _rhythm(said: list[str], rng: np.random.Generator) -> list[str]:
    wording = _wording()
    rhythms = [str(rng.choice(wording["rhythms"][t])) for t in said if t in wording["rhythms"]]
    tails = [str(rng.choice(wording["tails"][t])) for t in said if t in wording["tails"]]
    if rhythms and tails and rng.random() < _IN_ONE_BREATH:
        return [f"{rhythms[0].rstrip('.')} with {tails[0]}", *rhythms[1:], *tails[1:]]
    return [*rhythms, *tails]


def _finding(tag: str, tags: Collection[str], rng: np.random.Generator) -> str:
    wording = _wording()
    words = str(rng.choice(wording["findings"][tag]))
    wall = words.split(" infarct")[0]
    for age, forms in wording["aged"].items():
        if age in tags and " infarct" in words and rng.random() < 0.5:
            return str(rng.choice(forms)).format(wall=wall, WALL=wall.upper()).capitalize()
    plain = not words.startswith("***") and "probable" not in words and "may be" not in words
    if plain and rng.random() < _HEDGED:
        first = words if words[1:2].isupper() else words[0].lower() + words[1:]
        return f"{rng.choice(wording['hedges'])} {first}"
    return words


@cache
def _wording() -> dict[str, Any]:
    return yaml.safe_load(WORDING.read_text(encoding="utf-8"))


def _studies(fixture: Fixture) -> list[_Study]:
    """One to four studies a subject."""
    rng = np.random.default_rng([fixture.seed, 1])
    subject, left, studies = 10_000_000, 0, []
    for number in range(fixture.count):
        if left == 0:
            subject += int(rng.integers(1, 5000))
            left = int(rng.choice([1, 2, 3, 4], p=[0.5, 0.25, 0.15, 0.1]))
        left -= 1
        studies.append(_Study(number, subject, 40_000_000 + 37 * number + fixture.seed))
    return studies


def _drawn(
    study: _Study, *, folder: Path, fixture: Fixture
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Write one study's waveform; its lines of the three tables."""
    fixture = fixture.of_study(study.number)
    rng = np.random.default_rng([fixture.seed, 2, study.number])
    states = {str(rng.choice(fixture.states))} if fixture.states else None
    made = simulate(fixture.seed * 1_000_000 + study.number, states=states)
    statements = report_of(
        made.tags, rng, left_out=fixture.left_out, features=tuple(fixture.features)
    )
    if study.number == 1:
        statements = []
    gap = study.number == 2 or rng.random() < _NAN
    if study.number != 3:
        _write_wfdb(folder / study.path, made.ecg, study, rng if gap else None)
    ids = {"subject_id": study.subject, "study_id": study.study}
    time = f"21{study.number % 90 + 10}-01-01 08:00:00"
    record = {**ids, "file_name": study.study, "ecg_time": time, "path": study.path}
    columns = dict.fromkeys(_REPORT_COLUMNS, "") | dict(
        zip(_REPORT_COLUMNS, statements, strict=False)
    )
    measured = {**ids, "cart_id": 6_000_000, "ecg_time": time, **columns}
    measured |= {"bandwidth": "0.005-150 Hz", "filtering": "60 Hz notch Baseline filter"}
    measured |= dict.fromkeys((*_MEASURED, *_AXES), _NOT_MEASURABLE)
    silent = [tag for tag in made.tags if is_one_of(tag, fixture.left_out)]
    truth = {
        **{"study_id": str(study.study), "subject_id": str(study.subject)},
        **{"tags": made.tags, "left_out": silent, "gap": gap},
        "places": [asdict(place) for place in made.places],
    }
    return record, measured, truth


def _write_wfdb(path: Path, ecg: ECG, study: _Study, gaps: np.random.Generator | None) -> None:
    """A WFDB pair in MIMIC's lead order, 200 steps a millivolt, some samples missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [ecg.leads.index(lead) for lead in LEADS_OF_MIMIC]
    steps = np.rint(np.nan_to_num(ecg.signal_mv[rows].astype(float)) * _GAIN)
    steps = steps.clip(_MISSING + 1, 32767).astype(np.int16)
    if gaps is not None:
        lead, start = int(gaps.integers(0, 12)), int(gaps.integers(500, 4000))
        steps[lead, start : start + 40] = _MISSING
        steps[(lead + 5) % 12, start : start + 700] = _MISSING
    path.with_suffix(".dat").write_bytes(steps.T.astype("<i2").tobytes())
    header = [f"{path.name} {len(rows)} {ecg.sampling_rate_hz:g} {steps.shape[1]} 08:00:00"]
    for lead, row in zip(LEADS_OF_MIMIC, steps, strict=True):
        checksum = int(row.sum(dtype=np.int64)) % 65536
        header.append(f"{path.name}.dat 16 {_GAIN:g}/mV 16 0 {row[0]} {checksum} 0 {lead}")
    header.append(f"# <subject_id>: {study.subject}")
    path.with_suffix(".hea").write_text("\n".join(header) + "\n", encoding="utf-8")


def _write_table(path: Path, lines: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
