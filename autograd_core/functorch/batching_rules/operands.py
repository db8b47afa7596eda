"""What rules are made of: operands below a vmap, and where the batch dimension of each is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops._common import wrap
from ...ops.view import expand, permute, reshape, view
from ...tensor.tensor import Tensor
from ..batch import Level
from ..batched_tensor import Part, hide


class Call:
    """An operator, its operands below a vmap by name, and its other arguments."""

    writes = False

    def __init__(self, op: Any, level: Level, parts: dict[str, Any], others: dict[str, Any]) -> None:
        self.op, self.level, self.parts, self.others = op, level, parts, others

    def __getitem__(self, name: str) -> Any:
        return self.others[name]

    def run(self, /, **given: Any) -> Any:
        """The operator itself, with `given` in the place of what the call was given."""
        known = {**self.parts, **self.others, **given}
        return self.op.general(*[known[name] for name in self.op.signature.parameters])

    def is_batched(self) -> bool:
        """Whether any operand differs between examples."""
        each = [p for part in self.parts.values() for p in (part if isinstance(part, list) else [part])]
        return any(p is not None and p.at is not None for p in each)

    @property
    def first(self) -> Part:
        """The first tensor operand."""
        part: Part = next(iter(self.parts.values()))
        return part


def once(call: Call) -> Any:
    """The operator on what is the same for all examples."""
    wholes = {n: [t and t.whole for t in p] if isinstance(p, list) else p.whole for n, p in call.parts.items()}
    missing = {n: None for n in call.op.optional if n not in wholes and n not in call.others}
    found = call.run(**missing, **wholes)
    return [Part(t, None) for t in found] if isinstance(found, tuple | list) else Part(found, None)


def move_dim(whole: Tensor, at: int, to: int) -> Tensor:
    """`whole` with its dimension `at` in the place `to`, always as a view of its own."""
    order = [d for d in range(whole.data_.ndim) if d != at]
    order.insert(to, at)
    return permute(whole, order)


def front(part: Part) -> Tensor:
    """`part` with its batch dimension first, if it has one."""
    return part.whole if part.at in (None, 0) else move_dim(part.whole, part.at or 0, 0)


def pad_dims(part: Part, rank: int) -> Tensor:
    """`part` with its batch dimension first, and examples of at least `rank` dimensions."""
    whole = front(part)
    if part.at is None or part.rank >= rank:
        return whole
    shape = whole.data_.shape
    return view(whole, [shape[0], *[1] * (rank - part.rank), *shape[1:]])


def stretch_dims(part: Part, rank: int) -> Tensor:
    """The same, with a batch dimension of length 1 where there is none: the way of the older vmap."""
    if part.at is not None or (part.whole.meta is not None and part.whole.meta.wrapped):
        return pad_dims(part, rank)
    shape = part.whole.data_.shape
    return view(part.whole, [*[1] * (1 + rank - len(shape)), *shape])


def ensure_batch(part: Part, size: int) -> Tensor:
    """`part` with a batch dimension in front, repeated if it has none."""
    if part.at is not None:
        return front(part)
    return expand(part.whole, [size, *part.whole.data_.shape])


def wrap_dim(dim: int, rank: int) -> int:
    """The dimension `dim` of an example among those of the batch, which comes first."""
    return int(wrap(dim, rank)) + 1


def each_wrapped(dims: Sequence[int], rank: int) -> list[int]:
    return [wrap_dim(d, rank) for d in dims]


def below_front(result: Any) -> Any:
    """Results of an operator, each with its batch dimension first."""
    if isinstance(result, tuple | list):
        return [Part(t, 0) for t in result]
    return Part(result, 0)


def logical(part: Part, level: Level) -> Tensor:
    """`part` as those see it for whom the batch is hidden: rules that are made of operators work on this."""
    return part.whole if part.at is None else hide(part, level)


def into(part: Part, dim: int) -> Tensor:
    """`part` with the batch taken into the dimension `dim` of its examples, which it goes before."""
    assert part.at is not None
    whole = move_dim(part.whole, part.at, dim)
    shape = whole.data_.shape
    return reshape(whole, [*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]])


def out_of(whole: Tensor, dim: int, size: int) -> Part:
    """The batch taken out of dimension `dim` again, in which it comes first."""
    shape = whole.data_.shape
    return Part(reshape(whole, [*shape[:dim], size, shape[dim] // size, *shape[dim + 1 :]]), dim)
