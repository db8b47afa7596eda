"""Fourier transforms of real and complex tensors: what all functions of torch.fft and stft are made of.

Formulas: PyTorch's derivatives.yaml and FunctionsManual.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..dispatch.op import both, helper, op
from ..tensor import dtypes
from ..tensor.tensor import Array, plain

MODES = ("backward", "ortho", "forward")
"""By torch's number of a normalization, how numpy names it for a transform forward: by none, the root of n, n."""


def scaled(transform: Any, data: Array, dim: Sequence[int], normalization: int, kind: Any) -> Array:
    """What `transform` gives over the last of `dim` and others, as torch normalizes a transform forward."""
    return np.asarray(transform(data, axes=tuple(dim), norm=MODES[normalization])).astype(kind, copy=False)


COST = 8
"""What an element costs a program in each dimension that is transformed, beside one that is multiplied."""


@op(
    "_fft_r2c",
    node="FftR2CBackward0",
    cost=COST,
    self=lambda grad, self, dim, normalization, onesided: real(
        spectrum_back(grad, self.shape, dim, normalization, onesided)
    ),
)
def fft_r2c(self: Array, dim: Sequence[int], normalization: int, onesided: bool) -> Array:
    kind = dtypes.complex_kind(self.dtype)
    if onesided:
        return scaled(np.fft.rfftn, self, dim, normalization, kind)
    return scaled(np.fft.fftn, self, dim, normalization, kind)


@op(
    "_fft_c2r",
    node="FftC2RBackward0",
    cost=COST,
    self=lambda grad, dim, normalization: twice_inside(fft_r2c(grad, dim, normalization, True), grad, dim),
)
def fft_c2r(self: Array, dim: Sequence[int], normalization: int, last_dim_size: int) -> Array:
    kind = dtypes.part_kind(self.dtype)
    lengths = [self.shape[d] for d in dim[:-1]] + [last_dim_size]
    inverse = np.fft.irfftn(self, lengths, axes=tuple(dim), norm=INVERSE[normalization])
    return np.asarray(inverse).astype(kind, copy=False)


INVERSE: tuple[Literal["forward", "ortho", "backward"], ...] = ("forward", "ortho", "backward")
"""The same for a transform back, of which numpy names the normalization of the way there."""


@op(
    "_fft_c2c",
    node="FftC2CBackward0",
    cost=COST,
    self=lambda grad, dim, normalization, forward: fft_c2c(grad, dim, normalization, not forward),
)
def fft_c2c(self: Array, dim: Sequence[int], normalization: int, forward: bool) -> Array:
    if forward:
        return scaled(np.fft.fftn, self, dim, normalization, self.dtype)
    inverse = np.fft.ifftn(self, axes=tuple(dim), norm=INVERSE[normalization])
    return np.asarray(inverse).astype(self.dtype, copy=False)


@both
def spectrum_back(grad: Array, sizes: Sequence[int], dim: Sequence[int], normalization: int, onesided: bool) -> Array:
    """The gradient of a transform of real numbers: what it left out of the spectrum counts as zeros."""
    if onesided and grad.shape[dim[-1]] < sizes[dim[-1]]:
        grad = constant_pad_nd(grad, missing(grad.shape, sizes, dim[-1]), 0)
    return fft_c2c(grad, dim, normalization, False)


@helper
def missing(shape: Sequence[int], sizes: Sequence[int], dim: int) -> list[int]:
    """How much to pad behind `dim`, as constant_pad_nd takes it."""
    return [0, 0] * (len(shape) - 1 - dim) + [0, sizes[dim] - shape[dim]]


@both
def twice_inside(spectrum: Array, signal: Array, dim: Sequence[int]) -> Array:
    """`spectrum` with those frequencies doubled that stand for their conjugates as well."""
    return spectrum * weights(spectrum, signal.shape[dim[-1]], dim[-1])


def weight_arrays(spectrum: Array, length: int, dim: int) -> Array:
    count = spectrum.shape[dim]
    each = np.ones(count, dtypes.part_kind(spectrum.dtype))
    each[1 : 1 + length - count] = 2
    return each.reshape([-1 if d == dim else 1 for d in range(spectrum.ndim)])


def weights(spectrum: Any, length: int, dim: int) -> Any:
    return plain(weight_arrays(spectrum.data_, length, dim))


helper(weights, weight_arrays)
