"""A server that speaks OpenAI's protocol and answers without a model, always the same."""

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Body = dict[str, Any]
Reply = tuple[int, Any]
"""Status, and the body: a plain value is sent as JSON, bytes as they are."""

FEATURES = ("pacing spikes", "epsilon wave", "Osborn wave", "electrical alternans")
NOTHING: Reply = (0, b"")
"""The connection is closed without a word."""


def tags_of(body: Body) -> list[str]:
    """The tags that a request asks about."""
    return body["messages"][0]["content"].partition("\n")[0].split("; ")


def said(text: str | None) -> Reply:
    """A reply with a text of the assistant."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}
    choice["message"] |= {"content": text}
    reply = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "usage": {}}
    return 200, {**reply, "choices": [choice]}


def features_of(tags: Iterable[str]) -> list[str]:
    """A feature of the lexicon a tag, always the same."""
    return [FEATURES[zlib.crc32(tag.encode()) % len(FEATURES)] for tag in tags]


def honest(body: Body, _number: int) -> Reply:
    """A feature a tag: in prose to the first prompt, as the schema asks to the second."""
    features = features_of(tags_of(body))
    if len(body["messages"]) == 1:
        return said("These signs are likely: " + ", ".join(features))
    return said(json.dumps({"features": features}))


class StandIn(ThreadingHTTPServer):
    """Serves until it is left; `bodies` are the requests that it read, in their order."""

    daemon_threads = True

    def __init__(self, behave: Callable[[Body, int], Reply] = honest, *, delay_s: float = 0):
        """Listen on a free port of this machine."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behave, self.delay_s = behave, delay_s
        self.bodies: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.busy = self.busiest = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base address of the protocol."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.headers.append({**self.headers, "path": self.path})
            number = len(self.server.bodies)
            self.server.busy += 1
            self.server.busiest = max(self.server.busiest, self.server.busy)
        time.sleep(self.server.delay_s)
        status, reply = self.server.behave(body, number)
        with self.server.lock:
            self.server.busy -= 1
        if status:
            self._send(status, reply if isinstance(reply, bytes) else json.dumps(reply).encode())

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass
