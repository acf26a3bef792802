"""What a document shows in its blocks."""

import re

_TRAINING = re.compile(r"^ {4,}(?:\S*python|torchrun .*?) -m train (.+)$", re.MULTILINE)


def training_commands(text: str) -> list[str]:
    """What follows `python -m train` in every line of a block; lines that go on are joined."""
    return _TRAINING.findall(text.replace("\\\n", " "))
