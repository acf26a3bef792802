"""A second device for machines without one: it computes on the CPU and behaves like a GPU.

    from standin_device import NAME, register
    register()
    torch.ones(3, device=NAME) + torch.ones(3)      # RuntimeError, as with CUDA

Code that assumes the CPU fails on it for the reason for which it fails on a GPU: a tensor that was
not moved, NumPy asked of one that lives elsewhere, a random generator of the other side. A real
accelerator differs in its rounding, its memory and its speed, so the tests that run on this one
also stand under the marker `gpu`.

`register` changes the whole process (`torch.accelerator` is then this device, also for
`Accelerator()`), hence a process of its own: see `test_standin_device.py`.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

NAME = "standin"
_LIBRARIES: list[torch.library.Library] = []
"""Kernels live as long as the library that holds them."""


def missing() -> str:
    """Why the device cannot be had with this version of PyTorch; nothing where it can."""
    try:
        from torch.utils import backend_registration
    except ImportError:
        return f"PyTorch {torch.__version__} has no torch.utils.backend_registration"
    if not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"):
        return f"PyTorch {torch.__version__} takes no device that is written in Python"
    return ""


def register() -> None:
    """Make the device known to PyTorch and to Accelerate, once a process and before any other."""
    if _LIBRARIES:
        return
    from torch.utils import backend_registration

    backend_registration._setup_privateuseone_for_python_backend(NAME, backend_module=_Module())
    library, rest = (torch.library.Library(name, "IMPL") for name in ("aten", "_"))
    _LIBRARIES.extend((library, rest))
    rest.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    for name in _made_from_nothing():
        library.impl(name, _factory(_overload(name)), "PrivateUse1")
    library.impl("_copy_from", _copy_from, "PrivateUse1")
    for names, kind in ((_IN_HALF, torch.bfloat16), (_IN_FULL, torch.float32)):
        for name in names:
            library.impl(name, _casting(_overload(name), kind), "AutocastPrivateUse1")
    Tensor.pin_memory = _pinned  # no allocator of pinned memory can be written in Python
    os.environ["ACCELERATE_TORCH_DEVICE"] = NAME


class Elsewhere(Tensor):
    """A tensor on the device: its values are those of `inner`, which no other code may see."""

    inner: Tensor

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner: Tensor) -> "Elsewhere":
        """The values of a CPU tensor, not copied."""
        # A view that is made in inference mode of a tensor from outside belongs outside.
        with torch.inference_mode(inner.is_inference()):
            made = Tensor._make_wrapper_subclass(
                cls,
                inner.shape,
                strides=inner.stride(),
                storage_offset=inner.storage_offset(),
                dtype=inner.dtype,
                device=torch.device(NAME, 0),
            )
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        """Compute on the CPU what is asked of tensors of this device alone."""
        kwargs = dict(kwargs or {})
        if torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"):
            return func.decompose(*args, **kwargs)  # so it comes here in inference mode
        if func is torch.ops.aten.copy_.default:
            _inner(args[0]).copy_(_inner(args[1]))
            return args[0]
        _refuse_what_lies_apart(func, args, kwargs)
        stays = "device" not in kwargs or _is_here(kwargs.pop("device"))
        out = func(*tree_map(_inner, args), **tree_map(_inner, kwargs))
        if not stays:
            return out
        given = {id(x.inner): x for x in _tensors(args, kwargs) if isinstance(x, Elsewhere)}
        return tree_map(lambda x: _outer(x, given if func._schema.is_mutable else {}), out)

    def tolist(self) -> list:
        """Values as Python numbers: they may be asked for, as of any device."""
        return self.detach().cpu().tolist()

    def numpy(self, *, force: bool = False):
        """The values, only with `force`: NumPy reads the CPU's memory."""
        if force:
            return self.detach().cpu().numpy()
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy "
            "the tensor to host memory first."
        )

    def untyped_storage(self) -> torch.UntypedStorage:
        """The memory behind it, by which safetensors sees what tensors share."""
        return self.inner.untyped_storage()

    def __reduce_ex__(self, protocol):
        """As `torch.save` writes what lies on a device whose memory Python cannot share."""
        made = (self.detach().cpu(), self.dtype, str(self.device), self.requires_grad)
        return torch._utils._rebuild_device_tensor_from_cpu_tensor, made

    def __array__(self, dtype=None):
        """Refused as `numpy` is."""
        return self.numpy()

    def __repr__(self, **_how: Any) -> str:  # noqa: ANN401
        """The values, and where they are said to be."""
        return f"{self.detach().cpu()!r} on {self.device}"


class _Module:
    """What PyTorch asks of `torch.standin`. Random numbers are those of the CPU's generator."""

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def device_count(self) -> int:
        return 1

    def current_device(self) -> int:
        return 0

    def set_device(self, device: object) -> None: ...

    def synchronize(self, device: object = None) -> None: ...

    def empty_cache(self) -> None: ...

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None: ...

    def get_rng_state(self, device: object = None) -> Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: Tensor, device: object = None) -> None:
        torch.set_rng_state(state)

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]

    @contextmanager
    def device(self, device: object) -> Iterator[None]:
        yield


_TAKES_CPU_INDICES = ("aten::index", "aten::index_put", "aten::_unsafe_index")
"""Advanced indexing alone takes positions that still lie on the CPU."""


def _refuse_what_lies_apart(func, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raise for tensors of the CPU, but those without dimensions, as CUDA does."""
    name = func.name()
    if name.startswith(_TAKES_CPU_INDICES) or "_index_put_impl_" in name:
        args = (args[0], *args[2:])
    apart = [x for x in _tensors(args, kwargs) if not isinstance(x, Elsewhere)]
    written = func._schema.is_mutable and args and not isinstance(args[0], list | Elsewhere)
    if any(x.dim() for x in apart) or (written and apart):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{NAME}:0 and {apart[0].device}! (in {name})"
        )
    _refuse_generator(kwargs)


def _refuse_generator(kwargs: dict[str, Any]) -> None:
    generator = kwargs.get("generator")
    if generator is not None:
        raise RuntimeError(
            f"Expected a '{NAME}' device type for generator but found '{generator.device.type}'"
        )


def _tensors(*values: object) -> list[Tensor]:
    return [x for x in tree_leaves(values) if isinstance(x, Tensor)]


def _inner(value: object) -> Any:  # noqa: ANN401
    return value.inner if isinstance(value, Elsewhere) else value


def _outer(value: object, given: dict[int, Elsewhere]) -> object:
    """A result on the device; what was changed in place stays the tensor that it was."""
    if not isinstance(value, Tensor):
        return value
    known = given.get(id(value))
    if known is None:
        return Elsewhere(value)
    if known.shape != value.shape:
        raise NotImplementedError("the stand-in device cannot change a tensor's shape in place")
    return known


def _is_here(device: object) -> bool:
    return device is None or torch.device(device).type == NAME  # type: ignore[arg-type]


def _overload(name: str) -> torch._ops.OpOverload:
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def _made_from_nothing() -> list[str]:
    """Operators that make a tensor from no other one."""
    names = (
        "arange arange.start arange.start_step empty.memory_format empty_strided eye eye.m full "
        "linspace ones rand rand.generator randint randint.generator randint.low "
        "randint.low_generator randn randn.generator randperm randperm.generator scalar_tensor "
        "tril_indices triu_indices zeros"
    )
    return names.split()


def _factory(operator: torch._ops.OpOverload) -> Callable[..., Tensor]:
    def make(*args: Any, **kwargs: Any) -> Tensor:  # noqa: ANN401
        _refuse_generator(kwargs)
        return Elsewhere(operator(*args, **{**kwargs, "device": "cpu", "pin_memory": False}))

    return make


def _copy_from(source: Tensor, into: Tensor, non_blocking: bool = False) -> Tensor:
    """The copy that `torch.tensor(..., device=...)` makes, past all other dispatching."""
    _inner(into).copy_(_inner(source))
    return into


def _pinned(tensor: Tensor, device: object = None) -> Tensor:
    if isinstance(tensor, Elsewhere):
        raise RuntimeError("cannot pin a tensor of a device; only dense CPU tensors can be pinned")
    return tensor


_IN_HALF = ("linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "scaled_dot_product_attention")
_IN_FULL = ("layer_norm", "softmax.int", "log_softmax.int", "binary_cross_entropy_with_logits")
"""What autocast makes of the operators in use here, as for CUDA."""


def _casting(operator: torch._ops.OpOverload, kind: torch.dtype) -> Callable[..., object]:
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)

    def cast(value: object) -> object:
        floats = isinstance(value, Elsewhere) and value.is_floating_point()
        return value.to(kind) if floats and value.dtype != torch.float64 else value

    def run(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return operator(*tree_map(cast, args), **tree_map(cast, kwargs))

    return run
