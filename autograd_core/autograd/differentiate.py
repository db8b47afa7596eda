"""torch.autograd.backward and grad, with every argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..engine import fast_engine
from ..engine.engine import Call
from ..engine.input_buffer import as_tensor
from ..engine.pending_grads import parts
from ..engine.roots import (
    GradientEdge,
    as_tuple,
    check_enough,
    check_inputs,
    check_roots,
    input_node,
    pair_grads,
    refuse_unused,
    root_edges,
    yes_or_no,
)
from ..engine.run_backward import gradients, refusal_told, run
from ..engine.state import special, state
from ..engine.warnings import warn, warn_once
from ..functorch.batched_tensor import Part, hide
from ..functorch.forward_mode import kept_for_tangents
from ..functorch.levels import carries_tangent
from ..functorch.vmap import mapped_over, shown_again
from ..graph.accumulate_grad import new_accumulator
from ..graph.node import first_grad
from ..tensor.size import Size
from ..tensor.tensor import Tensor, plain


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves below them, or of `inputs` alone.

    Raises:
        RuntimeError: as torch does, in its words.
    """
    if state.mapped or any(level is not state.dual for level in state.levels):
        raise RuntimeError(errors.BACKWARD_IN_TRANSFORM)
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(errors.GRADS_TWICE)
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = (inputs,) if isinstance(inputs, Tensor | GradientEdge) else tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = as_tuple(tensors)
    grads = pair_grads(roots, grad_tensors)
    retain = create_graph if retain_graph is None else retain_graph
    with refusal_told("backward", roots):
        check_roots(roots, grads)
        edges = root_edges(roots)
    call = Call(yes_or_no(retain), yes_or_no(create_graph), None)
    if inputs is not None:
        check_inputs(inputs)
        call.only([input_node(t, i) for i, t in enumerate(inputs)])
        for t in inputs:
            if isinstance(t, Tensor) and t.grad_fn is not None:
                t.retain_grad()
    try:
        run(call, "backward", roots, grads, edges, inputs or ())
    finally:
        if create_graph:
            warn_once("create_graph", errors.CREATE_GRAPH_CYCLE, of_caller=False)  # torch keeps it until the call ends


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`.

    They are a tuple, or a dictionary where `inputs` is one, by its names.

    Raises:
        RuntimeError: as torch does, in its words.
    """
    if type(inputs) is dict:
        wanted = tuple(inputs.values())
        options = (only_inputs, allow_unused, is_grads_batched, materialize_grads)
        found = grad(outputs, wanted, grad_outputs, retain_graph, create_graph, *options)
        return dict(zip(inputs, found, strict=True))
    plainly = grad_outputs is None and only_inputs and not (is_grads_batched or materialize_grads)
    if plainly and not special and (create_graph or not state.levels):
        retain = create_graph if retain_graph is None else retain_graph
        unused = allow_unused is not None and yes_or_no(allow_unused)
        retain = retain if retain.__class__ is bool else yes_or_no(retain)
        graph = create_graph if create_graph.__class__ is bool else yes_or_no(create_graph)
        found = quickly(outputs, inputs, retain, graph, unused)
        if found is not None:
            return found
    if not only_inputs:
        warn(errors.ONLY_INPUTS, FutureWarning)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else yes_or_no(allow_unused)
    roots, wanted = as_tuple(outputs), as_tuple(inputs)
    check_inputs(wanted)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return batched_grad(roots, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    if not create_graph and any(map(carries_tangent, roots)):
        found = gradients(roots, wanted, grad_outputs, bool(retain_graph), True, allow_unused, materialize_grads)
        return tuple(map(kept_for_tangents, found))
    return gradients(roots, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)


SEVERAL = (tuple, list)


def quickly(outputs: Any, inputs: Any, retain: bool, create_graph: bool, allow_unused: bool) -> tuple[Any, ...] | None:
    """The gradients of one number with respect to leaves by the quick engine; None where that must not run."""
    root = outputs[0] if outputs.__class__ in SEVERAL and len(outputs) == 1 else outputs
    if root.__class__ is not Tensor or root.meta is not None or root.node is None:
        return None
    start = first_grad(root.node)
    if start is None:
        return None
    leaves = []
    for tensor in inputs if inputs.__class__ in SEVERAL else (inputs,):
        if not (tensor.__class__ is Tensor or isinstance(tensor, Tensor)) or tensor.node is not None:
            return None
        meta = tensor.meta
        if meta is None or not meta.requires_grad or meta.view is not None:
            return None
        held = meta.accumulator
        leaves.append((None if held is None else held()) or new_accumulator(tensor, meta))
    if not leaves:
        return None
    found = fast_engine.gradients(root.node, 0, plain(start) if create_graph else start, leaves, retain, create_graph)
    if found is None:
        return None
    if len(leaves) == 1 and create_graph and (cell := found.get(leaves[0])) is not None:
        return (cell[0] if cell.__class__ is list else cell,)
    got = [parts(found[leaf]) if leaf in found else None for leaf in leaves]
    if not allow_unused and None in got:
        refuse_unused(got.index(None))
    if create_graph:
        return tuple([None if cell is None else cell[0] for cell in got])
    shown = {
        leaf: None if cell is None else as_tensor(cell[0], cell[1]) for leaf, cell in zip(leaves, got, strict=True)
    }
    return tuple([shown[leaf] for leaf in leaves])


def batched_grad(
    roots: Any, wanted: Any, grads: Any, retain: Any, create: bool, unused: bool, zeros: bool
) -> tuple[Any, ...]:
    """`is_grads_batched`: one call, in which the first dimension of the given gradients is hidden."""
    given = list(pair_grads(roots, grads))
    for i, (root, g) in enumerate(zip(roots, given, strict=False)):
        if isinstance(root, Tensor) and g is not None and g.data_.shape[1:] != root.data_.shape:
            got, expected = Size(g.data_.shape[2:]), Size(root.data_.shape)  # torch says one dimension less
            raise RuntimeError(errors.BATCHED_SHAPE.format(i=i, got=got, expected=expected))
        if g is None and isinstance(root, Tensor) and root.requires_grad and root.data_.size != 1:
            raise RuntimeError(errors.NOT_SCALAR)
        if g is None and not (isinstance(root, Tensor) and root.requires_grad):
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for an input but the input is of type <class "
                "'NoneType'>. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if g is None or not g.data_.ndim:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
    check_enough(roots, given)
    sizes = [g.data_.shape[0] for g in given]
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    with mapped_over(sizes[0], older=True) as level:
        rows = [hide(Part(g, 0), level) for g in given]
        came = grad(roots, wanted, rows, create if retain is None else retain, create, allow_unused=unused or zeros)
        found = [None if g is None else shown_again(grad, g, 0, level) for g in came]
    if zeros:
        found = [plain(np.zeros_like(t.data_)[()]) if g is None else g for g, t in zip(found, wanted, strict=True)]
    return tuple(found)
