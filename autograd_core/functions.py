"""torch.sum, torch.max and the like: what programs call, where it chooses among operators of the table.

Each of these is a function of the package and, by METHODS in methods.py, a method of Tensor. Those that need no choice
(exp, mm) are the operators themselves.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import errors
from .ops import elementwise as e
from .ops import index as i
from .ops import matmul as m
from .ops import reduce as r
from .ops import shape as s
from .state import state
from .tensor import Tensor, plain, wrapped_number

Numbers = bool | int | float


def dims(dim: Any) -> list[int] | None:
    """`dim` as the list that torch keeps, None for all."""
    if dim is None:
        return None
    return [int(dim)] if isinstance(dim, int | np.integer) else [int(d) for d in dim]


def sizes_of(args: Sequence[Any]) -> list[int]:
    """The lengths in `f(2, 3)` or `f((2, 3))`."""
    given = args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args
    return [int(n.item()) if isinstance(n, Tensor) else int(n) for n in given]


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    from .dtypes import to_numpy

    return to_numpy(dtype)


def cast(input: Tensor, dtype: Any) -> Tensor:
    """`input` in another dtype, itself if it has that already."""
    if dtype is None:
        return input
    target = numpy_dtype(dtype)
    if input.data_.dtype == target:
        return input
    return e.to_copy(input, target) if target.kind == "f" else e.to_whole(input, target)


# ---- arithmetic


def add(input: Any, other: Any, *, alpha: Numbers = 1, out: Any = None) -> Tensor:
    return into(out, "add", (input, other), e.add(input, other, alpha))


def sub(input: Any, other: Any, *, alpha: Numbers = 1, out: Any = None) -> Tensor:
    return into(out, "sub", (input, other), e.sub(input, other, alpha))


def mul(input: Any, other: Any, *, out: Any = None) -> Tensor:
    return into(out, "mul", (input, other), e.mul(input, other))


def div(input: Any, other: Any, *, rounding_mode: str | None = None, out: Any = None) -> Tensor:
    result = e.div(input, other) if rounding_mode is None else e.div_mode(input, other, rounding_mode)
    return into(out, "div", (input, other), result)


def into(out: Any, name: str, inputs: Sequence[Any], result: Tensor) -> Tensor:
    """`result`, written into `out` where a program gave one."""
    if out is None:
        return result
    if builtins.any(isinstance(t, Tensor) and t.requires_grad for t in (*inputs, out)) and state.grad_enabled:
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments "
            "requires grad."
        )
    out.put(result.data_)
    out.bump()
    return out


def rsub(input: Tensor, other: Any, *, alpha: Numbers = 1) -> Tensor:
    return e.sub(other, input, alpha) if isinstance(other, Tensor) else e.rsub(input, other, alpha)


def remainder(input: Any, other: Any) -> Tensor:
    if not isinstance(input, Tensor):
        input = wrapped_number(input)
    return e.remainder(input, other) if isinstance(other, Tensor) else e.remainder_scalar(input, other)


def pow(input: Any, exponent: Any) -> Tensor:
    if not isinstance(input, Tensor):
        return e.rpow(input, exponent)
    return e.pow(input, exponent) if isinstance(exponent, Tensor) else e.pow_scalar(input, exponent)


def square(input: Tensor) -> Tensor:
    return e.pow_scalar(input, 2)


def positive(input: Tensor) -> Tensor:
    return input


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return e.clamp_tensor(input, min, max)
    return e.clamp(input, min, max)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    return nonzero(condition, as_tuple=True) if input is None else e.where(condition, input, other)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    return e.masked_fill_tensor(input, mask, value) if isinstance(value, Tensor) else e.masked_fill(input, mask, value)


# ---- reductions


class Extreme(NamedTuple):
    """Values and where they were found."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.{self.kind}(\nvalues={self.values!r},\nindices={self.indices!r})"

    @property
    def kind(self) -> str:
        return type(self).__name__


def named(kind: str) -> type[Extreme]:
    return type(kind, (Extreme,), {"__slots__": (), "__module__": "torch.return_types"})


MAX, MIN, SORT, TOPK = (named(kind) for kind in ("max", "min", "sort", "topk"))


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None, dtype: Any = None) -> Tensor:
    input = cast(input, dtype)
    dim = dim if axis is None else axis
    return r.sum(input) if dim is None else r.sum_dim(input, dims(dim), keepdim)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None, dtype: Any = None) -> Tensor:
    input = cast(input, dtype)
    dim = dim if axis is None else axis
    return r.mean(input) if dim is None else r.mean_dim(input, dims(dim), keepdim)


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    input = cast(input, dtype)
    return r.prod(input) if dim is None else r.prod_dim(input, dim, keepdim)


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    return r.cumsum(cast(input, dtype), dim)


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        return r.max_all(input)
    return e.maximum(input, dim) if isinstance(dim, Tensor) else MAX(*r.max_dim(input, dim, keepdim))


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        return r.min_all(input)
    return e.minimum(input, dim) if isinstance(dim, Tensor) else MIN(*r.min_dim(input, dim, keepdim))


def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return r.amax(input, dims(dim), keepdim)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return r.amin(input, dims(dim), keepdim)


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    return SORT(*r.sort(input, dim, descending))


def argsort(input: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    return r.sort(input.detach(), dim, descending)[1]


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return TOPK(*r.topk(input, k, dim, largest))


def correction_of(dim: Any, unbiased: bool | None, correction: Any) -> tuple[Any, Any]:
    """`var(False)`, `var(dim, False)` and `var(dim, correction=0)` all say how many degrees of freedom are lost."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        correction = int(unbiased)
    elif dim is not None and correction is None:
        correction = 1
    return dims(dim), correction


def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    over, lost = correction_of(dim, unbiased, correction)
    return r.var(input, over, lost, keepdim)


def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    over, lost = correction_of(dim, unbiased, correction)
    return r.std(input, over, lost, keepdim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    return r.logsumexp(input, dims(dim), keepdim)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    order = 2 if p in ("fro", None) else p
    return r.vector_norm(cast(input, dtype), order, dims(dim), keepdim)


def vector_norm(input: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return r.vector_norm(cast(input, dtype), ord, dims(dim), keepdim)


def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return r.softmax(cast(input, dtype), dim)


def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return r.log_softmax(cast(input, dtype), dim)


def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return r.all_(input, dims(dim), keepdim)


def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return r.any_(input, dims(dim), keepdim)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    found = np.nonzero(np.atleast_1d(input.data_))
    for loop in state.mapped:
        loop.read(len(found[0]), errors.DYNAMIC.format("where" if as_tuple else "nonzero"))
    if as_tuple:
        return tuple(plain(at.astype(np.int64)) for at in found)
    return plain(np.stack(found, 1).astype(np.int64) if input.data_.ndim else np.zeros((len(found[0]), 0), np.int64))


# ---- shapes


def reshape(input: Tensor, *shape: Any) -> Tensor:
    return s.reshape(input, sizes_of(shape))


def view(input: Tensor, *shape: Any, dtype: Any = None) -> Tensor:
    from .dtypes import dtype as dtype_class

    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], dtype_class)):
        raise NotImplementedError("view(dtype) is not supported")
    return s.view(input, sizes_of(shape))


def view_as(input: Tensor, other: Tensor) -> Tensor:
    return s.view(input, list(other.data_.shape))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    old = list(input.data_.shape)
    if not old:
        return s.reshape(input, [1])
    start, end = s.wrap(start_dim, len(old)), s.wrap(end_dim, len(old))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return s.reshape(input, [*old[:start], math.prod(old[start : end + 1]), *old[end + 1 :]])


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    old = list(input.data_.shape)
    at = s.wrap(dim, len(old))
    inner = list(s.inferred(list(sizes), old[at]))
    return s.view(input, [*old[:at], *inner, *old[at + 1 :]])


def ravel(input: Tensor) -> Tensor:
    return s.reshape(input, [-1])


def permute(input: Tensor, *order: Any) -> Tensor:
    return s.permute(input, sizes_of(order))


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    n = input.data_.ndim
    sources = [s.wrap(d, n) for d in dims(source) or []]
    targets = [s.wrap(d, n) for d in dims(destination) or []]
    rest = iter(d for d in range(n) if d not in sources)
    return s.permute(input, [sources[targets.index(d)] if d in targets else next(rest) for d in range(n)])


def expand(input: Tensor, *size: Any) -> Tensor:
    return s.expand(input, sizes_of(size))


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    return s.expand(input, list(other.data_.shape))


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        return s.squeeze(input)
    return s.squeeze_dim(input, dim) if isinstance(dim, int) else s.squeeze_dims(input, list(dim))


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    return s.repeat(input, sizes_of(repeats))


def tile(input: Tensor, *repeats: Any) -> Tensor:
    times = sizes_of(repeats)
    return s.repeat(input, [1] * (input.data_.ndim - len(times)) + times)


def flip(input: Tensor, *order: Any) -> Tensor:
    return s.flip(input, sizes_of(order))


def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    one = isinstance(shifts, int)
    at = [dims] if isinstance(dims, int) else list(dims)
    return s.roll(input, [shifts] if one else list(shifts), at)


def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    if isinstance(split_size_or_sections, int):
        return tuple(s.split(input, split_size_or_sections, dim))
    return tuple(s.split_with_sizes(input, list(split_size_or_sections), dim))


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = input.data_.shape[s.wrap(dim, input.data_.ndim)]
    return tuple(s.split(input, -(-length // chunks) or 1, dim))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(s.unbind(input, dim))


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    return s.slice_(input, dim, start, start + length, 1)


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    return s.cat(tensors, dim if axis is None else axis)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    return s.cat(tensors, 0 if tensors[0].data_.ndim <= 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    return s.cat([s.unsqueeze(t, 0) if t.data_.ndim == 1 else t for t in tensors], 0)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    return s.diag_embed(input, diagonal) if input.data_.ndim == 1 else s.diagonal_copy(input, diagonal, 0, 1)


def fmod(input: Tensor, other: Any) -> Tensor:
    return e.fmod(input, other) if isinstance(other, Tensor) else e.fmod_scalar(input, other)


def float_power(input: Tensor, exponent: Any) -> Tensor:
    from .dtypes import float64

    wide = cast(input, float64)
    return pow(wide, float(exponent) if isinstance(exponent, int | float) else cast(exponent, float64))


def contiguous(input: Tensor) -> Tensor:
    return s.clone(input, True) if isinstance(input.data_, np.ndarray) and not input.data_.flags.c_contiguous else input


# ---- products


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Numbers = 1, alpha: Numbers = 1) -> Tensor:
    return m.addmm(input, mat1, mat2, beta, alpha)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Numbers = 1, alpha: Numbers = 1) -> Tensor:
    return m.addmv(input, mat, vec, beta, alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Numbers = 1, alpha: Numbers = 1) -> Tensor:
    return m.baddbmm(input, batch1, batch2, beta, alpha)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    return s.reshape(input, [input.data_.shape[0], 1]) * vec2


# ---- places


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    return i.gather(input, dim, index, sparse_grad)


def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    src = value if src is None else src
    return i.scatter(input, dim, index, src) if isinstance(src, Tensor) else i.scatter_value(input, dim, index, src)


def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    return i.index_put(input, list(indices), values, accumulate)


# ---- comparisons of whole tensors


def equal(input: Tensor, other: Tensor) -> bool:
    return input.data_.shape == other.data_.shape and bool(np.all(input.data_ == other.data_))


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    if input.data_.dtype != other.data_.dtype:
        a, b = errors.type_name(input.data_.dtype), errors.type_name(other.data_.dtype)
        raise RuntimeError(f"{a} did not match {b}")
    return plain(np.isclose(input.data_, other.data_, rtol, atol, equal_nan))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan).data_))


def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    return input.data_.dtype.kind == "f"


def numel(input: Tensor) -> int:
    return int(input.data_.size)
