"""Rules of operators that show, move, cut or join elements: dimensions count from the one after the batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dispatch.inplace import in_place
from ...ops.join import clone
from ...ops.reduction import sum_dim
from ...ops.unary import copy
from ...ops.view import (
    alias,
    diagonal,
    expand,
    infer_size,
    reshape,
    select,
    slice_,
    squeeze_dims,
    squeeze_dims_,
    transpose,
    unsqueeze,
    view,
)
from ...tensor.tensor import plain
from ..batched_tensor import Part
from .operands import Call, below_front, each_wrapped, ensure_batch, front, move_dim, pad_dims, wrap_dim

Rule = Callable[[Call], Any]


def shift_rule(*names: str, extra: int = 0) -> Rule:
    """Arguments that name dimensions (or lists of them) count one further; `extra` for those of the result."""

    def rule(call: Call) -> Any:
        part = call.first
        given: dict[str, Any] = {}
        for name in names:
            dim = call[name]
            given[name] = wrap_dim(dim, part.rank + extra) if isinstance(dim, int) else each_wrapped(dim, part.rank)
        operands = {name: ensure_batch(p, call.level.size) for name, p in call.parts.items()}
        return below_front(call.run(**operands, **given))

    return rule


def size_rule(call: Call) -> Any:
    """`view` and its like: the batch keeps its length. A length of -1 is made out here."""
    part = call.first
    size = list(infer_size(call["size"], math.prod(part.shape)))
    return Part(call.run(self=front(part), size=[call.level.size, *size]), 0)


def permute_rule(call: Call) -> Any:
    part = call.first
    return Part(call.run(self=front(part), dims=[0, *each_wrapped(call["dims"], part.rank)]), 0)


def expand_rule(call: Call) -> Any:
    part = call.first
    size = list(call["size"])
    rows = front(part)
    extra = len(size) - part.rank
    if extra >= 0:
        shape = rows.data_.shape
        rows = view(rows, [shape[0], *[1] * extra, *shape[1:]]) if part.rank else view(rows, [shape[0], *[1] * extra])
    return Part(call.run(self=rows, size=(call.level.size, *size)), 0)


def transpose_rule(call: Call) -> Any:
    part = call.first
    if part.rank < 2:
        return Part(alias(part.whole), part.at)
    return Part(transpose(front(part), 1, 2), 0)


def swap_rule(call: Call) -> Any:
    part = call.first
    if not part.rank:
        return part
    return Part(transpose(front(part), wrap_dim(call["dim0"], part.rank), wrap_dim(call["dim1"], part.rank)), 0)


def squeeze_rule(call: Call) -> Any:
    """All lengths of 1 go, but not the batch's."""
    part = call.first
    at = part.at or 0
    shape = list(part.whole.data_.shape)
    kept = [n for i, n in enumerate(shape) if n != 1 or i == at]
    place = sum(1 for i, n in enumerate(shape) if i < at and n != 1)
    return Part(view(part.whole, kept), place)


def squeezed_along(call: Call) -> Any:
    part = call.first
    if not part.rank:
        wrap_dim(call["dim"] if isinstance(call["dim"], int) else 0, part.rank)
        return Part(alias(part.whole), part.at)
    dim = call["dim"]

    if call.op.name == "squeeze.dim" and not call.level.older:
        return Part(squeeze_dims(front(part), [wrap_dim(dim, part.rank)]), 0)
    if call.op.name == "squeeze_.dim":
        return Part(squeeze_dims_(front(part), [wrap_dim(dim, part.rank)]), 0)
    given = wrap_dim(dim, part.rank) if isinstance(dim, int) else each_wrapped(dim, part.rank)
    return Part(call.run(self=front(part), dim=given), 0)


def put_back(call: Call) -> Any:
    """The backward of a part: zeros with the gradient in their midst, the batch first."""
    part = call.first
    sizes = call["input_sizes"]
    dim = wrap_dim(call["dim"], len(sizes))
    if call.level.older:
        return Part(written_back(call, (call.level.size, *sizes), dim), 0)
    return Part(call.run(grad_output=front(part), input_sizes=(call.level.size, *sizes), dim=dim), 0)


def written_back(call: Call, sizes: tuple[int, ...], dim: int) -> Any:
    """The same, written into zeros."""
    grad = front(call.first)
    zeros = plain(np.zeros(sizes, grad.data_.dtype))
    if call.op.name == "select_backward":
        shown = select(zeros, dim, call["index"])
    else:
        shown = slice_(zeros, dim, call["start"], call["end"], call["step"])
    in_place(copy, shown, grad)
    return zeros


def diagonal_back(call: Call) -> Any:
    part, sizes = call.first, call["input_sizes"]
    dims = {name: wrap_dim(call[name], len(sizes)) for name in ("dim1", "dim2")}
    return Part(call.run(grad_output=front(part), input_sizes=(call.level.size, *sizes), **dims), 0)


def diagonal_copied(call: Call) -> Any:
    part = call.first
    dims = [wrap_dim(call[name], part.rank) for name in ("dim1", "dim2")]
    return Part(clone(diagonal(front(part), call["offset"], *dims)), 0)


def unfold_back(call: Call) -> Any:
    part, sizes = call.first, call["input_sizes"]
    dim = wrap_dim(call["dim"], len(sizes))
    return Part(call.run(grad_in=front(part), input_sizes=(call.level.size, *sizes), dim=dim), 0)


def as_strided_rule(call: Call) -> Any:
    """`as_strided` of the memory of each example, taken as laid out in C order."""
    part = call.first
    rows = front(part)
    if not rows.data_.flags.c_contiguous:
        rows = clone(rows, True)
    step = math.prod(part.shape)
    size, stride = (call.level.size, *call["size"]), (step, *call["stride"])
    return Part(call.run(self=rows, size=size, stride=stride), 0)


def trace_rule(call: Call) -> Any:
    return Part(sum_dim(diagonal(front(call.first), 0, 1, 2), [-1]), 0)


def clone_rule(call: Call) -> Any:
    """`clone`: the batch stays where it is, unless the elements are to lie in a row."""
    part = call.first
    if not call["contiguous"]:
        return Part(call.run(self=part.whole), part.at)
    return Part(call.run(self=front(part)), 0)


def in_front(call: Call) -> Any:
    """Operators over the last dimensions, whatever stands before these."""
    return below_front(call.run(**{name: ensure_batch(p, call.level.size) for name, p in call.parts.items()}))


def repeat_rule(call: Call) -> Any:
    part, repeats = call.first, call["repeats"]
    return Part(call.run(self=pad_dims(part, len(repeats)), repeats=[1, *repeats]), 0)


def roll_rule(call: Call) -> Any:
    part = call.first
    if call["dims"]:
        return Part(call.run(self=front(part), dims=each_wrapped(call["dims"], part.rank)), 0)
    rows = front(part)
    flat = reshape(rows, [call.level.size, -1])
    return Part(reshape(call.run(self=flat, dims=[1]), list(rows.data_.shape)), 0)


def cat_rule(call: Call) -> Any:
    parts = [p for p in call.parts["tensors"] if p.shape != (0,)] or call.parts["tensors"]
    rank = parts[0].rank
    wholes = [ensure_batch(p, call.level.size) for p in parts]
    return Part(call.run(tensors=wholes, dim=wrap_dim(call["dim"], rank)), 0)


def stack_rule(call: Call) -> Any:
    parts = call.parts["tensors"]
    wholes = [
        move_dim(p.whole, p.at, 0)
        if p.at is not None
        else expand(unsqueeze(p.whole, 0), [call.level.size, *p.whole.data_.shape])
        for p in parts
    ]
    return Part(call.run(tensors=wholes, dim=wrap_dim(call["dim"], parts[0].rank + 1)), 0)


def filled_around(call: Call) -> Any:
    return Part(call.run(self=front(call.first)), 0)


RULES: dict[str, Rule] = {
    "view": size_rule, "_unsafe_view": size_rule, "_reshape_alias": size_rule, "permute": permute_rule,
    "expand": expand_rule,
    "t": transpose_rule, "transpose.int": swap_rule, "squeeze": squeeze_rule, "squeeze.dim": squeezed_along,
    "squeeze.dims": squeezed_along, "squeeze_.dim": squeezed_along, "unsqueeze": shift_rule("dim", extra=1),
    "select.int": shift_rule("dim"), "slice.Tensor": shift_rule("dim"), "select_backward": put_back,
    "slice_backward": put_back, "diagonal": shift_rule("dim1", "dim2"), "diagonal_copy": diagonal_copied,
    "diag_embed": shift_rule("dim1", "dim2", extra=1), "diagonal_backward": diagonal_back, "trace": trace_rule,
    "as_strided": as_strided_rule,
    "split.Tensor": shift_rule("dim"), "unsafe_split.Tensor": shift_rule("dim"), "split_with_sizes": shift_rule("dim"),
    "unsafe_split_with_sizes": shift_rule("dim"),
    "unbind.int": shift_rule("dim"), "clone": clone_rule, "repeat": repeat_rule, "flip": shift_rule("dims"),
    "roll": roll_rule,
    "tril": in_front, "triu": in_front, "cat": cat_rule, "stack": stack_rule, "rot90": shift_rule("dims"),
    "unfold": shift_rule("dimension"), "unfold_backward": unfold_back, "constant_pad_nd": filled_around,
    "select_scatter": shift_rule("dim"), "slice_scatter": shift_rule("dim"),
    "diagonal_scatter": shift_rule("dim1", "dim2"),
}  # fmt: skip
