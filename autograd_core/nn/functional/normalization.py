"""Normalization as functions."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ... import tell
from ...ops import elementwise as e
from ...ops import normalization as n
from ...ops import reduce as r
from ...ops import shape as s
from ...tensor import Tensor


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    shape = list(normalized_shape)
    given = list(input.data_.shape)
    if given[len(given) - len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [*, {', '.join(map(str, shape))}], but got "
            f"input of size{given}"
        )
    result: Tensor = n.layer_norm(input, shape, weight, bias, eps)[0]
    return result


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    over = list(range(input.data_.ndim - len(normalized_shape), input.data_.ndim))
    kept = float(np.finfo(input.data_.dtype).eps) if eps is None else eps
    scale = e.rsqrt(e.add_scalar(r.mean_dim(e.pow_scalar(input, 2), over, True), kept))
    result = e.mul(input, scale)
    return result if weight is None else e.mul(result, weight)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    shape = input.data_.shape
    if training and math.prod(shape) == shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if running_mean is not None and running_mean.data_.shape[0] != shape[1]:
        raise RuntimeError(f"running_mean should contain {shape[1]} elements not {running_mean.data_.shape[0]}")
    result: Tensor = n.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]
    if training:
        for running in (running_mean, running_var):
            if running is not None:
                tell.written(running, "native_batch_norm", (input,), counted=False)
    return result


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    length = r.vector_norm(input, p, [dim], True)
    return e.div(input, s.expand(e.clamp_min(length, eps), list(input.data_.shape)))
