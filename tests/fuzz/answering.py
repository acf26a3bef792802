"""A server on this machine that answers every question with the bytes it was told to."""

import threading
from collections.abc import Callable
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@cache
def answering() -> tuple[str, Callable[[bytes], None]]:
    """Its address, and how to tell it the next answer."""
    held = {"body": b""}

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(held["body"])))
            self.end_headers()
            self.wfile.write(held["body"])

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    served = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{served.server_port}/v1", lambda body: held.update(body=body)
