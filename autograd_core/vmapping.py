"""torch.vmap: a function of one example, for a batch of them.

Here it is a loop: the function is called once for each example, and its results are stacked. The values are those of
torch, which calls it once with tensors that hide their batch dimension; so what the function prints is printed for each
example, and a graph made in it has its nodes once for each, with StackBackward0 above.

What torch cannot do with hidden dimensions is refused where it shows: a Python number taken out of a tensor that is not
the same for all examples, random numbers (unless `randomness="same"`), and writing in place into a tensor that lives
outside of the function. Where it does not show, the loop is right, and more is possible than in torch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .ops.shape import stack
from .random import default_generator
from .state import state
from .tensor import Storage, Tensor
from .trees import LEAF, Shape, flatten, spread, unflatten

ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"
RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)


class Loop:
    """One vmap under way: what its calls of the function have in common."""

    def __init__(self, randomness: str, batched: Sequence[Tensor]) -> None:
        self.randomness = randomness
        self.own = {id(t.shared_storage()) for t in batched}
        self.reads: list[Any] = []
        self.cursor = 0
        self.written: dict[int, Storage] = {}
        self.writes: dict[int, Storage] = {}
        self.random = default_generator().get_state()

    def next_example(self) -> None:
        self.cursor = 0
        self.written |= self.writes
        self.writes = {}
        if self.randomness == "same":
            default_generator().set_state(self.random)

    def read(self, value: Any, message: str) -> None:
        """The function looks at a value: it must be the same for every example.

        Raises:
            RuntimeError: it was another for an earlier example.
        """
        if self.cursor == len(self.reads):
            self.reads.append(value)
        elif not same(self.reads[self.cursor], value):
            raise RuntimeError(message)
        self.cursor += 1

    def write(self, storage: Storage) -> None:
        """The function writes in place: into what is its own, or the batch.

        Raises:
            NotImplementedError: the same memory was written for an earlier example.
        """
        if id(storage) in self.own:
            return
        if id(storage) in self.written:
            raise NotImplementedError(
                "vmap: a tensor from outside of the function is written in place for every example, which torch refuses"
            )
        self.writes[id(storage)] = storage

    def draw(self) -> None:
        """The function draws random numbers.

        Raises:
            RuntimeError: that was not allowed.
            NotImplementedError: they should be different for each example.
        """
        if self.randomness == "error":
            raise RuntimeError(RANDOM)
        if self.randomness == "different":
            raise NotImplementedError('vmap: randomness="different" is not supported')


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (a == b or (a != a and b != b))


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

    `chunk_size` saves memory in torch; here there is none to save.

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
        if sizes[0] == 0:
            raise NotImplementedError("vmap over a batch of 0 examples is not supported")
        loop = Loop(randomness, [t for t, d in zip(leaves, dims, strict=True) if d is not None])
        taken: list[list[Any]] = []
        built = LEAF
        state.mapped.append(loop)
        try:
            for k in range(sizes[0]):
                loop.next_example()
                example = [t if d is None else t.select(d, k) for t, d in zip(leaves, dims, strict=True)]
                results, built = flatten(func(*unflatten(example, shape), **options))
                taken.append(results)
        finally:
            state.mapped.remove(loop)
        columns = list(zip(*taken, strict=True))
        return unflatten(joined(func, columns, dims_out(func, out_dims, built)), built)

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


def joined(func: Any, columns: Sequence[Sequence[Any]], dims: Sequence[int | None]) -> list[Any]:
    """Each result for the whole batch.

    Raises:
        ValueError: one is no tensor, or differs between examples though it should not.
    """
    name = title(func)
    whole = []
    for parts, dim in zip(columns, dims, strict=True):
        first = parts[0]
        if dim is None:
            if isinstance(first, Tensor) and any(part.tolist() != first.tolist() for part in parts):
                raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
            whole.append(first)
        elif isinstance(first, Tensor):
            whole.append(stack(list(parts), dim))
        else:
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(first)}. Did you mean to set "
                "out_dims= to None for output?"
            )
    return whole
