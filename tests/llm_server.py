"""A server of the OpenAI protocol that answers as real ones do: well, wrongly, late, or never."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FEATURES = ["Wide QRS complex", "Broad notched R waves in lateral leads"]
KNOWN = ["tiny/one", "tiny/two"]
"""The models that it says it has; it answers as any."""


class Model(BaseHTTPRequestHandler):
    """Answers like an OpenAI-compatible server; `server.mood` says how."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": [{"id": name} for name in KNOWN]}).encode())

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.heard.append((self.path, dict(self.headers), asked))
        mood = self.server.mood
        if mood == "slow":
            time.sleep(1.5)
        if mood == "dies":
            return self.connection.close()
        if mood == "redirects":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
            return self.end_headers()
        if mood == "refuses":
            return self.send_error(401)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self._body(mood, asked))

    def _body(self, mood, asked):
        if mood == "garbles":
            return b"{not json"
        if mood == "floods":
            return b"[" * 3_000_000
        said = (
            "They are wide."
            if "response_format" not in asked
            else json.dumps({"features": FEATURES})
        )
        if mood == "rambles":
            said = "I cannot help with that."
        if mood == "proposes nothing" and "response_format" in asked:
            said = '{"features":[]}'
        if mood == "proposes late" and "response_format" in asked and not asked["temperature"]:
            said = '{"features":[]}'
        if mood == "repeats" and "response_format" in asked:
            said = '{"features": ["LBBB waveform", "golden spike"]}'
        return json.dumps({"choices": [{"message": {"content": said}}]}).encode()

    def log_message(self, *_):
        pass


@contextmanager
def answering():
    """The server while it runs: `mood` is how it answers, `heard` what it was asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        server.heard, server.mood = [], "well"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
