"""torch.sum, torch.max and the like: what programs call, where it chooses among operators of the table."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...dispatch.schema.schema import composite
from ...ops import activation, cumulative, reduction
from ...ops import sorting as sorting_ops
from ...ops.unary import maximum, minimum
from ...tensor.dtypes import to_numpy
from ...tensor.tensor import Tensor
from .arguments import cast, counted_in, dims, lacking
from .pointwise import UNSAID


class Extreme(NamedTuple):
    """Values and where they were found."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.{self.kind}(\nvalues={self.values!r},\nindices={self.indices!r})"

    @property
    def kind(self) -> str:
        return type(self).__name__


def name_of(kind: str) -> type[Extreme]:
    own = {"__slots__": (), "__getattr__": lacking, "__module__": "torch.return_types"}
    return type(kind, (Extreme,), own)


MAX, MIN, SORT, TOPK = (name_of(kind) for kind in ("max", "min", "sort", "topk"))


@composite("""
    sum(Tensor self, *, ScalarType? dtype=None) -> Tensor: function method
    sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor: function \
        method out
    """)
def sum(input: Tensor, dim: Any = UNSAID, keepdim: bool = False, *, axis: Any = UNSAID, dtype: Any = None) -> Tensor:
    if dtype is not None:
        input = counted_in(input, dtype)
    dim = dim if axis is UNSAID else axis
    return cast(reduction.sum(input) if dim is UNSAID else reduction.sum_dim(input, dims(dim), keepdim), dtype)


@composite("""
    mean(Tensor self, *, ScalarType? dtype=None) -> Tensor: function method out
    mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor: function method out
    """)
def mean(input: Tensor, dim: Any = UNSAID, keepdim: bool = False, *, axis: Any = UNSAID, dtype: Any = None) -> Tensor:
    if dtype is not None:
        input = cast(input, dtype)
    dim = dim if axis is UNSAID else axis
    return reduction.mean(input) if dim is UNSAID else reduction.mean_dim(input, dims(dim), keepdim)


@composite("""
    prod(Tensor self, *, ScalarType? dtype=None) -> Tensor: function method
    prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor: function method out
    """)
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    input = counted_in(input, dtype)
    return cast(reduction.prod(input) if dim is None else reduction.prod_dim(input, dim, keepdim), dtype)


@composite("cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor: function method method_ out")
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    refuse_truth("cumsum", dtype)
    return cast(cumulative.cumsum(counted_in(input, dtype), dim), dtype)


@composite("cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor: function method method_ out")
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    refuse_truth("cumprod", dtype)
    return cast(cumulative.cumprod(counted_in(input, dtype), dim), dtype)


def refuse_truth(name: str, dtype: Any) -> None:
    if dtype is not None and to_numpy(dtype).kind == "b":
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")


@composite("""
    max(Tensor self) -> Tensor: function method out
    max.other(Tensor self, Tensor other) -> Tensor: function method out
    max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices): function method out
    """)
def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        return reduction.max_all(input)
    return maximum(input, dim) if isinstance(dim, Tensor) else MAX(*reduction.max_dim(input, dim, keepdim))


@composite("""
    min(Tensor self) -> Tensor: function method out
    min.other(Tensor self, Tensor other) -> Tensor: function method out
    min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices): function method out
    """)
def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        return reduction.min_all(input)
    return minimum(input, dim) if isinstance(dim, Tensor) else MIN(*reduction.min_dim(input, dim, keepdim))


@composite("amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor: function method out")
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return reduction.amax(input, dims(dim), keepdim)


@composite("amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor: function method out")
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return reduction.amin(input, dims(dim), keepdim)


@composite("""
    sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices): \
        function method out
    sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices): function method out
    """)
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: Any = UNSAID) -> Any:
    sorting = sorting_ops.sort if stable is UNSAID else sorting_ops.sort_stable
    return SORT(*sorting(input, dim, descending))


@composite("""
    argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor: function method out
    argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor: function method
    """)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    return sorting_ops.sort(input.detach(), dim, descending)[1]


@composite("""
    topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices): \
        function method out
    """)
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return TOPK(*sorting_ops.topk(input, k, dim, largest))


NOT_GIVEN: Any = object()


def correction_of(dim: Any, unbiased: bool | None, correction: Any) -> tuple[Any, Any]:
    """`var(False)`, `var(dim, False)` and `var(dim, correction=0)` all say how many degrees of freedom are lost."""
    if isinstance(dim, bool):
        dim, unbiased = NOT_GIVEN, dim
    if unbiased is not None:
        correction = int(unbiased)
    elif dim is not NOT_GIVEN and correction is None:
        correction = 1  # of the way to call that has `dim`, even if it says nothing
    return dims(None if dim is NOT_GIVEN else dim), correction


@composite("""
    var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor: function method out
    var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor: function \
        method out
    var(Tensor self, bool unbiased=True) -> Tensor: function method
    """)
def var(
    input: Tensor, dim: Any = NOT_GIVEN, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    over, lost = correction_of(dim, unbiased, correction)
    return reduction.var(input, over, lost, keepdim)


@composite("""
    std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor: function method out
    std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor: function \
        method out
    std(Tensor self, bool unbiased=True) -> Tensor: function method
    """)
def std(
    input: Tensor, dim: Any = NOT_GIVEN, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    over, lost = correction_of(dim, unbiased, correction)
    return reduction.std(input, over, lost, keepdim)


@composite("logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor: function method out")
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    over, rank = dims(dim), input.data_.ndim
    if rank and not over and over is not None and not keepdim:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * rank}")
    return reduction.logsumexp(input, over, keepdim)


@composite("softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor: function method out")
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return activation.softmax(cast(input, dtype), dim)


@composite("log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor: function method out")
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return activation.log_softmax(cast(input, dtype), dim)


@composite("""
    all(Tensor self) -> Tensor: function method out
    all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor: function method out
    all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor: function method out
    """)
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return reduction.all_(input, dims(dim), keepdim)


@composite("""
    any(Tensor self) -> Tensor: function method out
    any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor: function method out
    any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor: function method out
    """)
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return reduction.any_(input, dims(dim), keepdim)
