"""Stands in for `focal_app.ecg.reading_process` with a reader that does what a hostile file could.

python tests/ecg/odd_readers.py KIND FD
"""

import ctypes
import os
import socket
import sys
import time

import numpy as np

from focal_app.ecg.reading_process import serve
from focal_app.ecg.recording import ECG, LEADS, SourceFacts


def spin(_):
    while True:
        pass


def sleep(_):
    time.sleep(1000)


def eat(_):
    held = []
    while True:
        held.append(np.empty(10_000_000))


def crash(_):
    ctypes.string_at(0)


def leave(_):
    os._exit(0)


def stumble(_):
    raise KeyError("Zyxqvardson")


def tell(paths):
    """A recording whose age is the process that read it."""
    first = paths[0].read_text()
    if first in KINDS:
        return KINDS[first](paths)
    signal = np.random.default_rng(0).normal(size=(12, 5000)).astype(np.float32)
    return ECG(signal, LEADS, 500.0, SourceFacts("test", age_years=os.getpid()))


def secrets(_):
    told = SourceFacts("test", codes=tuple(sorted(os.environ)))
    return ECG(np.ones((12, 5000), dtype=np.float32), LEADS, 500.0, told)


KINDS = {one.__name__: one for one in (spin, sleep, eat, crash, leave, stumble, secrets)}

if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), tell)
