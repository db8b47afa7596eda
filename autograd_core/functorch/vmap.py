"""torch.vmap: a function of one example, for a batch of them.

The function is called once, with tensors that hide their batch dimension (batch.py); each operator on such tensors is
done on the whole batch at once, by its batching rule (batching_rules/). What needs the numbers of one is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..engine.state import state
from ..tensor.tensor import Tensor
from .batch import Level
from .batched_tensor import Part, hide, part_of
from .batching_rules.inplace import give_back
from .batching_rules.operands import ensure_batch, move_dim
from .pytree import LEAF, Shape, flatten, spread, unflatten


@contextmanager
def mapped_over(size: int, randomness: str = "error", older: bool = False) -> Iterator[Level]:
    """A block in which a dimension of `size` examples is hidden."""
    level = Level(size, randomness, len(state.levels) + len(state.mapped) + 1, older)
    state.mapped = (*state.mapped, level)
    try:
        yield level
    finally:
        state.mapped = tuple(other for other in state.mapped if other is not level)
        give_back(level)


def title(func: Any) -> str:
    if hasattr(func, "__name__"):
        return str(func.__name__)
    return f"functools.partial({title(func.func)}, ...)" if isinstance(func, functools.partial) else repr(func)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """`func`, for every slice of its tensors along `in_dims`; the results are stacked along `out_dims`.

    `chunk_size` saves memory in torch; here it is only checked.

    Raises:
        ValueError, RuntimeError: as torch does, in its words, here and when the function is called.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def over_batch(*args: Any, **options: Any) -> Any:
        check_out_dims(out_dims, func)
        leaves, shape, dims = batch_of(func, in_dims, args)
        sizes = [t.data_.shape[d] for t, d in zip(leaves, dims, strict=True) if d is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if any(size != sizes[0] for size in sizes):
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
                "mapped dimension"
            )
        with mapped_over(sizes[0], randomness) as level:
            pairs = zip(leaves, dims, strict=True)
            example = [t if d is None else hide(Part(t, d), level) for t, d in pairs]
            results, built = flatten(func(*unflatten(example, shape), **options))
            whole = [
                shown_again(func, value, dim, level)
                for value, dim in zip(results, dims_out(func, out_dims, built), strict=True)
            ]
        return unflatten(whole, built)

    return over_batch


def batch_of(func: Any, in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], Shape, list[int | None]]:
    """The leaves of the arguments, their shape, and along which dimension each is taken apart.

    Raises:
        ValueError: `in_dims` does not fit.
    """
    head = f"vmap({title(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, int | tuple):
        raise ValueError(
            head + "expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({title(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    leaves, shape = flatten(args)
    dims = spread(in_dims, shape)
    if dims is None:
        raise ValueError(
            head + "in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {shape}."
        )
    for i, (leaf, dim) in enumerate(zip(leaves, dims, strict=True)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                head + f"Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(leaf, Tensor):
            raise ValueError(
                head + f"Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        n = leaf.data_.ndim
        if not -n <= dim < n:
            raise ValueError(
                head + f"Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {n} so expected "
                f"in_dim to satisfy -{n} <= in_dim < {n}."
            )
        dims[i] = dim % n
    return leaves, shape, dims


def check_out_dims(out_dims: Any, func: Any) -> None:
    if not all(dim is None or isinstance(dim, int) for dim in flatten(out_dims)[0]):
        raise ValueError(
            f"vmap({title(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
            "ints representing where in the outputs the vmapped dimension should appear."
        )


def dims_out(func: Any, out_dims: Any, shape: Shape) -> list[int | None]:
    """Along which dimension each result is stacked; None where it is the same for all examples."""
    if shape is LEAF and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    dims = spread(out_dims, shape)
    if dims is None:
        raise ValueError(
            f"vmap({title(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure {shape}."
        )
    return dims


def shown_again(func: Any, value: Any, dim: int | None, level: Level) -> Any:
    """A result for the whole batch, whose dimension is put where `dim` says.

    Raises:
        ValueError: it is no tensor, or differs between examples though it should not.
    """
    name = title(func)
    if not isinstance(value, Tensor):
        if dim is None:
            return value
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(value)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    part = part_of(value, level)
    if dim is None:
        if part.at is not None:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return part.whole
    rank = part.rank + 1
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    at, to = part.at, dim % rank
    whole = part.whole
    if at is None:
        whole, at = ensure_batch(part, level.size), 0
    return whole if at == to else move_dim(whole, at, to)
