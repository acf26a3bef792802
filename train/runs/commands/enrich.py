"""The command that asks for the waveform features which reports leave out."""

import dataclasses
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from focal_app.errors import ConfigError
from train.checked import Checked, Range
from train.data.source import COMMAS
from train.recipe import Backend as BackendName
from train.settings import Flag, refuse

if TYPE_CHECKING:
    from train.enrich.backends.protocol import Backend
    from train.enrich.prompts import Generation

BACKEND = Flag(
    "curated: the lexicon, no model; server: any that speaks OpenAI's protocol; vllm: in "
    "this process; ray: over several nodes, against --base-url or with an engine on each"
)
DRAWN = ("seed", "temperature", "top_p", "max_tokens", "thinking", "attempts")
"""How answers are drawn: of every model, and not of the lexicon."""
OF_MODELS = (
    *DRAWN,
    *("base_url", "model", "token_variable", "concurrency", "timeout", "tries", "replicas"),
    *("engine", "at_once", "hardware"),
)
"""Settings that only some backends read; `USED` says which."""
OF_SERVERS = ("base_url", "model", "token_variable", "tries", "hardware")
USED = {
    "curated": (),
    "server": (*DRAWN, *OF_SERVERS, "concurrency", "timeout", "at_once"),
    "vllm": (*DRAWN, "model", "engine", "at_once", "hardware"),
    "ray against a server": (*DRAWN, *OF_SERVERS, "replicas"),
    "ray with engines": (*DRAWN, "model", "engine", "replicas", "hardware"),
}
Hardware = Literal["gpu", "cpu"]
CUT_TAGS = (
    "found the backend curated and reports that are cut at commas, whose parts are hardly ever a "
    "statement of the lexicon: next to nothing would be proposed. Take a language model, or tags "
    "by `--tagging curated`"
)


@dataclass(frozen=True)
class Pace:
    """What suits the hardware that the model runs on: what is not said otherwise."""

    max_tokens: int
    concurrency: int
    timeout: float
    of_an_engine: int


PACES: dict[Hardware, Pace] = {
    "gpu": Pace(1024, concurrency=16, timeout=300.0, of_an_engine=2048),
    "cpu": Pace(256, concurrency=4, timeout=1800.0, of_an_engine=16),
}
"""On a CPU few requests run side by side, each slowly: a small model gives some 50 tokens a second
in all, so that 16 answers of 1024 tokens would take longer than 300 s, be given up and asked again.
"""


@dataclass(frozen=True, kw_only=True)
class Asking(Checked):
    """Which model is asked and how its answers are drawn."""

    base_url: Annotated[str | None, Flag("the server, as http://HOST:PORT/v1", "URL")] = None
    model: Annotated[
        str | None, Flag("the model: a name the server knows, a Hub name, a folder", "NAME")
    ] = None
    token_variable: Annotated[
        str | None,
        Flag("environment variable that holds the server's key; without it no key is sent", "NAME"),
    ] = None
    hardware: Annotated[
        Hardware,
        Flag(
            "where the model runs: on a cpu answers are shorter, fewer run side by side, and each "
            "may take longer (default gpu)"
        ),
    ] = "gpu"
    concurrency: Annotated[
        int | None,
        Flag(
            "requests side by side; more is faster until the server's queue is full (default 16; "
            "on a cpu 4)",
            "N",
        ),
    ] = None
    timeout: Annotated[
        float | None,
        Flag(
            "seconds that one request may take before it is asked again (default 300; on a cpu "
            "1800)",
            "S",
        ),
        Range(0, above=True),
    ] = None
    at_once: Annotated[
        int | None,
        Flag(
            "tag sets that are handed over together: their candidates are on the disk before the "
            "next are asked (default for a server 8 times --concurrency, for vllm 2048, and 16 on "
            "a cpu)",
            "N",
        ),
        Range(1),
    ] = None
    tries: Annotated[
        int,
        Flag(
            "tries of a request, each after twice the wait, before the run stops (default 6)", "N"
        ),
    ] = 6
    replicas: Annotated[
        int, Flag("Ray's workers: engines, or clients of the server (default 1)", "N")
    ] = 1
    engine: Annotated[
        str,
        Flag("arguments of vLLM's engine, as '{\"max_model_len\": 4096}'", "JSON"),
    ] = "{}"
    seed: Annotated[int, Flag("another one draws other answers", "N")] = 0
    temperature: Annotated[float, Flag("0 takes the likeliest word (default 0.7)", "X")] = 0.7
    top_p: Annotated[float, Flag("share of the likely words (default 0.8)", "X")] = 0.8
    max_tokens: Annotated[
        int | None,
        Flag(
            "longest answer; a list that is cut off counts as malformed (default 1024; on a cpu "
            "256)",
            "N",
        ),
        Range(1),
    ] = None
    thinking: Annotated[
        bool,
        Flag(
            "leave it to the model whether it thinks first: many times slower with Qwen3; also "
            "for servers that refuse `chat_template_kwargs`"
        ),
    ] = False
    attempts: Annotated[
        int,
        Flag(
            "how often a tag set is asked whose answer holds no list, an empty one or nothing new: "
            "each time with another seed, and never at temperature 0 again (default 3)",
            "N",
        ),
    ] = 3

    def generation(self) -> "Generation":
        """How answers are drawn."""
        from train.enrich.prompts import Generation

        names = (field.name for field in dataclasses.fields(Generation))
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        return Generation(**(given | {"max_tokens": self.max_tokens or self.pace.max_tokens}))

    @property
    def pace(self) -> Pace:
        """What the hardware suggests."""
        return PACES[self.hardware]

    def engine_options(self, flags: str = "--") -> dict[str, Any]:
        """The arguments of the engine; an error names flags as they begin."""
        try:
            made = json.loads(self.engine)
        except json.JSONDecodeError as error:
            raise ConfigError(f"{flags}engine is not JSON ({error}); needed an object") from None
        if not isinstance(made, dict):
            raise ConfigError(f"found {flags}engine {self.engine}; needed a JSON object")
        return made

    def token(self, flags: str = "--") -> str | None:
        """The server's key."""
        name = self.token_variable
        if name and name not in os.environ:
            raise ConfigError(
                f"{flags}token-variable names {name}, which is not set in the environment"
            )
        return os.environ[name] if name else None

    def check(self, backend: str, *, prefix: str = "") -> None:
        """Refuse what this backend needs and was not given, or was given and does not read."""
        where, flags = backend, f"--{prefix}." if prefix else "--"
        if backend == "ray":
            where = "ray against a server" if self.base_url else "ray with engines"
        unused = [name for name in OF_MODELS if name not in USED[where]]
        refuse(self, f"with {flags}backend {where}", unused, prefix=prefix)
        self.token(flags)
        for name in ("base_url", "model"):
            if name in USED[where] and not getattr(self, name):
                raise ConfigError(f"{flags}backend {backend} needs {flags}{name.replace('_', '-')}")
        self.engine_options(flags)


def enrich(
    shards: Annotated[
        tuple[Path, ...],
        Flag("folders of shards; every distinct tag set among them all is asked once", "DIR"),
    ],
    out: Annotated[
        Path,
        Flag("where candidates and answers go; answers that are there are not asked again", "DIR"),
    ],
    backend: Annotated[BackendName, BACKEND],
    asking: Asking,
    estimate: Annotated[
        int | None,
        Flag(
            "ask only N of the tag sets, say what all will cost in requests, tokens and hours, and "
            "end; 0 asks none. What is answered is kept for the run itself",
            "N",
        ),
        Range(0),
    ] = None,
) -> None:
    """Ask a language model, or the lexicon, for the features that reports leave out."""
    from train.data.shards import Shards
    from train.enrich import generate

    asking.check(backend)
    generation = asking.generation()
    opened_shards = [Shards.open(folder) for folder in shards]
    if backend == "curated" and any(one.tagging == COMMAS for one in opened_shards):
        raise ConfigError(CUT_TAGS)
    tags = [found for one in opened_shards for found in one.tags]
    chosen = opened(backend, asking)
    how: dict[str, Any] = {"out": out, "generation": generation, "attempts": asking.attempts}
    if estimate is None:
        print(generate.costs(tags, generation).words(), file=sys.stderr)
        print(f"{chosen.name}, {chosen.model}\n{generate.enrich(tags, chosen, **how)}")
    else:
        print(generate.estimate(tags, chosen, estimate, **how))


def opened(backend: str, asking: Asking) -> "Backend":
    """The backend of that name, which answers as the settings say."""
    from train.enrich.backends.curated import Curated
    from train.enrich.backends.ray_data import RayEngine, RayServer
    from train.enrich.backends.server import Server
    from train.enrich.backends.vllm_offline import VLLMOffline

    generation, model, url = asking.generation(), asking.model or "", asking.base_url or ""
    common: dict[str, Any] = {"tries": asking.tries, "token": asking.token()}
    if backend == "curated":
        return Curated()
    pace = asking.pace
    if backend == "vllm":
        at_once = asking.at_once or pace.of_an_engine
        return VLLMOffline(model, generation, engine=asking.engine_options(), at_once=at_once)
    if backend == "server":
        limits = {
            "concurrency": pace.concurrency if asking.concurrency is None else asking.concurrency,
            "timeout_s": asking.timeout or pace.timeout,
        }
        server = Server(url, model, generation, **limits, **common)
        server.at_once = asking.at_once or server.at_once
        return server
    if url:
        return RayServer(url, model, generation, replicas=asking.replicas, **common)
    options = asking.engine_options()
    return RayEngine(model, generation, replicas=asking.replicas, engine=options)
