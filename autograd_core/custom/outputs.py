"""What the outputs of a function that a program writes itself become: results, inputs written in place, views."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from .. import errors, tell
from ..state import state, watch
from ..tensor import Tensor
from ..transforms.levels import wants_gradient
from .node import FunctionNode

DIRTY_NOT_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one "
    "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a "
    "view (using "
    ".clone() for example) or make your Function only return one Tensor (potentially splitting it into two "
    "Functions: one doing "
    "the inplace that returns a single Tensor and a second one that does the other operations). You can ask on the "
    "forum "
    "https://discuss.pytorch.org/ if you need help to do this change."
)


def wrap_outputs(node: FunctionNode, outputs: list[Any], inputs: list[Tensor], recorded: bool) -> list[Any]:
    """Give each output its place: a result of `node`, an input written in place or a view of an untouched one."""
    dirty, constant = node.dirty_tensors or (), node.non_differentiable or ()
    if not all(isinstance(tensor, Tensor) for tensor in dirty):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if not all(isinstance(tensor, Tensor) for tensor in constant):
        raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    node.constant_outs = tuple(nr for nr, out in enumerate(outputs) if isinstance(out, Tensor) and among(out, constant))
    for tensor in dirty:
        tensor.bump()
        if not among(tensor, inputs):
            warnings.warn(DIRTY_NOT_INPUT, UserWarning, stacklevel=1)
        tell.written(tensor, node.function.__name__, ())
    wrapped: list[Any] = []
    differentiable = [
        recorded and isinstance(out, Tensor) and out.data_.dtype.kind == "f" and not among(out, constant)
        for out in outputs
    ]
    for nr, out in enumerate(outputs):
        if isinstance(out, Tensor):
            is_input, is_dirty = among(out, inputs), among(out, dirty)
            out = place(node, out, nr, is_input, is_dirty, differentiable[nr], len(outputs))
            if not (is_input and is_dirty):
                say_made(out, "custom")
        wrapped.append(out)
    if sum(differentiable) > 1:
        for out in wrapped:
            say_made(out, "multi_output")
    if not all(among(tensor, outputs) for tensor in dirty):
        raise RuntimeError(DIRTY_NOT_RETURNED)
    return wrapped


def say_made(out: Any, creation: str) -> None:
    """If `out` is a view, it came to be in this way."""
    if isinstance(out, Tensor) and out.meta is not None and out.meta.view is not None:
        out.meta.view.creation = creation


def among(tensor: Tensor, others: Sequence[Any]) -> bool:
    return any(tensor is other for other in others)


def place(
    node: FunctionNode, out: Tensor, nr: int, is_input: bool, is_dirty: bool, differentiable: bool, outputs: int
) -> Tensor:
    """`out` as the output number `nr` of `node`."""
    from ..inplace import refuse_view
    from ..rebasing import rebase_onto
    from ..views import alias_view

    if not differentiable:
        if not (wants_gradient(out) if state.levels else out.requires_grad):
            return alias_view(out) if is_input and not is_dirty else out
        if is_input:
            return out.detach()
        if not out._is_view():
            out.detach_()
        return out
    if is_dirty:
        if out.requires_grad:
            refuse_view(out)
        if out.node is None and out.requires_grad:  # a view's grad_fn is not made anew here: `node` is the last of it
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if out.requires_grad and out._base is not None and out._base.is_leaf:
            raise RuntimeError(errors.VIEW_OF_LEAF_IN_PLACE)
        if out._is_view() and outputs > 1:
            raise RuntimeError(DIRTY_VIEW)
        rebase_onto(out, node, nr)
        return out
    if is_input:
        out = alias_view(out)
    watch(out.node)
    out.node, out.output_nr = node, nr
    if out.meta is not None and out.meta.view is not None:
        out.meta.view.version = out.shared_storage().version
    return out
