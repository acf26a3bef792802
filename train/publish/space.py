"""The Space: the app with its assets, and nothing of the training.

    python -m train push space --dry-run DIR

The tree starts alone, in an environment with its own requirements.txt and nothing else:

    python3.12 -m venv env && env/bin/pip install -r DIR/requirements.txt
    (cd DIR && ../env/bin/python app.py)
"""

import shutil
from pathlib import Path

from focal_app.errors import ConfigError
from train.publish.tree import front_matter

PROJECT = Path(__file__).parents[2]
FILES = ("app.py", "requirements.txt", "README.md", "LICENSE")
FOLDERS = ("focal_app", "assets")
SETTINGS = ("title", "sdk", "sdk_version", "python_version", "app_file", "license")
"""What the head of README.md must say for a Space to start."""


def fill_space(folder: Path, *, project: Path = PROJECT) -> None:
    """Write the tree of the Space."""
    _check(project)
    for name in FILES:
        shutil.copyfile(project / name, folder / name)
    for name in FOLDERS:
        left_out = shutil.ignore_patterns("__pycache__", ".*")
        shutil.copytree(project / name, folder / name, ignore=left_out)


def _check(project: Path) -> None:
    absent = [name for name in (*FILES, *FOLDERS) if not (project / name).exists()]
    if not (project / "assets" / "checkpoint" / "config.json").is_file():
        absent.append("assets/checkpoint")
    if absent:
        raise ConfigError(
            f"found no {', '.join(absent)} beside the training package; a Space is made from a "
            "checkout of the project"
        )
    settings = front_matter((project / "README.md").read_text(encoding="utf-8"))
    missing = [name for name in SETTINGS if name not in settings]
    if missing or settings["sdk"] != "gradio" or settings["app_file"] != "app.py":
        raise ConfigError(
            f"the head of README.md lacks {', '.join(missing) or 'sdk: gradio, app_file: app.py'}; "
            "a Space reads its settings there"
        )
