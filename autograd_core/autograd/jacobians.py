"""Jacobians in three ways: by small differences, by backward, and by forward mode.

A Jacobian here has a row for each element of an input and a column for each element of an output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..engine.state import ask_room, state
from ..tensor.dtypes import from_numpy
from ..tensor.size import Size
from ..tensor.tensor import Array, Tensor, plain
from . import forward_ad
from .differentiate import grad


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def requires(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.data_.dtype.kind == "f"


def differentiable(given: Any) -> tuple[Tensor, ...]:
    return tuple(out for out in as_tuple(given) if out.requires_grad)


@dataclass(frozen=True)
class Subject:
    """A function, what it is called with, and what it gave."""

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    given: tuple[Any, ...]

    @property
    def wanted(self) -> list[Tensor]:
        return [t for t in self.inputs if requires(t)]

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return differentiable(self.given)

    @property
    def floats(self) -> list[Tensor]:
        return [out for out in self.given if floating(out)]

    def call(self, *inputs: Any) -> tuple[Any, ...]:
        return as_tuple(self.func(*inputs))

    def grads(self, outputs: Any, grad_outputs: Any, retain: bool = True) -> tuple[Tensor | None, ...]:
        return grad(outputs, self.wanted, grad_outputs, retain_graph=retain, allow_unused=True)


def shape_like(vector: Array, like: Tensor) -> Tensor:
    return plain(vector.reshape(like.data_.shape)[()])


# ---- by differences


def difference(subject: Subject, memory: Array, step: Any, eps: float, where: str = "") -> list[Array]:
    """How the floating outputs change when `memory`, part of an input, goes from `-step` to `+step`, per 2 `eps`.

    Raises:
        AssertionError: an output changes in shape or dtype.
    """
    before = memory.copy()
    if state.tape is not None:
        state.tape.exposed()  # nobody is told of these writes
    try:
        memory[...] = before - step
        low = [np.array(out.data_) for out in subject.call(*subject.inputs)]
        memory[...] = before + step
        high = [np.array(out.data_) for out in subject.call(*subject.inputs)]
    finally:
        memory[...] = before
    for a, b in zip(low, high, strict=True):
        if a.shape != b.shape:
            raise AssertionError(change_element("shape", Size(a.shape), Size(b.shape), eps, where))
        if a.dtype != b.dtype:
            raise AssertionError(change_element("dtype", from_numpy(a.dtype), from_numpy(b.dtype), eps, where))
    slopes = [(plain(b) - plain(a)).data_ / (2 * eps) for a, b in zip(low, high, strict=True)]
    return [np.reshape(slope, -1) for slope, out in zip(slopes, subject.given, strict=True) if floating(out)]


def change_element(what: str, low: Any, high: Any, eps: float, where: str) -> str:
    return (
        f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, but got: "
        f"{what}s {low} and {high}."
    )


def numerical(subject: Subject, eps: float) -> list[list[Array]]:
    """`[input][floating output]`."""
    found = []
    for tensor in subject.wanted:
        memory = tensor.array()
        ask_room(memory.size, sum(out.data_.size for out in subject.floats))
        jacobians = [np.zeros((memory.size, out.data_.size), out.data_.dtype) for out in subject.floats]
        for row, index in enumerate(product(*map(range, memory.shape))):
            place: Any = (*index, ...)
            element = memory[place]
            columns = difference(subject, element, eps, eps, f"on index {index} ")
            for jacobian, column in zip(jacobians, columns, strict=True):
                jacobian[row] = column
        found.append(jacobians)
    return found


# ---- by backward


def product_with(output: Tensor, vector: Array, subject: Subject) -> list[Array]:
    """The gradient of each input when `output` starts with `vector`, flat."""
    came = subject.grads(output, shape_like(vector, output))
    pairs = zip(came, subject.wanted, strict=True)
    return [np.zeros(t.data_.size, t.data_.dtype) if g is None else np.array(g.data_).reshape(-1) for g, t in pairs]


def analytical(output: Tensor, subject: Subject) -> list[Array]:
    """`[input]`, one backward for each element of `output`."""
    found = [np.zeros((t.data_.size, output.data_.size), t.data_.dtype) for t in subject.wanted]
    for column, unit in enumerate(units(output)):
        for jacobian, came in zip(found, product_with(output, unit, subject), strict=True):
            jacobian[:, column] = came
    return found


def units(tensor: Tensor) -> Array:
    ask_room(tensor.data_.size, tensor.data_.size)
    return np.eye(tensor.data_.size, dtype=tensor.data_.dtype)


# ---- by forward mode


def forward(subject: Subject, directions: Sequence[Iterable[Array]]) -> list[list[Array]]:
    """`[input][floating output]`, with a row for each of the `directions` given for that input."""
    found: list[list[Array]] = []
    places = [i for i, value in enumerate(subject.inputs) if requires(value)]
    for place, tensor, along in zip(places, subject.wanted, directions, strict=True):
        taken: list[list[Array]] = [[] for _ in subject.floats]
        for direction in along:
            values = [value.detach() if isinstance(value, Tensor) else value for value in subject.inputs]
            with forward_ad.dual_level():
                values[place] = forward_ad.make_dual(values[place], shape_like(direction, tensor))
                outs = [forward_ad.unpack_dual(out) for out in subject.call(*values) if floating(out)]
            for rows, (value, tangent) in zip(taken, outs, strict=True):
                rows.append(np.zeros(value.data_.size) if tangent is None else np.ravel(tangent.data_))
        shapes = [(out.data_.size, out.data_.dtype) for out in subject.floats]
        found.append([np.array(rows, kind).reshape(-1, size) for rows, (size, kind) in zip(taken, shapes, strict=True)])
    return found
