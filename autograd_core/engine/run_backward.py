"""A call of backward or grad, its arguments brought to one form: started, told of, executed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import events
from ..events import recorded_engine as recording
from ..graph.node import Node
from ..tensor.tensor import Tensor, plain
from .engine import Call, holds_brains, under_way
from .roots import (
    GradientEdge,
    captured_edge,
    check_roots,
    pair_grads,
    refuse_unused,
    root_edges,
    starting_grads,
    yes_or_no,
)
from .state import state


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
    if state.bfloat16 and not call.on_tensors:
        call.on_tensors = holds_brains([node for node, _ in edges])
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
    grads = pair_grads(roots, grad_outputs)
    with refusal_told("grad", roots):
        check_roots(roots, grads)
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
