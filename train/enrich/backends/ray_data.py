"""Ray Data over several nodes: an engine on each of them, or many clients of one server.

    RayEngine("Qwen/Qwen3-8B", Generation(), replicas=8, engine={"max_model_len": 4096})
    RayServer("http://127.0.0.1:8000/v1", "Qwen/Qwen3-8B", Generation(), replicas=4)

The cluster is the one that RAY_ADDRESS names, else this machine. Ray is imported when first asked.
Rows go to the workers as plain values, so that the workers need no copy of this package. Engines
start with the first question and stay, by Ray Serve, until the backend is let go of: Ray Data alone
would load every model anew for every hand-over.
"""

import hashlib
import json
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from focal_app.errors import ConfigError
from train.enrich.backends.protocol import Answer, BackendError, imported, request_of
from train.enrich.prompts import Conversation, Generation

AT_ONCE = 8_192
"""Tag sets: what they give is on the disk then, and those who ask start anew, which takes 10 s."""
ENGINE, REQUEST = "engine", "request"


class _OverRay(ABC):
    """What both ways share: rows out, answers back as the workers finish them."""

    at_once = AT_ONCE
    varies = True

    def __init__(self, model: str, generation: Generation, *, replicas: int) -> None:
        if replicas < 1:
            raise ConfigError(f"found {replicas} replicas; needed at least 1")
        self.model, self.generation, self.replicas = model, generation, replicas

    def answer(self, conversations: Sequence[Conversation]) -> Iterator[Answer]:
        """Answers in the order in which Ray hands them back."""
        asked = [request_of(self.model, one, self.generation) for one in conversations]
        rows = [{"number": i, "payload": self._payload(one)} for i, one in enumerate(asked)]
        ray_data, failures = _imported("ray.data"), _imported("ray.exceptions")
        try:
            answered = self._processor()(ray_data.from_items(rows))
            for row in answered.iter_rows():
                yield self._read(row)
        except failures.RayError as error:
            raise BackendError(
                f"Ray gave up: {_last_line(error)}. What was answered is kept; run the same "
                "command again."
            ) from error

    @abstractmethod
    def _payload(self, request: dict[str, Any]) -> str | dict[str, Any]:
        """A request as it travels to the workers."""

    @abstractmethod
    def _processor(self) -> Any:  # noqa: ANN401
        """Ray's processor of such rows."""

    @abstractmethod
    def _read(self, row: Mapping[str, Any]) -> Answer:
        """The answer in a row that came back."""


class RayEngine(_OverRay):
    """A vLLM engine a replica; `engine` are its arguments, `placement` what Ray keeps for it."""

    name = "ray-vllm"

    def __init__(
        self,
        model: str,
        generation: Generation,
        *,
        replicas: int = 1,
        engine: Mapping[str, Any] | None = None,
        placement: Mapping[str, Any] | None = None,
    ) -> None:
        """Note the model; every replica loads it when asked."""
        super().__init__(model, generation, replicas=replicas)
        self.engine = dict(engine or {})
        self.placement = dict(placement) if placement else None

    def _payload(self, request: dict[str, Any]) -> str:
        # As text: Arrow, through which rows travel, would fill the schema with nulls and arrays.
        return json.dumps(request)

    def _processor(self) -> Any:  # noqa: ANN401
        llm, requests = _imported("ray.data.llm"), _imported("ray.serve.llm.openai_api_models")

        class Request:
            """Ray calls it with what stands in a row, and hands on what it gives."""

            def __new__(cls, payload: str, **_: object) -> Any:  # noqa: ANN401
                return requests.ChatCompletionRequest(**json.loads(payload))

        config = llm.ServeDeploymentProcessorConfig(
            deployment_name=ENGINE,
            app_name=self._engines,
            dtype_mapping={REQUEST: Request},
            concurrency=self.replicas,
            batch_size=64,
            should_continue_on_error=True,
        )
        asked = {"method": "chat", "dtype": REQUEST}
        return llm.build_processor(
            config,
            preprocess=lambda row: {**row, **asked, "request_kwargs": {"payload": row["payload"]}},
            postprocess=lambda row: {
                "number": row["number"],
                "said": json.dumps(row.get("choices")),
                "failure": row.get("__inference_error__") or str(row.get("error") or ""),
            },
        )

    @cached_property
    def _engines(self) -> str:
        """The name under which Ray Serve holds the engines, once they can be asked.

        It follows from the model and its arguments: engines that a killed run has left on a cluster
        are taken over.
        """
        serve, llm = _imported("ray.serve"), _imported("ray.serve.llm")
        made_of = json.dumps([self.model, self.engine, self.replicas, self.placement])
        name = f"focal-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}"
        config = llm.LLMConfig(
            model_loading_config={"model_id": self.model, "model_source": self.model},
            engine_kwargs=self.engine,
            deployment_config={"num_replicas": self.replicas},
            placement_group_config=self.placement,
            log_engine_metrics=False,
        )
        options = {"name": ENGINE}
        engines = llm.build_llm_deployment(config, name_prefix="", override_serve_options=options)
        serve.start(proxy_location="Disabled")  # it is asked from within the cluster alone
        weakref.finalize(self, serve.delete, name)
        try:
            serve.run(engines, name=name, route_prefix=None)
        except RuntimeError as error:
            raise BackendError(
                f"Ray could not start {self.replicas} engines of {self.model}: {_last_line(error)}"
            ) from error
        return name

    def _read(self, row: Mapping[str, Any]) -> Answer:
        choices = json.loads(row["said"])
        if not choices:
            return Answer(int(row["number"]), str(row["failure"])[:300], refused=True)
        return Answer(int(row["number"]), choices[0]["message"].get("content") or "")


class RayServer(_OverRay):
    """Clients of a server that speaks OpenAI's protocol, `replicas` of them.

    Ray sends the requests of a batch one after the other: replicas are what runs side by side.
    """

    name = "ray-server"

    def __init__(
        self,
        base_url: str,
        model: str,
        generation: Generation,
        *,
        replicas: int = 1,
        tries: int = 6,
        token: str | None = None,
    ) -> None:
        """Note the address; nothing is asked yet."""
        super().__init__(model, generation, replicas=replicas)
        self.url = f"{base_url.rstrip('/')}/chat/completions"
        self.tries, self.token = tries, token

    def _payload(self, request: dict[str, Any]) -> dict[str, Any]:
        return request

    def _processor(self) -> Any:  # noqa: ANN401
        llm = _imported("ray.data.llm")
        config = llm.HttpRequestProcessorConfig(
            url=self.url,
            headers={"Authorization": f"Bearer {self.token}"} if self.token else None,
            concurrency=self.replicas,
            batch_size=16,
            max_retries=self.tries - 1,
        )
        return llm.build_processor(config, preprocess=lambda row: row, postprocess=lambda row: row)

    def _read(self, row: Mapping[str, Any]) -> Answer:
        reply = row["http_response"]
        choices = reply.get("choices")
        if choices is None or not len(choices):
            return Answer(int(row["number"]), str(reply)[:300], refused=True)
        return Answer(int(row["number"]), choices[0]["message"].get("content") or "")


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1][:300]


def _imported(module: str) -> Any:  # noqa: ANN401
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    return imported(module, "Ray")
