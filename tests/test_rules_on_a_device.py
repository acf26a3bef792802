"""What every device but the CPU has in common; the stand-in is held to it as CUDA is."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

MIXED = {
    "a sum": lambda there, here: there + here,
    "a product": lambda there, here: there @ here.T,
    "a list": lambda there, here: torch.cat([there, here]),
    "a choice": lambda there, here: torch.where(here > 0, there, there),
    "a mask": lambda there, here: there.masked_fill(here > 0, 0.0),
    "a lookup": lambda there, here: F.embedding(here.argmax(1), there),
    "an index from there": lambda there, here: here[there.argmax(1) * 0],
    "a value added here": lambda there, here: here.sum().add_(there.sum()),
    "a linear layer": lambda there, here: F.linear(there, here),
    "a loss": lambda there, here: F.mse_loss(there, here),
    "a random generator": lambda there, here: torch.rand(
        2, device=there.device, generator=torch.Generator()
    ),
}


@pytest.mark.parametrize("mix", MIXED.values(), ids=MIXED)
def test_tensors_of_two_devices_do_not_mix(device, mix):
    here = torch.ones(3, 4)
    with pytest.raises(RuntimeError):
        mix(torch.ones(3, 4, device=device), here)


def test_numpy_reads_no_other_memory(device):
    there = torch.ones(3, device=device)
    for read in (there.numpy, lambda: np.asarray(there)):
        with pytest.raises(TypeError, match="cpu"):
            read()
    assert np.array_equal(there.cpu().numpy(), np.ones(3))


def test_a_single_number_may_come_from_the_cpu_and_be_asked_for(device):
    there = torch.full((3,), 2.0, device=device)
    assert (there * torch.tensor(3.0)).tolist() == [6, 6, 6]
    assert there.sum().item() == float(there.sum()) == 6
    assert bool((there > 1).all())


def test_positions_may_lie_on_the_cpu(device):
    there = torch.arange(4, device=device)
    assert there[torch.tensor([2, 0])].tolist() == [2, 0]
    there[torch.tensor([1])] = 7
    assert there.cpu().tolist() == [0, 7, 2, 3]


def test_a_moved_tensor_is_a_copy_and_comes_back_whole(device):
    here = torch.arange(6.0).view(2, 3).T
    there = here.to(device)
    here += 1
    assert there.device.type == device and there.dtype == here.dtype
    assert torch.equal(there.cpu(), here - 1)
    assert torch.equal(torch.zeros(3, 2).copy_(there), here - 1)


@pytest.mark.parametrize("inference", [False, True])
def test_what_is_made_beside_a_tensor_lies_beside_it(device, inference):
    with torch.inference_mode(inference):
        there = torch.rand(3, 4, device=device)
        made = {
            "like": torch.zeros_like(there),
            "new": there.new_ones(2),
            "view": there.T.reshape(-1)[:5],
            "linear": F.linear(there, there),
            "double": there.double(),
            "sorted": there.sort().values,
            "one-hot": F.one_hot(there.argmax(1)),
            "as the other": torch.ones(2).to(there),
        }
        assert {name: one.device.type for name, one in made.items()} == dict.fromkeys(made, device)
        assert there.to(torch.ones(1)).device.type == "cpu"


def test_the_accelerator_is_this_device(device):
    from accelerate import Accelerator

    assert torch.accelerator.current_accelerator(check_available=True).type == device
    assert Accelerator().device.type == device


def test_weights_are_read_in_inference_mode(device):
    layer = nn.Linear(4, 4).to(device)
    with torch.inference_mode():
        found = layer.weight[:, :2].T @ layer.weight
    assert found.is_inference() and found.device.type == device
    assert layer.weight[:1].requires_grad


class Small(nn.Module):
    """Every kind of layer that this project trains."""

    def __init__(self):
        super().__init__()
        self.words, self.norm = nn.Embedding(10, 8), nn.LayerNorm(8)
        self.qkv, self.out, self.dropped = nn.Linear(8, 24), nn.Linear(8, 3), nn.Dropout(0.0)

    def forward(self, index, seen):
        x = self.norm(self.words(index))
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 2, 4).permute(2, 0, 3, 1, 4)
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=seen[:, None, None, :])
        x = checkpoint(F.gelu, x.transpose(1, 2).flatten(2), use_reentrant=False)
        return self.out(self.dropped(x).mean(1))


def trained(device, *, bf16=False, steps=3):
    torch.manual_seed(0)
    model, draw = Small().to(device), torch.Generator().manual_seed(1)
    # A large epsilon: a bias of keys moves no attention, and Adam would feed on its rounding.
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, eps=1e-3, fused=True)
    seen = torch.ones(4, 5, dtype=torch.bool, device=device)
    seen[0, 3:] = False
    for _ in range(steps):
        index = torch.randint(10, (4, 5), generator=draw).to(device)
        with torch.autocast(device, torch.bfloat16, enabled=bf16):
            out = model(index, seen)
        loss = F.cross_entropy(out.float(), torch.tensor([0, 1, 2, 0], device=device))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return model, out


def test_steps_of_training_end_on_the_weights_of_the_cpu(device):
    torch.backends.cuda.matmul.allow_tf32 = False
    there, here = trained(device)[0], trained("cpu")[0]
    for name, weight in here.state_dict().items():
        found = there.state_dict()[name]
        assert found.device.type == device
        torch.testing.assert_close(found.cpu(), weight, rtol=0, atol=1e-6)


def test_autocast_computes_in_half_the_width(device):
    there, out = trained(device, bf16=True)
    assert out.dtype == torch.bfloat16
    for name, weight in trained("cpu")[0].state_dict().items():
        torch.testing.assert_close(there.state_dict()[name].cpu(), weight, rtol=0, atol=0.02)


def test_a_module_is_copied_and_moved_with_its_parameters(device):
    model = trained(device, steps=1)[0]
    other = copy.deepcopy(model)
    assert all(isinstance(p, nn.Parameter) and p.requires_grad for p in other.parameters())
    assert {p.device.type for p in other.cpu().parameters()} == {"cpu"}
    assert {p.device.type for p in model.parameters()} == {device}


def test_dropout_follows_the_seed(device):
    x, found = torch.ones(64, device=device), []
    for _ in range(2):
        torch.manual_seed(5)
        found.append(F.dropout(x, 0.5).cpu())
    assert torch.equal(*found) and 0 < (found[0] == 0).sum() < 64


def test_batches_are_pinned_only_on_the_cpu(device):
    loader = torch.utils.data.DataLoader([torch.ones(2)] * 2, batch_size=2, pin_memory=True)
    assert next(iter(loader)).to(device, non_blocking=True).device.type == device
    with pytest.raises(RuntimeError, match="pin"):
        torch.ones(2, device=device).pin_memory()
