"""Making tensors where vmap hides a dimension: like a hidden one, or at random for each example."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ... import errors
from ...engine.state import state
from ...tensor.tensor import Tensor
from ..batch import Batch, is_hidden
from ..batched_tensor import Part, hide

Factory = Callable[..., Any]


def like(factory: Factory) -> Factory:
    """`zeros_like` and its like: of a hidden tensor, one for each example."""

    @functools.wraps(factory)
    def make(input: Tensor, *args: Any, **options: Any) -> Any:
        if not is_hidden(input):
            return factory(input, *args, **options)
        data = input.data_
        return hide(Part(make(data.whole, *args, **options), data.at), data.level)

    return make


def make_sized(factory: Factory) -> Factory:
    """`new_zeros` and its like: sizes of one example."""

    @functools.wraps(factory)
    def make(self: Tensor, *size: Any, **options: Any) -> Any:
        if not is_hidden(self):
            return factory(self, *size, **options)
        data = self.data_
        if data.at is None:
            return hide(Part(make(data.whole, *size, **options), None), data.level)
        first = list(size[0]) if size and isinstance(size[0], list | tuple) else None
        if first is not None:
            return hide(Part(make(data.whole, [data.level.size, *first], *size[1:], **options), 0), data.level)
        return hide(Part(make(data.whole, data.level.size, *size, **options), 0), data.level)

    return make


def like_at_random(factory: Factory) -> Factory:
    """`randn_like` and its like, the same for all examples or others for each.

    Raises:
        RuntimeError: it was not said which.
    """
    each = like(factory)

    @functools.wraps(factory)
    def make(input: Tensor, *args: Any, **options: Any) -> Any:
        data = input.data_
        if not isinstance(data, Batch) or data.at is None or data.level.randomness == "different":
            return each(input, *args, **options)
        if data.level.randomness == "error":
            raise RuntimeError(errors.RANDOM_IN_VMAP)
        return make(data.whole.select(data.at, 0), *args, **options)

    return make


def at_random(factory: Factory) -> Factory:
    """`rand` and its like, which take lengths: others for each example, if these are to differ."""

    @functools.wraps(factory)
    def make(*size: Any, **options: Any) -> Any:
        if not state.mapped or state.mapped[-1].randomness != "different":
            return factory(*size, **options)
        level = state.mapped[-1]
        state.mapped = state.mapped[:-1]
        try:
            whole = make(*with_length(size, level.size), **options)
        finally:
            state.mapped = (*state.mapped, level)
        return hide(Part(whole, 0), level)

    return make


def with_length(size: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    """`size`, given as numbers or as one sequence of them, with `length` before it."""
    if size and isinstance(size[0], list | tuple):
        return ([length, *size[0]], *size[1:])
    return (length, *size)
