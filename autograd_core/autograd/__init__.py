"""torch.autograd: backward and grad with every argument, grad modes, Function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import errors, events, quick
from ..anomaly import detect_anomaly, set_detect_anomaly
from ..batching.parts import Part, hide
from ..custom.function import Function
from ..edges import new_accumulator
from ..engine import Call
from ..gradients import as_tensor
from ..graph import ONE, SCALAR, AccumulateGrad, Node
from ..leaves import parts
from ..modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from ..recording import engine as recording
from ..saved import SavedTensor
from ..sizes import Size
from ..state import special, state
from ..tensor import Tensor, plain
from ..under_way import under_way
from ..warned import warn, warn_once
from . import function, graph, variable
from .graph import GradientEdge
from .legacy import Variable
from .roots import (
    as_tuple,
    captured_edge,
    check_enough,
    check_inputs,
    checked,
    input_node,
    paired,
    refuse_unused,
    root_edges,
    starting_grads,
    yes_or_no,
)


def run(
    call: Call,
    kind: str,
    roots: Sequence[Any],
    grads: Sequence[Any],
    edges: list[tuple[Node, int]],
    inputs: Sequence[Any],
) -> None:
    """Execute `call` with grad mode set as it wants it, telling of its start and end."""
    session = state.session
    if session is not None:
        numbers = tuple(session.number(t) for t in roots if isinstance(t, Tensor))
        nodes = tuple(session.node(node) for node, _ in edges)
        wanted = tuple(session.number(t) for t in inputs if isinstance(t, Tensor))
        parent = state.calls[-1].number if state.calls else None
        session.emit(
            (
                events.BackwardStarted,
                call.number,
                kind,
                numbers,
                nodes,
                call.retain_graph,
                call.create_graph,
                wanted,
                parent,
            )
        )
    tape = state.tape
    if len(edges) != 1 or not call.everything() or call.create_graph:
        tape = None

    start: list[Any] = []  # until all is told

    def work() -> None:
        given = starting_grads(roots, grads, edges)
        start.extend([g if call.on_tensors else g.data_ for g in given])
        if call.captures is not None:
            call.given = given
        if tape is None or not recording.execute(tape, call, *edges[0], start[0]):
            call.execute([(node, nr, grad) for (node, nr), grad in zip(edges, start, strict=True)])

    under_way(call, work)


@contextmanager
def refusal_told(kind: str, roots: Sequence[Any]) -> Iterator[None]:
    """Tell of a call that is refused before it starts, so that listeners know from which roots it would have."""
    try:
        yield
    except RuntimeError as error:
        session = state.session
        if session is not None:
            numbers = tuple(session.number(t) for t in roots if isinstance(t, Tensor))
            call, parent = state.next_call(), state.calls[-1].number if state.calls else None
            session.emit((events.BackwardStarted, call, kind, numbers, (), False, False, (), parent))
            session.emit((events.BackwardFailed, call, None, type(error).__name__, str(error)))
        raise


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
    grads = paired(roots, grad_tensors)
    retain = create_graph if retain_graph is None else retain_graph
    with refusal_told("backward", roots):
        checked(roots, grads)
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
        found = quickly(outputs, inputs, yes_or_no(retain), yes_or_no(create_graph), unused)
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
        return batched(roots, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    if not create_graph and any(map(carries_tangent, roots)):
        found = gradients(roots, wanted, grad_outputs, bool(retain_graph), True, allow_unused, materialize_grads)
        return tuple(map(kept_for_tangents, found))
    return gradients(roots, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)


def gradients(
    roots: tuple[Any, ...],
    wanted: tuple[Any, ...],
    grad_outputs: Any,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """`grad`, its arguments brought to one form."""
    retain = create_graph if retain_graph is None else retain_graph
    grads = paired(roots, grad_outputs)
    with refusal_told("grad", roots):
        checked(roots, grads)
        edges = root_edges(roots)
    captures: dict[tuple[Node, int], list[int]] = {}
    for i, tensor in enumerate(wanted):
        captures.setdefault(captured_edge(tensor), []).append(i)
    call = Call(yes_or_no(retain), yes_or_no(create_graph), captures)
    run(call, "grad", roots, grads, edges, wanted)
    found = tuple(result(call, i, t, allow_unused, materialize_grads) for i, t in enumerate(wanted))
    if materialize_grads and any(found[i] is None for i, t in enumerate(wanted) if isinstance(t, GradientEdge)):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return found


SEVERAL = (tuple, list)


def quickly(outputs: Any, inputs: Any, retain: bool, create_graph: bool, allow_unused: bool) -> tuple[Any, ...] | None:
    """The gradients of a scalar with respect to leaves by the quick engine; None where that must not run."""
    root = outputs[0] if outputs.__class__ in SEVERAL and len(outputs) == 1 else outputs
    if root.__class__ is not Tensor or root.meta is not None or root.node is None or root.node.outs is not SCALAR:
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
    start = plain(ONE) if create_graph else ONE
    found = quick.gradients(root.node, 0, start, leaves, retain, create_graph)
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


def result(call: Call, index: int, tensor: Any, allow_unused: bool, materialize: bool) -> Tensor | None:
    got = call.captured.get(index)
    session = state.session
    if got is None:
        if materialize and isinstance(tensor, Tensor):
            zeros = plain(np.zeros(tensor.data_.shape, tensor.data_.dtype)[()])
            if state.inference:
                zeros.as_inference()
            if call.create_graph:
                zeros.own_meta().requires_grad = True
            return zeros
        if not allow_unused:
            refuse_unused(index)
        return None
    value: Tensor = got if isinstance(got, Tensor) else plain(got)
    if session is not None and isinstance(tensor, Tensor):
        if not any(value is given for given in call.given):
            session.made(value, "grad", ())
        session.emit((events.GradCaptured, call.number, index, session.tensor(tensor), events.snapshot(value.data_)))
    return value


def batched(
    roots: Any, wanted: Any, grads: Any, retain: Any, create: bool, unused: bool, zeros: bool
) -> tuple[Any, ...]:
    """`is_grads_batched`: one call, in which the first dimension of the given gradients is hidden."""
    given = list(paired(roots, grads))
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


from ..transforms.tangents import carries_tangent, kept_for_tangents  # noqa: E402
from ..transforms.vmapping import mapped_over, shown_again  # noqa: E402
from . import forward_ad, functional  # noqa: E402
from .gradcheck import GradcheckError, gradcheck  # noqa: E402
from .gradgradcheck import gradgradcheck  # noqa: E402
from .versions import _unsafe_preserve_version_counter  # noqa: E402

__all__ = [
    "AccumulateGrad",
    "Function",
    "GradcheckError",
    "SavedTensor",
    "Variable",
    "_unsafe_preserve_version_counter",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "functional",
    "function",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]
