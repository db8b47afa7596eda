"""Normalizations as layers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..api.functions.shape import squeeze
from ..functorch.levels import transforming
from ..ops.view import unsqueeze
from ..tensor.dtypes import dtype as dtype_class
from ..tensor.dtypes import get_default_dtype, to_numpy
from ..tensor.tensor import Tensor, plain
from . import functional as F
from . import init
from .linear import blank, rank_of
from .module import Module


class Scaled(Module):
    """What ends with a learned scale and shift."""

    def register_scale(self, shape: tuple[int, ...], device: Any, dtype: Any, **wanted: bool) -> None:
        """Give it a `weight` and a `bias`, where wanted; `reset_parameters` fills them."""
        for name, there in wanted.items():
            self.register_parameter(name, blank(shape, dtype, device) if there else None)

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class Tracked(Scaled):
    """What can keep running statistics of its channels."""

    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        bias: bool,
        device: Any,
        dtype: dtype_class | None,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.register_scale((num_features,), device, dtype, weight=affine, bias=affine and bias)
        kind = to_numpy(dtype or get_default_dtype())
        held = [np.zeros(num_features, kind), np.ones(num_features, kind), np.zeros((), np.int64)]
        for name, data in zip(("running_mean", "running_var", "num_batches_tracked"), held, strict=True):
            self.register_buffer(name, plain(data) if track_running_stats else None)
        self.reset_parameters()

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, metadata: Any, *found: Any) -> None:
        """What was stored before batches were counted, or by hand, need not say how many there were."""
        key = f"{prefix}num_batches_tracked"
        if (metadata.get("version") or 0) < 2 and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, metadata, *found)

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            init.zeros_(self.num_batches_tracked)

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm(Tracked):
    """Mean 0 and variance 1 for each channel of a batch while training, by running statistics afterwards."""

    RANKS: tuple[int, ...]
    RANK_TEXT: str

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: dtype_class | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        rank = rank_of(input)
        if rank not in self.RANKS:
            raise ValueError(f"expected {self.RANK_TEXT} input (got {rank}D input)")
        by_batch = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            if transforming():
                raise RuntimeError(errors.CAPTURED_IN_PLACE.format("add_.Tensor"))
            seen = self.num_batches_tracked
            seen.overwrite(seen.data_ + 1)
            seen.bump()
            if self.momentum is None:
                momentum = 1.0 / float(seen.data_)
        tracked = self.track_running_stats and (not self.training or self.track_running_stats)
        mean, var = (self.running_mean, self.running_var) if tracked else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, momentum, self.eps)


class BatchNorm1d(BatchNorm):
    RANKS = (2, 3)
    RANK_TEXT = "2D or 3D"


class BatchNorm2d(BatchNorm):
    RANKS = (4,)
    RANK_TEXT = "4D"


class BatchNorm3d(BatchNorm):
    RANKS = (5,)
    RANK_TEXT = "5D"


class GroupNorm(Scaled):
    """Mean 0 and variance 1 for groups of channels of each sample."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: dtype_class | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.register_scale((num_channels,), device, dtype, weight=affine, bias=affine and bias)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class InstanceNorm(Tracked):
    """Mean 0 and variance 1 for each channel of each sample."""

    RANKS: tuple[int, int] = (0, 0)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: dtype_class | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        ndim, alone = rank_of(input), self.RANKS[0]
        if ndim not in self.RANKS:
            raise ValueError(f"expected {alone}D or {alone + 1}D input (got {ndim}D input)")
        at = ndim - alone
        if input.data_.shape[at] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={at} to match num_features ({self.num_features}), but got: "
                    f"{input.data_.shape[at]}."
                )
            warnings.warn(
                f"input's size at dim={at} does not match num_features. You can silence this warning by not passing in "
                "num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if ndim == alone:
            out: Tensor = squeeze(self.normalize(unsqueeze(input, 0)), 0)
            return out
        return self.normalize(input)

    def _get_no_batch_dim(self) -> int:
        return self.RANKS[0]

    def normalize(self, input: Tensor) -> Tensor:
        by_sample = self.training or not self.track_running_stats
        parts = (self.running_mean, self.running_var, self.weight, self.bias)
        return F.instance_norm(input, *parts, by_sample, self.momentum or 0.0, self.eps)


class InstanceNorm1d(InstanceNorm):
    RANKS = (2, 3)


class InstanceNorm2d(InstanceNorm):
    RANKS = (3, 4)


class InstanceNorm3d(InstanceNorm):
    RANKS = (4, 5)


class RMSNorm(Scaled):
    """Mean square 1 over the last dimensions, then a learned scale."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.register_scale(shape, device, dtype, weight=elementwise_affine)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """Each element over a power of the mean square of its neighbours in the channels around."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LayerNorm(Scaled):
    """Mean 0 and variance 1 over the last dimensions, then a learned scale and shift."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: dtype_class | None = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.register_scale(shape, device, dtype, weight=elementwise_affine, bias=elementwise_affine and bias)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"
