"""What tests that talk to a real app from outside rest on."""

import socket
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from running import reserved_port


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a port is only found free")
def test_one_process_may_listen_on_a_reserved_port_and_nobody_else_is_given_it():
    with reserved_port() as port, socket.socket() as other:
        with pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))
        second = pytest.raises(OSError, match="in use")
        with HTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler), second:
            HTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler)
