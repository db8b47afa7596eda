"""Padding by a constant, by reflection, by the edge. Formulas: PyTorch's derivatives.yaml."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import errors
from ..dispatch.op import op
from ..tensor.strides import beside
from ..tensor.tensor import Array

Pad = Sequence[int]


def widths(pad: Pad, ndim: int) -> list[tuple[int, int]]:
    """For each dimension how much is added before and after; `pad` names them from the last one on."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


@op("constant_pad_nd", self=lambda grad, pad: constant_pad_nd(grad, negate(pad), 0))
def constant_pad_nd(self: Array, pad: Pad, value: float = 0) -> Array:
    around = widths(pad, self.ndim)
    kept = []
    for (before, after), n in zip(around, self.shape, strict=True):
        first, last = max(-before, 0), n + min(after, 0)
        if last < first:
            raise RuntimeError("narrow(): length must be non-negative.")
        kept.append(slice(first, last))
    grown = [(max(before, 0), max(after, 0)) for before, after in around]
    if not np.any(grown):
        return np.array(self[tuple(kept)])
    return beside(np.pad(self[tuple(kept)], grown, constant_values=self.dtype.type(value)), self)


def sources(shape: Sequence[int], padding: Pad, mode: str) -> list[Array]:
    """For each padded dimension, in order, the place that each place of the result comes from."""
    return [
        np.pad(np.arange(n), (max(before, 0), max(after, 0)), mode=mode)[  # type: ignore[call-overload]
            max(-before, 0) : None if after >= 0 else after
        ]
        for n, (before, after) in zip(shape, widths(padding, len(shape)), strict=True)
    ]


def pad_dims(data: Array, padding: Pad, mode: str) -> Array:
    need_elements(data.shape, len(padding) // 2)
    if mode == "reflect":
        check_reflection(data.shape, padding)
    check_left(data.shape, padding, mode)
    return data[np.ix_(*sources(data.shape, padding, mode))]


def gather_copies(grad: Array, shape: Sequence[int], padding: Pad, mode: str) -> Array:
    """The gradient of what was padded: each place collects what its copies got."""
    out = np.zeros(shape, grad.dtype)
    np.add.at(out, np.ix_(*sources(shape, padding, mode)), grad)
    return out


def need_elements(shape: Sequence[int], n: int) -> None:
    """Whether there is something to repeat along the `n` padded dimensions.

    Raises:
        RuntimeError: there is not.
    """
    if 0 in shape[-n - 1 :]:
        raise RuntimeError(
            f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {errors.sizes(shape)}"
        )


def check_reflection(shape: Sequence[int], padding: Pad) -> None:
    for i in range(0, len(padding), 2):
        at = len(shape) - 1 - i // 2
        if padding[i] >= shape[at] or padding[i + 1] >= shape[at]:
            raise RuntimeError(
                f"Argument #{4 + i}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({padding[i]}, {padding[i + 1]}) at dimension {at} of input {errors.sizes(shape)}"
            )


IMAGES = {
    ("reflect", 1): ("W: {}", "W: {}"),
    ("reflect", 2): ("H: {}, W: {}", "H: {} W: {}"),
    ("edge", 1): ("W: {}", "W: {}"),
    ("edge", 2): ("H: {}, W: {} ", "H: {} W: {}"),
}
STACKS = "D: {} H: {}, W: {}", "D: {} H: {} W: {}"
"""How messages show the sides of what is padded, and of the result."""


def check_left(shape: Sequence[int], padding: Pad, mode: str) -> None:
    """Whether anything is left of what is padded.

    Raises:
        RuntimeError: nothing is, or less.
    """
    n = len(padding) // 2
    sides = [length + sum(pair) for length, pair in zip(shape[-n:], widths(padding, n), strict=True)]
    if max(sides) < 1:
        given, made = IMAGES.get((mode, n), STACKS)
        raise RuntimeError(f"input ({given.format(*shape[-n:])}) is too small. Calculated output {made.format(*sides)}")
    if min(sides) < 0:
        made = errors.sizes([*shape[:-n], *sides])
        text = f"Trying to create tensor with negative dimension {next(side for side in sides if side < 0)}: {made}"
        raise RuntimeError("numel: integer multiplication overflow" if (mode, n) == ("reflect", 2) else text)


@op(
    "reflection_pad1d",
    node="ReflectionPad1DBackward0",
    self=lambda grad, self, padding: reflection_pad1d_backward(grad, self, padding),
)
def reflection_pad1d(self: Array, padding: Pad) -> Array:
    return pad_dims(self, padding, "reflect")


@op(
    "reflection_pad1d_backward",
    node="ReflectionPad1DBackwardBackward0",
    grad_output=lambda grad, padding: reflection_pad1d(grad, padding),
    self=lambda grad: zeros_as(grad),
)
def reflection_pad1d_backward(grad_output: Array, self: Array, padding: Pad) -> Array:
    return gather_copies(grad_output, self.shape, padding, "reflect")


@op(
    "reflection_pad2d",
    node="ReflectionPad2DBackward0",
    self=lambda grad, self, padding: reflection_pad2d_backward(grad, self, padding),
)
def reflection_pad2d(self: Array, padding: Pad) -> Array:
    return pad_dims(self, padding, "reflect")


@op(
    "reflection_pad2d_backward",
    node="ReflectionPad2DBackwardBackward0",
    grad_output=lambda grad, padding: reflection_pad2d(grad, padding),
    self=lambda grad: zeros_as(grad),
)
def reflection_pad2d_backward(grad_output: Array, self: Array, padding: Pad) -> Array:
    return beside(gather_copies(grad_output, self.shape, padding, "reflect"), self)


@op(
    "replication_pad1d",
    node="ReplicationPad1DBackward0",
    self=lambda grad, self, padding: replication_pad1d_backward(grad, self, padding),
)
def replication_pad1d(self: Array, padding: Pad) -> Array:
    return pad_dims(self, padding, "edge")


@op(
    "replication_pad1d_backward",
    node="ReplicationPad1DBackwardBackward0",
    grad_output=lambda grad, padding: replication_pad1d(grad, padding),
    self=lambda grad: zeros_as(grad),
)
def replication_pad1d_backward(grad_output: Array, self: Array, padding: Pad) -> Array:
    return gather_copies(grad_output, self.shape, padding, "edge")


@op(
    "replication_pad2d",
    node="ReplicationPad2DBackward0",
    self=lambda grad, self, padding: replication_pad2d_backward(grad, self, padding),
)
def replication_pad2d(self: Array, padding: Pad) -> Array:
    return pad_dims(self, padding, "edge")


@op(
    "replication_pad2d_backward",
    node="ReplicationPad2DBackwardBackward0",
    grad_output=lambda grad, padding: replication_pad2d(grad, padding),
    self=lambda grad: zeros_as(grad),
)
def replication_pad2d_backward(grad_output: Array, self: Array, padding: Pad) -> Array:
    return beside(gather_copies(grad_output, self.shape, padding, "edge"), self)
