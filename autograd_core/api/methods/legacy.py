"""Methods with ways of their own: `new`, `resize`, `set_`, `T`, and those that torch wrote in Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ... import errors
from ...autograd.function import Function
from ...dispatch.inplace import check_writable
from ...dispatch.not_differentiable import NotImplemented_
from ...dispatch.schema.guard import guard
from ...dispatch.schema.schema import composite
from ...engine.grad_mode import no_grad
from ...engine.state import ask_room, state
from ...engine.warnings import warn_once
from ...errors import Unsupported
from ...events import session as tell
from ...graph.copy_slices import rebase_onto
from ...graph.edges import gradient_edge
from ...linalg.functions import old_norm
from ...ops.complex import conj
from ...ops.view import alias, permute, transpose
from ...tensor.size import Size
from ...tensor.strides import of_rows
from ...tensor.tensor import Tensor
from ..functions import linalg as linalg_functions
from ..functions import shape, sorting
from ..functions.arguments import sizes_of
from ..functions.creation import from_sequence, make_tensor
from .memory import as_strided

# ---- of old programs


def new(self: Tensor, *data: Any) -> Tensor:
    """A tensor of this dtype: of a shape (filled with zeros here), or from a list of values."""
    kind = self.data_.dtype
    if len(data) == 1 and isinstance(data[0], Tensor):
        return alias(data[0])
    if len(data) == 1 and isinstance(data[0], list | tuple | range) and not isinstance(data[0], Size):
        return make_tensor(from_sequence(data[0], kind), "new")
    if len(data) == 1 and isinstance(data[0], np.ndarray):
        return make_tensor(data[0].astype(kind), "new")
    if not all(isinstance(n, int | tuple) for n in data):
        raise TypeError(f"new(): data must be a sequence (got {type(data[0]).__name__})")
    sizes = sizes_of(data)
    ask_room(*sizes)
    return make_tensor(np.zeros(sizes if data else 0, kind), "new")


class Resize(Function):
    """Another shape of the same number of elements, as a Function written in Python: so it stands in torch's graph."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: tuple[int, ...]) -> Tensor:
        count = int(np.prod(sizes, dtype=object))
        if tensor.data_.size != count:
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({count} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.data_.shape))} ({tensor.data_.size} elements). autograd's "
                "resize can only change the shape of a given tensor, while preserving the number of elements. "
            )
        ctx.input_sizes = tensor.data_.shape
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0].contiguous().view(ctx.input_sizes), None


def resize(self: Tensor, *sizes: Any) -> Tensor:
    warnings.warn("non-inplace resize is deprecated", stacklevel=2)
    return Resize.apply(self, tuple(sizes_of(sizes)))


def memory_of(source: Any, kind: np.dtype[Any]) -> Tensor:
    """The tensor `source`, or all numbers in a storage."""
    if isinstance(source, Tensor):
        return source
    row: Tensor = source.as_row(kind)
    return row


def check_steps(size: Any, stride: Any) -> None:
    """
    Raises:
        RuntimeError: there are not as many steps as lengths, or one goes backwards.
    """
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if 0 not in size and min(stride, default=0) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={errors.sizes(size)} and strides={errors.sizes(stride)}"
        )


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Show the memory of `source` from now on, or a window of it; a write that has no derivative."""
    given = (
        make_tensor(np.zeros(0, self.data_.dtype), "set_") if source is None else memory_of(source, self.data_.dtype)
    )
    data = given.array()
    if size is not None:
        if stride is not None:
            check_steps(size, stride)
        if min(size, default=0) < 0:
            raise RuntimeError("numel: integer multiplication overflow")
        with no_grad():
            data = as_strided(given, size, of_rows(size) if stride is None else stride, storage_offset).array()
    if given.data_.dtype != self.data_.dtype:
        kinds = [errors.c_name(t.data_.dtype) for t in (self, given)]
        raise RuntimeError("Could not set tensor of type " + kinds[1] + " to a tensor of type " + kinds[0])
    check_writable(self)
    if self._is_view():
        raise Unsupported("set_ of a view is not supported")
    needed = state.grad_enabled and (self.requires_grad or given.requires_grad)
    edges = [gradient_edge(t) for t in (self, given)] if needed else []
    mine, theirs = self.shared_storage(), given.shared_storage()
    self.data_ = data
    mine.address, mine.boxed = theirs.address, theirs.boxed
    self.bump()
    if self.meta is not None:
        self.meta.accumulator = None  # torch resets it: graphs made from now on lead to another one
    if needed:
        node = NotImplemented_(edges, ((self.data_.shape, self.data_.dtype),))
        node.operator = "set_"
        rebase_onto(self, node)
    tell.emit_write(self, "set_", (given,))
    return self


def volatile(self: Tensor) -> bool:
    """What `no_grad` once was."""
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


METHODS = {"new": new, "resize": resize, "set_": set_}


# ---- tensors turned over, each with its own words for what is no matrix


NOT_A_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
IDENTITY = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
CONJUGATE = "{} is deprecated on 0-D tensors. Consider using x.conj()."


def reverse_dims(self: Tensor) -> Tensor:
    """All dimensions in the other order."""
    n = self.data_.ndim
    if n != 2:
        warn_once("T" if n else "0-d T", NOT_A_MATRIX if n else IDENTITY.format("T"))
    turned: Tensor = permute(self, list(range(n))[::-1])
    return turned


def itself(tensor: Tensor) -> Tensor:
    return tensor


def matrices(name: str) -> Callable[[Tensor], Tensor]:
    """The property (or method) `name`, which turns over the last two dimensions.

    Raises:
        RuntimeError: the tensor has one dimension.
    """
    title = "adjoint()" if name == "adjoint" else f"Tensor.{name}"

    finish = conj if "H" in name or name == "adjoint" else itself

    def transpose_last(self: Tensor) -> Tensor:
        n = self.data_.ndim
        if n == 1:
            shown = title[:1].lower() + title[1:] if "." in title else f"tensor.{title}"
            raise RuntimeError(f"{shown} is only supported on matrices or batches of matrices. Got 1-D tensor.")
        if n == 0:
            warn_once(f"0-d {name}", IDENTITY.format(name) if name == "mT" else CONJUGATE.format(title))
            return finish(self)
        return finish(transpose(self, -2, -1))

    transpose_last.__name__ = name
    return transpose_last


adjoint = composite("adjoint(Tensor(a) self) -> Tensor(a): function method")(matrices("adjoint"))


def matrix(self: Tensor) -> Tensor:
    """`H`, for matrices alone.

    Raises:
        RuntimeError: the tensor is none.
    """
    n = self.data_.ndim
    if n not in (0, 2):
        more = " For batches of matrices, consider using tensor.mH" if n > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{more}")
    if n == 0:
        warn_once("0-d H", CONJUGATE.format("Tensor.H"))
        return conj(self)
    return conj(transpose(self, 0, 1))


# ---- functions whose module is read when the first of them is called


@composite("prelu(Tensor self, Tensor weight) -> Tensor: method")
def prelu(self: Tensor, weight: Tensor) -> Tensor:
    from ...nn.functional import activation

    return activation.prelu(self, weight)


@composite("hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor: method")
def hardshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    from ...nn.functional import activation

    return activation.hardshrink(self, lambd)


# ---- written in Python by torch: what Python says of a wrong call names them as methods of Tensor


UNFLATTEN: Any = guard("Tensor", "_unflatten", shape.unflatten)


def split(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    return shape.split(self, split_size, dim)


def unflatten(self: Tensor, dim: int, sizes: Any) -> Any:
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return UNFLATTEN(self, dim, sizes)


def norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    return old_norm(self, p, dim, keepdim, dtype=dtype)


def unique(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    return sorting.unique(self, sorted, return_inverse, return_counts, dim)


def unique_consecutive(
    self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    return sorting.unique_consecutive(self, return_inverse, return_counts, dim)


def solve(self: Tensor, other: Tensor) -> NoReturn:
    linalg_functions.solve(self, other)


def lstsq(self: Tensor, other: Tensor) -> NoReturn:
    linalg_functions.lstsq(self, other)


def eig(self: Tensor, eigenvectors: bool = False) -> NoReturn:
    linalg_functions.eig(self, eigenvectors)


def symeig(self: Tensor, eigenvectors: bool = False) -> NoReturn:
    linalg_functions.symeig(self, eigenvectors)


FROM_PYTHON: dict[str, Callable[..., Any]] = {
    "split": split,
    "unflatten": unflatten,
    "norm": norm,
    "unique": unique,
    "unique_consecutive": unique_consecutive,
    "solve": solve,
    "lstsq": lstsq,
    "eig": eig,
    "symeig": symeig,
}

for _name, _method in FROM_PYTHON.items():
    _method.__qualname__ = f"Tensor.{_name}"
