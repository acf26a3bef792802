"""Good inputs of every parser: what the fuzzer begins with."""

import json
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from focal_app.ecg.recording import ECG, SourceFacts
from focal_app.ecg.wfdb_reader import load_wfdb
from focal_app.explore.reading.bundled_cases import CASES
from focal_app.lexicon import load_prompt_sets
from tests import hospital_files
from tests.fuzz.kept import Files
from tests.fuzz.odd import CANARY

SECONDS, RATE = 2, 500
LEADS = ("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")
BITS = {"80": 8, "508": 8, "310": 10, "311": 10, "212": 12}
BY_WFDB = ("80", "212", "24", "32", "508", "516", "524")
BY_HAND = ("16", "61", "160", "8", "310", "311")
COMMENTS = f"# <age>: 61\n# <sex>: F\n#Dx: 426783006,164889003\n# Name: {CANARY}\n"


@cache
def _steps(bits: int = 16) -> np.ndarray:
    """Two seconds of a bundled case, (12, T), in steps that a storage format can hold."""
    held = np.fromfile(CASES / "normal.dat", "<i2").reshape(-1, len(LEADS)).T
    part = held[:, : SECONDS * RATE].astype(np.int64)
    return part if bits >= 16 else part >> (16 - bits - 2 if bits > 8 else 6)


def _gain(bits: int) -> float:
    return 1000.0 if bits >= 16 else 1000.0 / (1 << (16 - bits - 2 if bits > 8 else 6))


@cache
def recordings() -> list[Files]:
    """A recording in every storage format, of two signal files, and as a challenge file."""
    by_hand = [_by_hand(storage) for storage in BY_HAND]
    return [*by_hand, *map(_by_wfdb, BY_WFDB), _of_two_files(), _challenge()]


def _header(storage: str, steps: np.ndarray, gain: float, names: list[str] | None = None) -> bytes:
    lines = [f"rec {len(steps)} {RATE} {steps.shape[1]}"]
    for row, lead in enumerate(LEADS):
        checksum = int(steps[row].sum()) % 65536
        name = names[row] if names else "rec.dat"
        lines.append(f"{name} {storage} {gain:g}(0)/mV 16 0 {steps[row, 0]} {checksum} 0 {lead}")
    return ("\n".join(lines) + "\n" + COMMENTS).encode()


def _by_hand(storage: str) -> Files:
    bits = BITS.get(storage, 16)
    steps = _steps(bits)
    flat = steps.T.ravel()
    if storage == "160":
        content = (flat + 32_768).astype("<u2").tobytes()
    elif storage == "8":
        content = np.diff(steps, axis=1, prepend=0).T.ravel().clip(-128, 127).astype("i1").tobytes()
    elif storage in ("310", "311"):
        content = _three_in_four(flat, storage)
    else:
        content = flat.astype(">i2" if storage == "61" else "<i2").tobytes()
    return {"rec.hea": _header(storage, steps, _gain(bits)), "rec.dat": content}


def _three_in_four(flat: np.ndarray, storage: str) -> bytes:
    """Three samples of ten bits in four bytes, as formats 310 and 311 have them."""
    one, two, three = (flat[: len(flat) // 3 * 3].reshape(-1, 3).T & 1023).astype(np.uint32)
    if storage == "311":
        return (one | two << 10 | three << 20).astype("<u4").tobytes()
    first = one << 1 | (three & 31) << 11
    second = two << 1 | (three >> 5) << 11
    return (first | second << 16).astype("<u4").tobytes()


def _by_wfdb(storage: str) -> Files:
    bits = BITS.get(storage, 16)
    steps = _steps(bits)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # wfdb uses what newer pandas deprecates
        load_wfdb().wrsamp(
            "rec",
            fs=RATE,
            units=["mV"] * len(LEADS),
            sig_name=[*LEADS],
            d_signal=np.ascontiguousarray(steps.T),
            fmt=[storage] * len(LEADS),
            adc_gain=[_gain(bits)] * len(LEADS),
            baseline=[0] * len(LEADS),
            write_dir=folder,
        )
        made = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    return {**made, "rec.hea": made["rec.hea"] + COMMENTS.encode()}


def _of_two_files() -> Files:
    steps = _steps().astype("<i2")
    names = ["limb.dat"] * 6 + ["chest.dat"] * 6
    signals = {"limb.dat": steps[:6], "chest.dat": steps[6:]}
    return {
        "rec.hea": _header("16", _steps(), 1000, names),
        **{name: part.T.tobytes() for name, part in signals.items()},
    }


def _challenge() -> Files:
    steps = _steps().astype("<i2")
    prefix = np.array([30, *steps.shape, 0, 4], dtype="<i4").tobytes() + b"val\x00"
    header = _header("16+24", _steps(), 1000, ["rec.mat"] * 12)
    return {"rec.hea": header, "rec.mat": prefix + steps.T.tobytes()}


@cache
def hospital() -> list[Files]:
    """Two seconds in every format of hospitals, as tables and in a zip."""
    signal = (_steps() / 1000).astype(np.float32)
    ecg = ECG(signal, LEADS, float(RATE), SourceFacts(format="seed"))
    made = {**hospital_files.CLINICAL, **hospital_files.TABLES}
    files = {f"ecg.{_ending(name)}": [] for name in made}
    for name, write in made.items():
        files[f"ecg.{_ending(name)}"].append(write(ecg))
    packed = hospital_files.zipped(ecg=hospital_files.scp(ecg))
    inputs = [{name: content} for name, contents in files.items() for content in contents]
    return [*inputs, {"ecg.zip": packed}]


def _ending(name: str) -> str:
    """What a mutation goes by."""
    if name == "CSV":
        return "csv"
    return "xml" if "XML" in name or "HL7" in name else "bin"


REPORTS = (
    "Sinus rhythm. LBBB.",
    "Atrial fibrillation with rapid ventricular response, possible anterior infarct, age unknown.",
    "No ST elevation, ST depression or T wave inversion. Cannot rule out old inferior infarct?",
    "SINUS BRADYCARDIA; 1st degree AV block. Normal axis; QT interval is within normal limits!",
    "Absence of P waves, irregular RR intervals but without RBBB. LVH is ruled out: none seen",
    "Sinusrhythmus, Linksschenkelblock nicht ausgeschlossen; q.s. 74/min",
)
QUERIES = (
    "AF without LBBB",
    "ST elevation in inferior leads or V1-V3, not pericarditis",
    "STEMI anterior",
    "RSR' in V1-V3",
    "wide QRS at lead aVL and I, never flutter",
)


def texts(examples: tuple[str, ...]) -> list[Files]:
    """Each text as an input."""
    return [{"said.txt": text.encode()} for text in examples]


def documents(*values: object) -> list[Files]:
    """Each value as a JSON document."""
    return [{"said.json": json.dumps(value).encode()} for value in values]


def prompts() -> list[Files]:
    """Lists of prompts, as an endpoint gets them."""
    sets = [list(held.prompts) for held in load_prompt_sets().values()]
    return documents(["LBBB"], ["atrial fibrillation", "words of my own", "I AVB"], *sets[:2])


def teaching() -> list[Files]:
    """Teaching sets as a file and as a link."""
    from focal_app.explore.cases.teaching import TeachingSet

    taught = TeachingSet("Blocks", "a note", ("simulated-0007", "simulated-0031"))
    return [{"set.json": taught.to_json().encode()}, {"link.txt": taught.to_link().encode()}]


def settings() -> list[Files]:
    """Environments that a host may set."""
    return documents(
        {
            "FOCAL_AUTH": "user:password,other:secret",
            "FOCAL_EXPIRE_MIN": "30",
            "FOCAL_ALLOWED_HOSTS": "ecg.example.org",
            "GRADIO_SERVER_NAME": "0.0.0.0",
            "GRADIO_SERVER_PORT": "7860",
        },
        {
            "FOCAL_LLM_BASE_URL": "http://127.0.0.1:8000/v1",
            "FOCAL_LLM_MODEL": "tiny",
            "FOCAL_LLM_API_KEY": "key",
            "SPACE_ID": "a/b",
        },
    )


ANSWERS = (
    'Here it is:\n```python\n["absent P waves", "wide QRS"]\n```',
    '{"features": ["ST elevation in V1-V3", "pathological Q waves"]}',
    "<think>what may it be</think>\n1. irregular RR intervals\n2. no P waves\n- narrow QRS",
    "features = ['broad notched R wave', 'it\\'s wide']",
)


def served() -> list[Files]:
    """Bodies of a language model's server."""
    return documents(
        *({"choices": [{"message": {"role": "assistant", "content": said}}]} for said in ANSWERS)
    )


def manifests() -> list[Files]:
    """The embedded gallery's manifest, a line of its cases and a block of its signals."""
    from focal_app.explore.cases.gallery.gallery import EMBEDDED as GALLERY

    first = (GALLERY / "cases.jsonl").read_bytes().splitlines()[0]
    return [
        {
            "gallery.json": (GALLERY / "gallery.json").read_bytes(),
            "line.json": first,
            "block.bin": (GALLERY / "signals.bin").read_bytes()[:16_000],
        }
    ]


def lists() -> list[Files]:
    """A folder of cases of one's own, listed in either way."""
    row = {"file": "rec.hea", "key": "a", "labels": ["LBBB"], "sex": "F", "age_years": 61}
    table = "file,key,labels,report,sex,age_years\nrec.hea,a,LBBB;AF,a report,F,61\n"
    return [{"cases.jsonl": json.dumps(row).encode()}, {"cases.csv": table.encode()}]


@cache
def tiny_checkpoint() -> Path:
    """A checkpoint of a few kilobytes, saved once a process."""
    from tests.tiny_model import save_tiny_model

    folder = Path(tempfile.mkdtemp())
    save_tiny_model(folder)
    return folder


def checkpoints() -> list[Files]:
    """The JSON files of a checkpoint; "text-" stands for the folder of its tag encoder."""
    index = json.dumps({"metadata": {}, "weight_map": _weight_map()}).encode()
    own = {"config.json": (tiny_checkpoint() / "config.json").read_bytes()}
    text = (tiny_checkpoint() / "text" / "config.json").read_bytes()
    tokens = (tiny_checkpoint() / "text" / "tokenizer.json").read_bytes()
    single = {**own, "text-config.json": text, "text-tokenizer.json": tokens}
    return [own, {**own, "model.safetensors.index.json": index}, single]


def _weight_map() -> dict[str, str]:
    from safetensors import safe_open

    with safe_open(tiny_checkpoint() / "model.safetensors", "pt") as weights:
        return dict.fromkeys(weights.keys(), "model.safetensors")


def recipes() -> list[Files]:
    """The recipes of training."""
    from train.recipe import RECIPES

    return [{"recipe.yaml": path.read_bytes()} for path in sorted(RECIPES.glob("*.yaml"))]
