"""What a container installs: pinned, by hash, within the tested ranges, from no named host."""

import json
import re
import subprocess
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
SBOM = ROOT / ".venv-supply" / "bin" / "cyclonedx-py"
PARSERS = (
    *("gradio", "starlette", "fastapi", "uvicorn", "h11", "python-multipart", "orjson", "pillow"),
    *("ecgdatakit", "pydicom", "wfdb", "soundfile", "pyyaml", "safetensors", "reportlab"),
)
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)((?:.|\n(?=\s))*)", re.MULTILINE)


@pytest.fixture(scope="module")
def locked() -> dict[str, tuple[str, str]]:
    """Version, and marker and hashes, of every package of the lock."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return {
        canonicalize_name(name): (version, rest) for name, version, rest in PINNED.findall(text)
    }


def _requirements() -> list[Requirement]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("wanted", _requirements(), ids=lambda one: one.name)
def test_the_lock_holds_every_requirement_within_its_range(locked, wanted) -> None:
    version, _ = locked[canonicalize_name(wanted.name)]
    assert wanted.specifier.contains(version), f"run `make lock`: {wanted} and {version}"


def test_every_package_of_the_lock_has_a_hash_and_nothing_else_stands_there(locked) -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    other = [
        line for line in lines if not re.match(r"#|[\w.-]+==\S+|    --hash=sha256:\w{64}", line)
    ]
    assert not other and len(locked) > 50
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", rest) for _, rest in locked.values())


def _needed() -> set[str]:
    """Every package that the app's requirements bring here, by what the installed ones say."""
    todo, known = list(_requirements()), set()
    while todo:
        one = todo.pop()
        extras = ["", *one.extras]
        applies = one.marker is None or any(one.marker.evaluate({"extra": name}) for name in extras)
        if not applies or (canonicalize_name(one.name), *sorted(one.extras)) in known:
            continue
        known.add((canonicalize_name(one.name), *sorted(one.extras)))
        for line in distribution(one.name).requires or ():
            needed = Requirement(line)
            marker = needed.marker
            if marker is None or any(marker.evaluate({"extra": name}) for name in extras):
                needed.marker = None
                todo.append(needed)
    return {name for name, *_ in known}


def test_the_lock_holds_whatever_is_installed_for_the_app(locked) -> None:
    """A container installs what stands there and looks for nothing else."""
    needed = _needed()
    assert len(needed) > 40 and not needed - locked.keys(), "run `make lock`"


def test_what_reads_strangers_input_is_locked_as_it_was_tested(locked) -> None:
    """The versions of the lock and of these tests differ by a patch at most."""

    def minor(of: str) -> list[str]:
        return of.split(".")[:2]

    other = [
        name for name in PARSERS if minor(locked[name][0]) != minor(distribution(name).version)
    ]
    assert not other, "run `make lock`, or install what it names"


@pytest.mark.skipif(not SBOM.exists(), reason="needs what `make sbom` installs")
def test_the_bill_of_materials_lists_the_lock_with_its_hashes(locked) -> None:
    command = ["requirements", "--output-format", "JSON", "requirements.lock"]
    told = subprocess.run([SBOM, *command], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = {canonicalize_name(one["name"]): one for one in json.loads(told.stdout)["components"]}
    assert {name: one["version"] for name, one in listed.items()} == {
        name: version for name, (version, _) in locked.items()
    }
    assert all("hashes" in json.dumps(one) for one in listed.values())


def test_a_container_installs_nothing_without_a_hash() -> None:
    recipe = (ROOT / "Containerfile").read_text(encoding="utf-8")
    installs = re.findall(r"pip install.*", recipe)
    assert installs and all("--require-hashes" in one and "--no-deps" in one for one in installs)
    assert "!requirements.lock" in (ROOT / ".dockerignore").read_text(encoding="utf-8").split()


def test_the_base_of_the_container_is_named_by_its_digest() -> None:
    recipe = (ROOT / "Containerfile").read_text(encoding="utf-8")
    [base] = re.findall(r"^ARG BASE=(.*)$", recipe, re.MULTILINE)
    assert re.fullmatch(r"python:3\.12\.\d+-slim@sha256:[0-9a-f]{64}", base)
    assert re.findall(r"^FROM (.*)$", recipe, re.MULTILINE) == ["${BASE}"]


def test_gradio_is_held_to_the_minor_that_was_tested() -> None:
    wanted = next(one for one in _requirements() if one.name == "gradio")
    front = yaml.safe_load((ROOT / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    major, minor, _ = str(front["sdk_version"]).split(".")
    admitted = [f"{major}.{minor}.0", f"{major}.{minor}.9"]
    refused = [f"{major}.{int(minor) - 1}.9", f"{major}.{int(minor) + 1}.0", f"{int(major) + 1}.0"]
    assert all(wanted.specifier.contains(version) for version in admitted)
    assert not any(wanted.specifier.contains(version) for version in refused)


def test_no_older_parser_of_what_strangers_send_is_admitted() -> None:
    """Advisories on form parsing, on the Host header and on pictures lie below these versions."""
    floors = {"starlette": "1.3.0", "python-multipart": "0.0.25", "pillow": "12.1.0"}
    wanted = {one.name: one.specifier for one in _requirements()}
    assert not [name for name, version in floors.items() if wanted[name].contains(version)]
