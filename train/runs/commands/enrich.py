"""The command that asks for the waveform features which reports leave out."""

import argparse
import dataclasses
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focal_app.errors import ConfigError

if TYPE_CHECKING:
    from train.enrich.backends.protocol import Backend
    from train.enrich.prompts import Generation

BACKENDS = ("curated", "server", "vllm", "ray")


def add(commands: argparse._SubParsersAction) -> None:
    """Add `enrich`."""
    command = commands.add_parser(
        "enrich",
        help="ask a language model, or the lexicon, for the features that reports leave out",
    )
    command.add_argument(
        "--shards",
        type=Path,
        nargs="+",
        required=True,
        metavar="DIR",
        help="folders of shards; every distinct tag set among them all is asked once",
    )
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="where candidates and answers go; answers that are there are not asked again",
    )
    command.add_argument(
        "--backend",
        choices=BACKENDS,
        required=True,
        help="curated: the lexicon, no model; server: any that speaks OpenAI's protocol; vllm: in "
        "this process; ray: over several nodes, against --base-url or with an engine on each",
    )
    _add_model(command)
    _add_drawing(command)
    command.set_defaults(command=_enrich)


def _add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument("--base-url", metavar="URL", help="the server, as http://HOST:PORT/v1")
    command.add_argument(
        "--model", metavar="NAME", help="the model: a name the server knows, a Hub name, a folder"
    )
    command.add_argument(
        "--token-variable",
        metavar="NAME",
        help="environment variable that holds the server's key; without it no key is sent",
    )
    command.add_argument(
        "--concurrency",
        type=int,
        default=16,
        metavar="N",
        help="requests side by side; more is faster until the server's queue is full (default 16)",
    )
    command.add_argument(
        "--timeout",
        type=float,
        default=300,
        metavar="S",
        help="seconds that one request may take before it is asked again (default 300)",
    )
    command.add_argument(
        "--tries",
        type=int,
        default=6,
        metavar="N",
        help="tries of a request, each after twice the wait, before the run stops (default 6)",
    )
    command.add_argument(
        "--replicas",
        type=int,
        default=1,
        metavar="N",
        help="Ray's workers: engines, or clients of the server (default 1)",
    )
    command.add_argument(
        "--engine",
        type=json.loads,
        default={},
        metavar="JSON",
        help="arguments of vLLM's engine, as '{\"max_model_len\": 4096}'",
    )


def _add_drawing(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="another one draws other answers"
    )
    command.add_argument(
        "--temperature", type=float, default=0.7, help="0 takes the likeliest word (default 0.7)"
    )
    command.add_argument(
        "--top-p", type=float, default=0.8, help="share of the likely words (default 0.8)"
    )
    command.add_argument(
        "--max-tokens",
        type=int,
        default=1024,
        metavar="N",
        help="longest answer; a list that is cut off counts as malformed (default 1024)",
    )
    command.add_argument(
        "--thinking",
        action="store_true",
        help="leave it to the model whether it thinks first: many times slower with Qwen3; also "
        "for servers that refuse `chat_template_kwargs`",
    )
    command.add_argument(
        "--attempts",
        type=int,
        default=3,
        metavar="N",
        help="how often a malformed answer is asked for with a new seed (default 3)",
    )


def _enrich(options: argparse.Namespace) -> None:
    from train.data.shards import Shards
    from train.enrich.generate import enrich
    from train.enrich.prompts import Generation

    names = (field.name for field in dataclasses.fields(Generation))
    generation = Generation(**{name: getattr(options, name) for name in names})
    tags = [found for folder in options.shards for found in Shards.open(folder).tags]
    backend = _backend(options, generation)
    report = enrich(
        tags, backend, out=options.out, generation=generation, attempts=options.attempts
    )
    print(f"{backend.name}, {backend.model}\n{report}")


def _backend(options: argparse.Namespace, generation: "Generation") -> "Backend":
    from train.enrich.backends.curated import Curated
    from train.enrich.backends.ray_data import RayEngine, RayServer
    from train.enrich.backends.server import Server
    from train.enrich.backends.vllm_offline import VLLMOffline

    if options.backend == "curated":
        return Curated()
    model = _needed(options.model, "--model", options.backend)
    if options.backend == "vllm":
        return VLLMOffline(model, generation, engine=options.engine)
    common: dict[str, Any] = {"tries": options.tries, "token": _token(options.token_variable)}
    if options.backend == "server":
        url = _needed(options.base_url, "--base-url", options.backend)
        limits = {"concurrency": options.concurrency, "timeout_s": options.timeout}
        return Server(url, model, generation, **limits, **common)
    if options.base_url:
        return RayServer(options.base_url, model, generation, replicas=options.replicas, **common)
    return RayEngine(model, generation, replicas=options.replicas, engine=options.engine)


def _needed(value: str | None, option: str, backend: str) -> str:
    if not value:
        raise ConfigError(f"--backend {backend} needs {option}")
    return value


def _token(variable: str | None) -> str | None:
    if variable and variable not in os.environ:
        raise ConfigError(f"--token-variable names {variable}, which is not set in the environment")
    return os.environ[variable] if variable else None
