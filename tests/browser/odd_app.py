"""The app over files that hang their reader, and with a layout and visits that take for ever.

python -m tests.browser.odd_app
"""

import os
import sys
import time
from pathlib import Path

from focal_app.ecg.readers import Readers
from focal_app.ecg.reading_limits import Limits
from focal_app.ui import gradio_helpers
from focal_app.ui.read import handlers, uploads
from focal_app.ui.server import serve
from tests.browser.steps import HELD, HELD_PX

ODD = (sys.executable, str(Path(__file__).parents[1] / "ecg" / "odd_readers.py"))


begin = handlers.Handlers.start


def lay_out(*_):
    time.sleep(120)


def start(self, width):
    while width == HELD_PX and Path(os.environ["TMPDIR"], HELD).exists():
        time.sleep(0.05)
    return begin(self, width)


if __name__ == "__main__":
    uploads.READERS = serve.READERS = Readers(command=ODD, limits=Limits(cpu_s=2, wall_s=3.0))
    gradio_helpers.handled.__kwdefaults__["seconds"] = 10.0
    handlers.Handlers.lay_out = lay_out
    handlers.Handlers.start = start
    serve.main()
