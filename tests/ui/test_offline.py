"""The server contacts nothing outside, started as a user starts it: `python app.py`."""

import os
import subprocess
import sys
from pathlib import Path

from running import reserved_port

ROOT = Path(__file__).parents[2]

WATCHED = """
import os, runpy, signal, socket, sys, threading, time, urllib.request

outside, connect, lookup = [], socket.socket.connect, socket.getaddrinfo
near = ("127.", "localhost", "::1", "0.0.0.0")

def watched_connect(self, address):
    if self.family != socket.AF_UNIX and not str(address[0]).startswith(near):
        outside.append(address)
    return connect(self, address)

def watched_lookup(host, *rest, **named):
    if host and not str(host).startswith(near):
        outside.append(host)
    return lookup(host, *rest, **named)

socket.socket.connect, socket.getaddrinfo = watched_connect, watched_lookup

def visit():
    address = "http://127.0.0.1:" + os.environ["GRADIO_SERVER_PORT"]
    for _ in range(600):
        try:
            page = urllib.request.urlopen(address, timeout=5).read()
            break
        except OSError:
            time.sleep(0.2)
    time.sleep(3)
    print("PAGE", len(page), "OUTSIDE", outside, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=visit, daemon=True).start()
runpy.run_path("app.py", run_name="__main__")
"""


def test_starting_the_app_and_opening_the_page_looks_nothing_up_outside():
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "GRADIO_"))}
    with reserved_port() as port:
        done = subprocess.run(
            [sys.executable, "-c", WATCHED],
            cwd=ROOT,
            env={**kept, "GRADIO_SERVER_PORT": str(port)},
            capture_output=True,
            text=True,
            timeout=240,
        )
    report = next(line for line in done.stdout.splitlines() if line.startswith("PAGE"))
    assert int(report.split()[1]) > 1000
    assert report.endswith("OUTSIDE []")
