"""Two real processes under torchrun are one process with all their recordings."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from several_processes import by
from tiny_model import save_tiny_model

SCRIPT = Path(__file__).parent / "five_steps.py"


FOCAL = "cross-lexicon-batch-fixed"
"""As the recipe `focal` trains."""

WAYS = ("own-online-batch", "cross-frozen-batch", "cross-lexicon-lexicon", FOCAL)
"""How findings are routed, what their targets are, over what is asked, by which tag encoder."""


def started(processes: int, *arguments: str | Path) -> None:
    done = by(processes, SCRIPT, *arguments)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def trained(request, tmp_path_factory):
    """What one process and two have trained, in every way."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    folder = tmp_path_factory.mktemp("trained")
    save_tiny_model(folder / "checkpoint", record_path=True)
    for processes in (1, 2):
        started(processes, request.param, folder / "checkpoint", folder / str(processes), *WAYS)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_two_processes_give_the_loss_and_the_weights_of_one(trained, way):
    size, alone = json.loads((trained / "1" / way / "losses-0.json").read_text())
    both = [json.loads((trained / "2" / way / f"losses-{r}.json").read_text()) for r in (0, 1)]
    assert size == 1 and [s for s, _ in both] == [2, 2]
    for _, found in both:
        np.testing.assert_allclose(found, alone, rtol=1e-5)
    # Adam makes whole steps of small gradients: with this loss alone, noise of 1e-7 in the signals
    # moves weights of one process by 5e-5, of 5e-3 that five steps make.
    near = 1e-4 if way == FOCAL else 1e-5
    one, two = (load_file(trained / n / way / "weights.safetensors") for n in ("1", "2"))
    assert one.keys() == two.keys()
    for name, weight in one.items():
        if name.endswith("key.bias"):
            continue  # a bias of keys moves no attention: its gradient is rounding, Adam's food
        if name.endswith("qkv.bias"):
            weight, two[name] = (w.unflatten(0, (3, -1))[[0, 2]] for w in (weight, two[name]))
        torch.testing.assert_close(
            two[name], weight, rtol=0, atol=near, msg=lambda m, n=name: f"{n}: {m}"
        )


@pytest.mark.slow
@pytest.mark.parametrize(("way", "a_step"), [*zip(WAYS, (5, 5, 4, 2), strict=True)])
def test_a_step_exchanges_counts_places_embeddings_and_losses_once(trained, way, a_step):
    """Counts of tags, of places; embeddings, their gradient; losses; two with a fixed encoder."""
    for size, rank, steps in ((1, 0, 0), (2, 0, 5), (2, 1, 5)):
        exchanges = json.loads((trained / f"{size}" / way / f"exchanges-{rank}.json").read_text())
        assert len(exchanges) == steps * a_step
