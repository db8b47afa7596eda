"""Gradients in the shape and dtype of the tensor they belong to: here broadcasting is undone, for all operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..dispatch.registry import call
from ..functorch.batch import Batch
from ..graph.node import FLOAT, Node, Output, outs_of
from ..tensor import arithmetic
from ..tensor.storage import new_storage
from ..tensor.tensor import Tensor

FIRST = (0,)
MANY = 4096


def validate_grads(node: Node, grads: Sequence[Any], wanted: Sequence[Node | None], graph: bool) -> list[Any]:
    """What `node` gave, in the shape and dtype that each edge expects: here broadcasting is undone, for all."""
    return [
        grad if below is None or grad is None else fit(node, i, grad, below.outs[nr], graph)
        for i, (below, nr, grad) in enumerate(zip(wanted, node.nrs, grads, strict=False))
    ]


def validate_grad(node: Node, index: int, grad: Any, below: Node, nr: int) -> Any:
    """An array that `node` gave for its input `index`, as the output `nr` of `below` expects it; None stays None."""
    if grad.__class__ is ndarray and grad.dtype is FLOAT:
        try:
            outs, add = rows_of[grad.shape]
        except KeyError:
            outs, add = as_rows(grad.shape)
        if below.outs == outs and grad.flags.c_contiguous:
            return add(grad)[...]  # a view, as in torch
    return None if grad is None else fit(node, index, grad, below.outs[nr], False)


rows_of: dict[tuple[int, ...], tuple[Any, Any]] = {}
"""What nodes expect (their `outs`) that get the sum of all rows of a contiguous gradient, and how to add those up.

So it is with a bias: the commonest case. By the shape of the gradient, which is of float32; None where it has no rows.
"""


def as_rows(shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The same for a gradient of this shape, planned now."""
    if len(rows_of) >= MANY:
        rows_of.clear()
    add = arithmetic.plan_sum(shape, FIRST, False, FLOAT) if len(shape) > 1 and shape[0] > 1 else None
    found = rows_of[shape] = (None if add is None else outs_of(shape[1:], FLOAT), add)
    return found


def fitted_tensor(node: Node, index: int, grad: Any, below: Node) -> Any:
    """The same for a tensor."""
    if grad is None:
        return None
    expected = below.outs[node.nrs[index]]
    data = grad.data_
    if data.shape == expected[0] and data.dtype is expected[1]:
        return grad
    return fit(node, index, grad, expected, True)


def fit(node: Node, index: int, grad: Any, expected: Output, graph: bool) -> Any:
    shape, dtype = expected
    data = grad.data_ if graph else grad
    if not isinstance(data, np.ndarray | np.generic | Batch):
        data = grad = dtype.type(data)
    if data.dtype.kind == "c" and dtype.kind != "c":
        if node.op_name in WHOLLY_COMPLEX:
            raise RuntimeError(NO_REAL_PART)
        grad = call("real", grad) if graph else data.real
        data = grad.data_ if graph else grad
    if data.shape != shape:
        if not expandable(shape, data.shape):
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - got "
                f"{errors.sizes(data.shape)} but expected shape compatible with {errors.sizes(shape)}"
            )
        grad = sum_to_size(grad, shape) if graph else sum_array_to_shape(data, shape)
        data = grad.data_ if graph else grad
    if data.dtype != dtype:
        return call("to_copy", grad, dtype) if graph else data.astype(dtype)
    return grad


WHOLLY_COMPLEX = frozenset(("where.self",))
"""Operators of whose complex gradients PyTorch takes no real part, where an input is real."""
NO_REAL_PART = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got false.  "
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)


def expandable(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    return len(shape) <= len(into) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(into), strict=False))


def sum_array_to_shape(data: Any, shape: tuple[int, ...]) -> Any:
    """`data` summed over the axes along which `shape` was stretched to its shape."""
    extra = data.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1 and data.shape[i + extra] != 1)
    out = arithmetic.total(data, axes, keepdims=True) if axes else data
    if extra:
        return out.reshape(shape)[()]
    return out if out.base is None else out.copy()  # a new tensor in torch, no view of one


def sum_to_size(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The same as operators, so that it can be differentiated."""
    if not shape and grad.data_.ndim:
        total: Tensor = call("sum", grad)
        return total
    extra = grad.data_.ndim - len(shape)
    axes = [i for i in range(extra)] + [
        i + extra for i, n in enumerate(shape) if n == 1 and grad.data_.shape[i + extra] != 1
    ]
    out: Tensor = call("sum_dim", grad, axes, True)
    if extra:
        out = call("view", out, shape)
    return out


def writes_into(node: Node, made: Sequence[Any], results: Sequence[Any]) -> Sequence[int]:
    """How often torch wrote each of `results` while `node` made it: what was brought to another shape is new."""
    return [count if one is result else 0 for count, one, result in zip(node.writes, made, results, strict=False)]


def count_writes(results: Sequence[Any], writes: Sequence[int]) -> None:
    """Let gradients that are tensors say how often torch wrote them while it made them."""
    for result, count in zip(results, writes, strict=False):
        if count and isinstance(result, Tensor) and result.storage_ is None:
            result.storage_ = new_storage(count)


def memory(grad: Any) -> int:
    """What tells the array whose memory `grad` shows, as views of it do."""
    base = getattr(grad, "base", None)
    return id(grad if base is None else base)


def shows(grad: Any, other: Any) -> bool:
    """Whether both gradients show the memory of one array, so that a write into one is a write into the other."""
    return grad is other or memory(grad) == memory(other)


def dense(data: Any) -> bool:
    """Whether the elements of `data` fill one stretch of memory, each once."""
    if not isinstance(data, np.ndarray) or data.flags.c_contiguous or data.flags.f_contiguous:
        return True
    expected = data.itemsize
    for step, size in sorted(zip(data.strides, data.shape, strict=True)):
        if size != 1:
            if step != expected:
                return False
            expected *= size
    return True
