"""Threads share their memory, and give back what is free, where the C library can."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import gradio as gr
import pytest
from gradio.routes import App

from focal_app.ui.server import expiry
from focal_app.ui.server.upload_folder import upload_folder
from focal_app.ui.server.upload_ledger import Ledger


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone has pools for each thread")
@pytest.mark.parametrize("shared", [True, False])
def test_sixteen_threads_use_two_pools_and_not_one_each(shared, tmp_path):
    script = f"""
import ctypes, threading
from focal_app.ui.server.memory import share_memory
assert not {shared} or share_memory()
libc, together = ctypes.CDLL("libc.so.6"), threading.Barrier(16)
def allocate():
    together.wait()
    libc.malloc(1000)
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(b"{tmp_path / "pools"}", b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pools = (tmp_path / "pools").read_text().count("<heap nr=")
    assert (pools <= 2) is shared


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone keeps so much")
def test_what_is_free_is_given_back_though_something_small_lies_behind_it():
    script = """
import ctypes, resource
from pathlib import Path
from focal_app.ui.server.memory import give_back_memory
def held_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
libc = ctypes.CDLL("libc.so.6")
libc.malloc.restype = ctypes.c_void_p
def allocated(size):
    place = libc.malloc(size)
    ctypes.memset(place, 1, size)
    return ctypes.c_void_p(place)
places = [allocated(100_000) for _ in range(1_000)]
last = allocated(100_000)
for place in places:
    libc.free(place)
before = held_mb()
give_back_memory()
assert before - held_mb() > 90, (before, held_mb())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_it_is_given_back_again_and_again_while_the_server_runs(monkeypatch):
    given = []
    monkeypatch.setattr(expiry, "EVERY_S", 0.0)
    monkeypatch.setattr(expiry, "give_back_memory", lambda: given.append(True))

    async def running(folder):
        app = App.create_app(gr.Blocks())
        forgetting = expiry.forgetting(folder, Ledger(folder.uploads), after_s=60.0)
        async with forgetting(app), asyncio.timeout(60):
            while len(given) < 2:
                await asyncio.sleep(0.01)

    # In a thread: a browser's tests leave a loop running in this one.
    with upload_folder() as folder, ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, running(folder)).result()
