"""Tensors whose batch dimension vmap hides, taken apart and made: the whole batch, and which dimension it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..tensor.tensor import Tensor, plain
from .batch import Batch, Level


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A tensor below a vmap, and which of its dimensions is the batch; None if it is the same for all examples."""

    whole: Tensor
    at: int | None

    @property
    def rank(self) -> int:
        """The number of dimensions that an example has."""
        return int(self.whole.data_.ndim) - (self.at is not None)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an example."""
        full = tuple(self.whole.data_.shape)
        return full if self.at is None else full[: self.at] + full[self.at + 1 :]


def part_of(tensor: Tensor, level: Level) -> Part:
    data = tensor.data_
    if data.__class__ is Batch and data.level is level:
        return Part(data.whole, data.at)
    return Part(tensor, None)


def hide(part: Part, level: Level) -> Tensor:
    """The tensor of one example of `part`."""
    tensor = plain(Batch(part.whole, part.at, level))
    tensor.storage_ = part.whole.shared_storage()
    return tensor


def innermost(args: tuple[Any, ...]) -> Level | None:
    """The vmap that hides a dimension of one of `args` and lies inside of all others that do."""
    found: Level | None = None
    for value in args:
        for tensor in value if isinstance(value, list | tuple) else (value,):
            data = getattr(tensor, "data_", None)
            if data.__class__ is Batch and (found is None or data.level.depth > found.depth):
                found = data.level
    return found


def lift(tensor: Tensor, level: Level) -> Tensor:
    """`tensor` as a node inside of `level` sees it: what it depends on outside is no part of that."""
    if tensor.data_.__class__ is Batch and tensor.data_.level is level:
        return tensor
    if tensor.meta is not None and tensor.meta.wrapped:
        return tensor
    return hide(Part(tensor, None), level)
