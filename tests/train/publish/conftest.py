"""A stand-in for the Hub's HTTP calls, on this machine, made of the standard library alone."""

import base64
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from focal_app.ecg.recording import ECG, LEADS, SourceFacts
from train.data import verified_files as verified
from train.data.build import build
from train.data.shards import Shards
from train.data.source import Annotated, Study


@dataclass
class Hub:
    """What the stand-in was asked for and was given; `refuse` answers everything with a status,
    and what is `public` was there before, so that it is not made private."""

    url: str = ""
    refuse: int | None = None
    public: bool = False
    created: list[dict] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    commits: int = 0

    @property
    def held(self) -> dict[str, bytes]:
        """Every file of the repository, large ones by what was uploaded for them."""
        return {
            name: self.large.get(name_or_oid(content), content)
            for name, content in self.files.items()
        }


def name_or_oid(content: bytes) -> str:
    """The checksum that stands for a large file, or nothing that could be one."""
    return content.decode("latin-1")[4:] if content.startswith(b"lfs:") else ""


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A server that takes a repository, its files and its commits as the Hub does."""
    state = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Quietly."""

        def _body(self) -> bytes:
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def _answer(self, value: object, status: int = 200) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            body = self._body()
            state.tokens.add(self.headers.get("Authorization") or "")
            if state.refuse:
                self._answer({"error": "no"}, state.refuse)
            elif self.path == "/api/repos/create":
                state.created.append(json.loads(body))
                self._answer({"url": f"{state.url}/me/it"})
            elif self.path == "/api/validate-yaml":
                self._answer({"errors": [], "warnings": []})
            elif "/preupload/" in self.path:
                self._answer({"files": [_mode(file) for file in json.loads(body)["files"]]})
            elif self.path.endswith("/info/lfs/objects/batch"):
                self._answer({"transfer": "basic", "objects": _objects(state, json.loads(body))})
            elif "/commit/" in self.path:
                _commit(state, body)
                self._answer(
                    {"commitUrl": f"{state.url}/me/it/commit/{'a' * 40}", "commitOid": "a" * 40}
                )
            else:
                self._answer({"error": f"unknown {self.path}"}, 404)

        def do_PUT(self) -> None:
            state.large[self.path.rsplit("/", 1)[1]] = self._body()
            self._answer({})

        def do_GET(self) -> None:
            if state.created and self.path.startswith("/api/") and self.path.endswith("/me/it"):
                private = not state.public and state.created[-1].get("visibility") == "private"
                self._answer({"id": "me/it", "private": private, "siblings": [], "tags": []})
            else:
                self._answer({"error": "nothing there"}, 404)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def _mode(file: dict) -> dict:
    mode = "lfs" if file["path"].endswith(".safetensors") else "regular"
    return {"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": None}


def _objects(state: Hub, asked: dict) -> list[dict]:
    return [
        {**one, "actions": {"upload": {"href": f"{state.url}/large/{one['oid']}"}}}
        for one in asked["objects"]
    ]


def _commit(state: Hub, body: bytes) -> None:
    state.commits += 1
    for line in map(json.loads, body.decode().splitlines()):
        value = line["value"]
        if line["key"] == "file":
            state.files[value["path"]] = base64.b64decode(value["content"])
        elif line["key"] == "lfsFile":
            state.files[value["path"]] = b"lfs:" + value["oid"].encode()


@dataclass(frozen=True)
class Told:
    """A source of silent recordings with these reports."""

    name: str
    reports: tuple[tuple[str, str], ...]
    about: dict = field(default_factory=dict)
    total: None = None
    spoken: None = None
    classes_stated: bool = True

    def studies(self, counted: object) -> Iterator[Study]:
        """One study a report."""
        for number, (split, report) in enumerate(self.reports):
            key = f"{self.name}-{number}"

            def read(counted: object, report: str = report) -> Annotated:
                wave = np.sin(np.arange(5000) / 20).astype(np.float32)
                ecg = ECG(np.tile(wave, (12, 1)), LEADS, 500.0, SourceFacts("told", 71, "F"))
                return Annotated(ecg, ("sinus rhythm",), report=report)

            yield Study(key, f"patient-{number}", split, read)


@pytest.fixture
def make_told(tmp_path: Path) -> Callable[..., Shards]:
    """`make_told(name, [(split, report), ...])`: shards of a source with that name."""

    def make(name: str, reports: Sequence[tuple[str, str]]) -> Shards:
        return build(Told(name, tuple(reports)), tmp_path / "data" / name, workers=1)

    return make


@pytest.fixture
def make_verified(tmp_path: Path) -> Callable[..., Path]:
    """`make_verified(shards...)`: a finished verification of them, one feature kept, one not."""

    def make(*shards: Shards) -> Path:
        out = tmp_path / "verified"
        verified.start(
            out, {"threshold": 0.95, "unit": "calibrated probability", "score": "candidate"}
        )
        lines = [
            {
                "key": key,
                "tags": ["sinus rhythm"],
                "accepted": [{"feature": "upright T waves", "probability": 0.97}],
                "rejected": [
                    {"feature": "delta wave", "probability": 0.1, "reason": "below the threshold"}
                ],
            }
            for shard in shards
            for key in shard.keys
        ]
        verified.write_part(out / verified.part_name(0), lines)
        counts = {
            **{"records": len(lines), "without_candidates": 0, "unreadable": 0},
            **{"candidates": 2 * len(lines), "accepted": len(lines)},
            "rejected": {"below the threshold": len(lines)},
        }
        verified.finish(out, 1, counts)
        return out

    return make
