"""Layers that learn their sizes from their first input, and are the usual layers from then on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..engine.grad_mode import no_grad
from ..namespace.type_names import binder
from ..tensor.tensor import Tensor
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class Lazy(Module):
    """What all of them do: learn sizes, make the tensors of these, and become the class they stand for."""

    BECOMES: Any

    def has_uninitialized_params(self) -> bool:
        return any(is_lazy(held) for held in (*self._parameters.values(), *self._buffers.values()))

    def learn(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        """Set the sizes that `input` tells, and say what shapes follow for the tensors that such a layer may have."""
        raise NotImplementedError

    def forward(self, input: Tensor, *args: Any, **options: Any) -> Any:
        if self.has_uninitialized_params():
            with no_grad():
                for name, shape in self.learn(input).items():
                    if (held := getattr(self, name)) is not None:
                        held.materialize(shape)
                self.reset_parameters()
        self.__class__ = self.BECOMES
        return self.forward(input, *args, **options)

    def reset_parameters(self) -> None:
        """Nothing is drawn before the sizes are known."""
        held = [*self._parameters.values(), *self._buffers.values()]
        if all(tensor is None or not is_lazy(tensor) and tensor.data_.size for tensor in held):
            super().reset_parameters()  # type: ignore[misc]

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """What has no size yet takes that of what is loaded."""
        with no_grad():
            for name, held in (*self._parameters.items(), *self._buffers.items()):
                found = state_dict.get(prefix + name)
                if is_lazy(held) and found is not None and not is_lazy(found):
                    held.materialize(found.shape)  # type: ignore[union-attr]
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def later(self, device: Any, dtype: Any, **wanted: Any) -> None:
        """Hold parameters that are not there yet, each where it is wanted."""
        for name, want in wanted.items():
            self.register_parameter(name, UninitializedParameter(device=device, dtype=dtype) if want else None)


class LazyLinear(Lazy, Linear):
    """Linear, with as many inputs as its first input has."""

    BECOMES = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self.later(device, dtype, weight=True, bias=bias)

    def forward(self, input: Tensor, *args: Any, **options: Any) -> Any:
        if not self.has_uninitialized_params() and self.in_features == 0:  # its weight was loaded
            found, held = input.shape[-1], self.weight.shape[-1]
            if found != held:
                raise AssertionError(
                    f"The in_features inferred from input: {found} is not equal to in_features from self.weight: {held}"
                )
            self.in_features = found
        return super().forward(input, *args, **options)

    def learn(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        self.in_features = input.shape[-1]
        return {"weight": (self.out_features, self.in_features), "bias": (self.out_features,)}


class LazyConv(Lazy):
    """Convolutions with as many channels as their first input has."""

    N: int
    TRANSPOSED: bool
    bind: Callable[..., dict[str, Any]]

    def __init_subclass__(cls) -> None:
        if "BECOMES" in cls.__dict__:
            given = list(inspect.signature(cls.BECOMES.__init__).parameters.values())
            without_self_and_in_channels = inspect.Signature(given[2:])
            cls.bind = binder(f"{cls.__name__}.__init__", without_self_and_in_channels)

    def __init__(self, *args: Any, **options: Any) -> None:
        given = self.bind(*args, **options)
        out_channels, bias, device, dtype = (given.pop(name) for name in ("out_channels", "bias", "device", "dtype"))
        super().__init__(0, 0, **given, bias=False)
        self.out_channels = out_channels
        self.later(device, dtype, weight=True, bias=bias)

    def learn(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        rank = len(input.shape)
        if rank not in (self.N + 1, self.N + 2):
            raise RuntimeError(
                f"Expected {self.N + 1}D (unbatched) or {self.N + 2}D (batched) input to {type(self).__name__}, but "
                f"got input of size: {input.shape}"
            )
        self.in_channels = input.shape[-self.N - 1]
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        ends = self.in_channels, self.out_channels // self.groups
        if not self.TRANSPOSED:
            ends = self.out_channels, self.in_channels // self.groups
        return {"weight": (*ends, *self.kernel_size), "bias": (self.out_channels,)}


class LazyConv1d(LazyConv, Conv1d):
    BECOMES = Conv1d


class LazyConv2d(LazyConv, Conv2d):
    BECOMES = Conv2d


class LazyConv3d(LazyConv, Conv3d):
    BECOMES = Conv3d


class LazyConvTranspose1d(LazyConv, ConvTranspose1d):
    BECOMES = ConvTranspose1d


class LazyConvTranspose2d(LazyConv, ConvTranspose2d):
    BECOMES = ConvTranspose2d


class LazyConvTranspose3d(LazyConv, ConvTranspose3d):
    BECOMES = ConvTranspose3d


class LazyNorm(Lazy):
    """Normalizations of as many channels as their first input has."""

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, track_running_stats)
        self.affine = affine
        self.later(device, dtype, weight=affine, bias=affine and bias)
        if track_running_stats:
            for name in ("running_mean", "running_var"):
                self.register_buffer(name, UninitializedBuffer(device=device, dtype=dtype))

    def learn(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        self.num_features = input.shape[1]
        return dict.fromkeys(("weight", "bias", "running_mean", "running_var"), (self.num_features,))


class LazyBatchNorm1d(LazyNorm, BatchNorm1d):
    BECOMES = BatchNorm1d


class LazyBatchNorm2d(LazyNorm, BatchNorm2d):
    BECOMES = BatchNorm2d


class LazyBatchNorm3d(LazyNorm, BatchNorm3d):
    BECOMES = BatchNorm3d


class LazyInstanceNorm1d(LazyNorm, InstanceNorm1d):
    BECOMES = InstanceNorm1d


class LazyInstanceNorm2d(LazyNorm, InstanceNorm2d):
    BECOMES = InstanceNorm2d


class LazyInstanceNorm3d(LazyNorm, InstanceNorm3d):
    BECOMES = InstanceNorm3d
