"""A real model on a CPU: vLLM's server, vLLM in this process, and Ray. Run by `make test-enrich`.

The model is SmolLM2-135M-Instruct: it speaks English, keeps to the schema and knows no ECG. It
shows that every engine works and what comes of weak answers, and nothing of what a model that
knows ECGs proposes.
"""

import gc
import importlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from focal_app.lexicon import load_lexicon
from focal_app.words.proposals import proposals
from train.__main__ import main
from train.enrich.backends.protocol import Backend, BackendError
from train.enrich.backends.ray_data import RayEngine, RayServer
from train.enrich.backends.server import Server
from train.enrich.candidates import Candidate, candidate_lines
from train.enrich.generate import enrich
from train.enrich.prompts import Generation, begin
from train.enrich.report import Report

if importlib.util.find_spec("vllm") is None or importlib.util.find_spec("ray") is None:
    pytest.skip("vLLM and Ray are not installed here: make test-enrich", allow_module_level=True)

if "FOCAL_TEST_LLM" not in os.environ:
    pytest.skip("FOCAL_TEST_LLM names no model: make test-enrich", allow_module_level=True)

pytestmark = pytest.mark.timeout(1800)

MODEL = os.environ["FOCAL_TEST_LLM"]
GENERATION = Generation(max_tokens=192)
LONGEST = 2048
STATEMENTS = [statement.tag for statement in load_lexicon()]
EVERY = [tuple(STATEMENTS[i : i + 1 + i % 3]) for i in range(0, 16, 2)]
FEW = EVERY[:3]
READY_S = 900
STRUCTURED = {"backend": "xgrammar"}
"""Never `disable_any_whitespace`: with it this model answers most questions by an empty list."""
MEMORY = 0.15
"""Share of this machine's memory; 1 GB of it is for what the model has read."""
TOKENS = 16 * LONGEST
"""Read in one go: on a CPU, vLLM 0.32 dies of a seeded request whose prompt it reads in parts."""
ENGINE = {
    "enable_chunked_prefill": False,
    "max_num_batched_tokens": TOKENS,
    "max_num_seqs": 16,
    "gpu_memory_utilization": MEMORY,
    "max_model_len": LONGEST,
    "enforce_eager": True,
    "dtype": "bfloat16",
    "structured_outputs_config": STRUCTURED,
}


@pytest.fixture(scope="module", autouse=True)
def quiet_and_small() -> Iterator[None]:
    """Settings that vLLM and Ray, and the processes that they begin, take from here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
        patch.setenv("VLLM_NO_USAGE_STATS", "1")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # An engine takes two of them, and who asks it another, however few there are.
        importlib.import_module("ray").init(num_cpus=4)
        yield


class VLLMServer:
    """vLLM's own server as processes of their own, which end together."""

    def __init__(self, log: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        options = f"--served-model-name small --host 127.0.0.1 --port {self.port} --enforce-eager"
        command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model"]
        command += [MODEL, *options.split(), "--max-model-len", str(LONGEST)]
        command += ["--gpu-memory-utilization", str(MEMORY), "--no-enable-chunked-prefill"]
        command += ["--max-num-batched-tokens", str(TOKENS), "--max-num-seqs", "16"]
        command += [
            "--dtype",
            "bfloat16",
            "--structured-outputs-config",
            json.dumps(STRUCTURED),
        ]
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                command, stdout=file, stderr=file, start_new_session=True
            )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def wait(self) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < READY_S and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5)
            except (OSError, urllib.error.URLError):
                time.sleep(0.5)
            else:
                print(f"\nvLLM's server is ready after {time.monotonic() - begun:.0f} s")
                return
        pytest.fail(f"vLLM's server did not start:\n{self.log.read_text()[-3000:]}")

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VLLMServer]:
    started = VLLMServer(tmp_path_factory.mktemp("server") / "log.txt")
    try:
        started.wait()
        yield started
    finally:
        started.kill()


def run(backend: Backend, sets: list[tuple[str, ...]], out: Path) -> Report:
    """Enrich, print the summary, and ask nothing when it is done again."""
    reports = sets * 2
    report = enrich(reports, backend, out=out, generation=GENERATION, attempts=2)
    print(f"\n--- {backend.name}\n{report}")
    assert (report.reports, report.distinct_sets) == (len(reports), len(sets))
    assert report.calls == 2 * (len(sets) + report.retried)
    assert report.refused == 0
    again = enrich(reports, backend, out=out, generation=GENERATION, attempts=2)
    assert (again.calls, again.ok) == (0, report.ok)
    hold(candidate_lines(out))
    return report


def hold(lines: list[Candidate]) -> None:
    """Answers keep to the schema, few are empty, and no echo of a tag is a candidate."""
    answered = [line for line in lines if line.status != "malformed"]
    assert 2 * len(answered) >= len(lines)
    for line in answered:
        assert set(json.loads(line.raw[1], strict=False)) == {"features"}
        assert proposals(line.features, line.tags).echoes == ()
    none = [line for line in lines if line.status == "none proposed"]
    print(f"none proposed: {len(none)} of {len(lines)}")
    assert 4 * len(none) <= len(lines)


def test_vllms_server_answers(server: VLLMServer, tmp_path: Path) -> None:
    run(Server(server.url, "small", GENERATION, concurrency=4, timeout_s=900), EVERY, tmp_path)


def test_rays_http_processor_answers_against_the_same_server(
    server: VLLMServer, tmp_path: Path
) -> None:
    run(RayServer(server.url, "small", GENERATION), FEW, tmp_path)


def test_a_wrong_model_is_said_in_the_servers_words(server: VLLMServer, tmp_path: Path) -> None:
    for backend in (
        Server(server.url, "huge", GENERATION),
        RayServer(server.url, "huge", GENERATION),
    ):
        with pytest.raises(BackendError, match=r"refused every request.*huge"):
            enrich(FEW, backend, out=tmp_path, generation=GENERATION)


def test_a_server_killed_at_work_is_an_error_and_its_answers_are_kept(
    server: VLLMServer, tmp_path: Path
) -> None:
    answers = tmp_path / "answers.jsonl"

    def kill_after_the_first_answers() -> None:
        while not answers.is_file() or answers.read_bytes().count(b"\n") < 3:
            time.sleep(0.01)
        server.kill()

    killer = threading.Thread(target=kill_after_the_first_answers)
    killer.start()
    backend = Server(server.url, "small", GENERATION, concurrency=2, tries=3, wait_s=0.1)
    with pytest.raises(BackendError, match="What it answered is kept") as caught:
        enrich(EVERY, backend, out=tmp_path, generation=GENERATION)
    killer.join()
    kept = answers.read_bytes().count(b"\n")
    print(f"\n--- killed at work\n{caught.value}\n{kept} answers kept")
    assert 3 <= kept < 2 * len(EVERY)
    assert not (tmp_path / "report.json").exists()


def test_vllm_in_this_process_answers_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from noise_shards import save_shards

    shards, out = tmp_path / "shards", tmp_path / "candidates"
    save_shards(shards, EVERY)
    command = ["enrich", "--shards", f"{shards}", "--out", f"{out}", "--backend", "vllm"]
    command += ["--model", MODEL, "--hardware", "cpu", "--attempts", "2"]
    command += ["--max-tokens", "192", "--engine", json.dumps(ENGINE)]
    assert main(command) == 0
    with capsys.disabled():
        print(f"\n--- vllm, by command\n{capsys.readouterr().out}")
    lines = candidate_lines(out)
    assert len(lines) == len(EVERY)
    hold(lines)


def test_rays_engine_answers_and_starts_once(tmp_path: Path) -> None:
    placement = {"bundle_per_worker": {"CPU": 1}}
    backend = RayEngine(MODEL, GENERATION, engine=ENGINE, placement=placement)
    report = run(backend, FEW, tmp_path)
    assert report.calls > len(FEW), "the second questions are a hand-over of their own"
    assert len(engines()) == 1
    del backend
    gc.collect()
    assert not [one for one in engines() if one.state == "ALIVE"]


def test_engines_that_cannot_start_are_said_to(tmp_path: Path) -> None:
    placement = {"bundle_per_worker": {"CPU": 1}}
    backend = RayEngine(str(tmp_path / "nowhere"), GENERATION, engine=ENGINE, placement=placement)
    with pytest.raises(BackendError, match="could not start 1 engines of"):
        list(backend.answer([begin(FEW[0], GENERATION)]))


def engines() -> list[Any]:
    """Every engine that Ray has ever started here."""
    actors = importlib.import_module("ray.util.state").list_actors()
    return [one for one in actors if "engine" in str(one.class_name)]
