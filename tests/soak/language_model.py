"""A language model's server that is quick, slow or dead, as it is told to be."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SLOW_S = 15.0
SAID = json.dumps({"features": ["wide QRS complex", "absent P waves"]})
ANSWER = json.dumps({"choices": [{"message": {"content": SAID}}]}).encode()


@dataclass
class LanguageModel:
    """Where it listens, and how it is: "quick", "slow" or "dead"."""

    address: str
    state: str = "quick"


@contextmanager
def language_model() -> Iterator[LanguageModel]:
    """A server of the OpenAI protocol on this machine."""
    model = LanguageModel("")

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if model.state == "dead":
                self.close_connection = True
                return
            if model.state == "slow":
                time.sleep(SLOW_S)
            self.send_response(200)
            self.send_header("Content-Length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model.address = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
