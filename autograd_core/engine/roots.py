"""What a backward begins with and what it is asked for: checked, and as edges of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from .. import errors
from ..graph.accumulate_grad import accumulator
from ..graph.edges import gradient_edge
from ..graph.node import Node
from ..tensor.dtypes import from_numpy
from ..tensor.tensor import Tensor, plain


class GradientEdge(NamedTuple):
    """A place in the graph: output number `output_nr` of `node`."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, Tensor | GradientEdge) else tuple(value)


def yes_or_no(value: Any) -> bool:
    """A yes or no that was given as a bool or a whole number.

    Raises:
        TypeError: it was not.
    """
    return value if isinstance(value, bool) else bool(index(value))


def root_edges(roots: Sequence[Any]) -> list[tuple[Node, int]]:
    """Where backward starts for each root.

    Raises:
        RuntimeError: a root has no graph.
    """
    edges = []
    for i, root in enumerate(roots):
        node, nr = (root.node, root.output_nr) if isinstance(root, GradientEdge) else gradient_edge(root)
        if node is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        edges.append((node, nr))
    return edges


def starting_grads(roots: Sequence[Any], grads: Sequence[Any], edges: Sequence[tuple[Node, int]]) -> list[Tensor]:
    """The gradient that each root starts with: the one given, or 1 for a scalar.

    Raises:
        RuntimeError: another shape, or none given for a root that is no scalar.
    """
    start = []
    for i, (_root, grad, (node, nr)) in enumerate(zip(roots, grads, edges, strict=True)):
        shape, dtype = node.outs[nr]
        if grad is None:
            if int(np.prod(shape, dtype=object)) != 1:
                raise RuntimeError(errors.NOT_SCALAR)
            start.append(plain(np.ones(shape, dtype)[()]))
            continue
        if not isinstance(grad, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
        if grad.data_.shape != shape:
            raise RuntimeError(errors.grad_shape(i, grad.data_.shape, shape))
        start.append(grad if grad.data_.dtype == dtype else grad.to(from_numpy(dtype)))
    return start


def pair_grads(roots: Sequence[Any], grads: Any) -> tuple[Any, ...]:
    if grads is None:
        return (None,) * len(roots)
    given = (grads,) if isinstance(grads, Tensor) else tuple(grads)
    return given[: len(roots)]


def check_enough(roots: Sequence[Any], grads: Sequence[Any]) -> None:
    """Whether there is a gradient for each root: torch looks at those that there are first."""
    if len(grads) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(grads)} gradients")


def check_roots(roots: Sequence[Any], grads: Sequence[Any]) -> None:
    """What torch checks before it looks at the graph: shapes of gradients given, and that scalars alone need none."""
    for i, (root, grad) in enumerate(zip(roots, grads, strict=False)):
        if isinstance(root, GradientEdge):
            continue
        if not isinstance(root, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        if isinstance(grad, Tensor):
            check_given(i, root, grad)
        elif grad is None and root.requires_grad:
            check_scalar(root)
    check_enough(roots, grads)


def check_given(i: int, root: Tensor, grad: Tensor) -> None:
    """Whether `grad` can be the gradient that root number `i` starts with.

    Raises:
        RuntimeError: it is of another shape, or one of both is complex and the other is not.
    """
    data, given = root.data_, grad.data_
    if given.shape != data.shape:
        raise RuntimeError(errors.grad_shape(i, given.shape, data.shape))
    if (given.dtype.kind == "c") is not (data.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {from_numpy(given.dtype)} and output[{i}] has a dtype of "
            f"{from_numpy(data.dtype)}."
        )


def check_scalar(root: Tensor) -> None:
    """Whether `root` can start with a gradient of 1.

    Raises:
        RuntimeError: it has another number of elements than one, or that is complex.
    """
    if root.data_.size != 1:
        raise RuntimeError(errors.NOT_SCALAR)
    if root.data_.dtype.kind != "f":
        kind = from_numpy(root.data_.dtype)
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {kind}")


def check_inputs(inputs: Sequence[Any]) -> None:
    """Whether gradients can be asked for with respect to all of these.

    Raises:
        RuntimeError: one is neither a tensor nor an edge.
    """
    for given in inputs:
        if not isinstance(given, Tensor | GradientEdge):
            kind = type(given).__name__
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {kind}")


def input_node(tensor: Any, index: int) -> Node:
    if isinstance(tensor, GradientEdge):
        return tensor.node
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node, _ = gradient_edge(tensor)
    return Node((), ()) if node is None else node  # a view taken under no_grad: no graph leads to it


def refuse_unused(index: int) -> None:
    raise RuntimeError(
        f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set allow_unused=True "
        "if this is the desired behavior."
    )


def captured_edge(tensor: Any) -> tuple[Node, int]:
    if isinstance(tensor, GradientEdge):
        return tensor.node, tensor.output_nr
    if not tensor.requires_grad:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    node, nr = gradient_edge(tensor)
    return (accumulator(tensor), 0) if node is None else (node, nr)
