"""vLLM in this process: the fastest way on one machine with a GPU.

    VLLMOffline("Qwen/Qwen3-8B", Generation(), engine={"max_model_len": 4096})

vLLM lives in an environment of its own (requirements-enrich.txt) and is imported when first asked.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from focal_app.llm.prompts import SCHEMA
from train.enrich.backends.protocol import Answer, imported
from train.enrich.prompts import Conversation, Generation


class VLLMOffline:
    """A model that vLLM loads from the Hub or a folder; `engine` are arguments of its `LLM`."""

    name = "vllm"
    varies = True

    def __init__(
        self,
        model: str,
        generation: Generation,
        *,
        engine: Mapping[str, Any] | None = None,
        at_once: int = 2048,
    ) -> None:
        """Note the model; it is loaded with the first question."""
        self.model, self.generation, self.at_once = model, generation, at_once
        self.engine = dict(engine or {})

    def answer(self, conversations: Sequence[Conversation]) -> Iterator[Answer]:
        """All answers together, once vLLM has them."""
        outputs = self._llm.chat(
            [one.messages for one in conversations],
            [self._sampling(one) for one in conversations],
            use_tqdm=False,
            chat_template_kwargs=self.generation.template,
        )
        for number, output in enumerate(outputs):
            yield Answer(number, output.outputs[0].text)

    @cached_property
    def _vllm(self) -> Any:  # noqa: ANN401
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")  # nothing is reported to anybody
        return imported("vllm", "vLLM")

    @cached_property
    def _llm(self) -> Any:  # noqa: ANN401
        return self._vllm.LLM(model=self.model, **self.engine)

    def _sampling(self, conversation: Conversation) -> Any:  # noqa: ANN401
        parameters = self._vllm.sampling_params
        schema = parameters.StructuredOutputsParams(json=SCHEMA)
        return parameters.SamplingParams(
            temperature=conversation.temperature,
            top_p=conversation.top_p,
            max_tokens=self.generation.max_tokens,
            seed=conversation.seed,
            structured_outputs=schema if conversation.structured else None,
        )
