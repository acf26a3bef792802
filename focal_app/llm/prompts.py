"""What is asked of a language model, in the app and in enrichment alike: the paper's two prompts.

question(("atrial fibrillation", "left bundle branch block"))    # the first prompt
ORGANISE_PROMPT                                                  # the second
"""

from collections.abc import Sequence

FEATURES_PROMPT = (
    "What waveform features are most likely to be present in electrocardiograms with these "
    "symptoms?"
)
ORGANISE_PROMPT = (
    "Organize these waveform features into a Python list, with each item representing a distinct "
    "waveform feature."
)
PROMPTS = (FEATURES_PROMPT, ORGANISE_PROMPT)
"""The paper's two instructions, in this order, word for word (its appendix)."""

LONGEST, MOST = 100, 24
"""Characters of a feature and features of an answer: they end the loop of a model that babbles."""

SCHEMA = {
    "type": "object",
    "properties": {
        "features": {
            "type": "array",
            "items": {"type": "string", "minLength": 3, "maxLength": LONGEST},
            "maxItems": MOST,
        }
    },
    "required": ["features"],
    "additionalProperties": False,
}
"""JSON schema of the second answer; an object, since strict servers refuse a list at the root."""

RESPONSE_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "waveform_features", "schema": SCHEMA, "strict": True},
}
"""The same as OpenAI's protocol words it; vLLM ignores its own former `guided_json`."""


def question(tags: Sequence[str]) -> str:
    """The first prompt about these tags."""
    return f"{'; '.join(tags)}\n\n{FEATURES_PROMPT}"
