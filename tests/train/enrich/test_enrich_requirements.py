"""The environment of the engines."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_extra_asks_for_what_the_requirements_file_installs() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = (ROOT / "requirements-enrich.txt").read_text().splitlines()
    assert set(extras["optional-dependencies"]["enrich"]) <= set(listed)


def test_what_both_environments_hold_is_bounded_alike() -> None:
    app = set((ROOT / "requirements.txt").read_text().splitlines())
    enrich = set((ROOT / "requirements-enrich.txt").read_text().splitlines())
    names = {line.partition(">")[0] for line in app} & {line.partition(">")[0] for line in enrich}
    assert {"huggingface-hub", "numpy", "scipy", "PyYAML", "jaxtyping"} <= names
    assert {line for line in app | enrich if line.partition(">")[0] in names} == app & enrich
