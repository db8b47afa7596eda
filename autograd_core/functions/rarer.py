"""What programs call rarely: powers of a vector, choices of elements, places and shapes as numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .. import dtypes, errors
from ..ops import cumulative, indexing, join, reduction, special, unary
from ..ops._common import wrap
from ..ops.view import slice_, unsqueeze
from ..sizes import Size
from ..state import ask_room
from ..tensor import Tensor, plain
from ..unsupported import Unsupported
from ..views import extent, laid_out
from . import arranging
from .chains import multi_dot
from .choices import cast, numpy_dtype
from .factories import checked, floating, made
from .reductions import returned

HIGHEST = 168
"""The slope of log gamma beyond which factorials are no doubles, also where it is differentiated."""

FREXP = returned("frexp", "mantissa exponent")


def frexp(input: Tensor) -> Any:
    """Mantissa and exponent of each number."""
    return FREXP(*unary.frexp(input))


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    return reduction.renorm(input, p, wrap(dim, input.data_.ndim) if input.data_.ndim > 1 else dim, maxnorm)


def polygamma(n: int, input: Tensor) -> Tensor:
    """The slopes of log gamma: the `n`-th of its first one."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n > HIGHEST:
        raise Unsupported(f"polygamma with n above {HIGHEST} is not supported")
    whole = input.data_.dtype.kind != "f"
    return special.polygamma(n, cast(input, dtypes.get_default_dtype()) if whole else input)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector, written column by column as torch does."""
    if x.data_.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    rows = x.data_.shape[0]
    count = rows if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    kind = np.dtype(np.int64) if x.data_.dtype.kind in "biu" else x.data_.dtype
    out: Any = plain(np.zeros((rows, count), kind))
    if count > 0:
        out.select(1, 0).fill_(1)
    if count > 1:
        slice_(out, 1, 1, count, 1).copy_(unsqueeze(x, 1))
        slice_(out, 1, 1, count, 1).copy_(cumulative.cumprod(slice_(out, 1, 1, count, 1), 1))
    return out if increasing else join.flip(out, [1])


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements of a vector, in order."""
    if input.data_.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.data_.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return made(np.zeros(0, input.data_.dtype), "empty")
    count = input.data_.shape[0]
    places = np.indices((count,) * r)
    rising = [low <= high if with_replacement else low < high for low, high in zip(places, places[1:], strict=False)]
    mask = plain(np.logical_and.reduce(rising) if rising else np.ones(count, bool))
    grids = arranging.meshgrid(*[input] * r, indexing="ij")
    return join.stack([indexing.masked_select(grid, mask) for grid in grids], 1)


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Flat places as one index for each dimension."""
    if indices.is_complex() or indices.is_floating_point() or indices.data_.dtype == np.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    found, left = [], indices.data_
    for size in reversed(sizes):
        found.append(plain(np.asarray(left % size)[()]))
        left = left // size
    return tuple(reversed(found))


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes take together."""
    out: list[int] = []
    for place, given in enumerate(shapes):
        shape = (given,) if isinstance(given, int) else given
        for at in range(-1, -len(shape) - 1, -1):
            length = shape[at]
            if length < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if len(out) < -at:
                out.insert(0, length)
            elif length != 1 and out[at] != length:
                if out[at] != 1:
                    raise RuntimeError(
                        f"Attempting to broadcast a dimension of length {length} at {at}! Mismatching argument at "
                        f"index {place} had {shape}; but expected shape should be broadcastable to {out}"
                    )
                out[at] = length
    return Size(out)


def scalar_tensor(s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return made(floating(dtype).type(s), "scalar_tensor", requires_grad, device)


def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    kind = numpy_dtype(dtypes.get_default_dtype() if dtype is None else dtype)
    checked(list(size))
    if 0 not in size and any(n > 1 and step < 0 for n, step in zip(size, stride, strict=True)):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={errors.sizes(size)} and strides={errors.sizes(stride)}"
        )
    stride = [max(step, 0) for step in stride]
    ask_room(max(math.prod(size), extent(size, stride)))
    data = laid_out(size, stride, kind)
    return made(data, "empty_strided", requires_grad, device)


def new_empty_strided(
    self: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    return empty_strided(size, stride, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


def chain_matmul(*matrices: Tensor) -> Tensor:
    warnings.warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters.",
        stacklevel=1,
    )
    return multi_dot(list(matrices))


def imag(input: Tensor) -> NoReturn:
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


def view_as_real(input: Tensor) -> NoReturn:
    raise RuntimeError("view_as_real is only supported for complex tensors")


def itself(input: Tensor) -> Tensor:
    """What torch gives for a real tensor where it asks for the real part, or the conjugate."""
    return input


def is_same_size(input: Tensor, other: Tensor) -> bool:
    return input.data_.shape == other.data_.shape


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    from ..ops import indexing

    return indexing.masked_scatter(input, mask, source)


__all__ = ["combinations", "vander"]
