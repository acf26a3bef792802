"""Threads share their memory where the C library can."""

import subprocess
import sys

import pytest


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
