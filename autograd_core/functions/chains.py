"""Products of several matrices, in the order that takes the fewest multiplications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ops import view as view_ops
from ..ops.matmul import mm
from ..state import ask_room
from ..tensor import Tensor


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that costs least; the ends may be vectors."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    parts = list(tensors)
    first, last = parts[0], parts[-1]
    shape: list[int] = []
    for i, at in ((0, first), (-1, last)):
        if at.data_.ndim == 1:
            parts[i] = view_ops.unsqueeze(at, 0 if i == 0 else -1)
        elif at.data_.ndim == 2:
            shape.append(at.data_.shape[0 if i == 0 else 1])
        else:
            where = "first" if i == 0 else "last"
            raise RuntimeError(f"multi_dot(): the {where} tensor must be 1D or 2D but got {at.data_.ndim}D")
    sizes = [t.data_.shape for t in parts]
    for i, size in enumerate(sizes):
        if len(size) != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {len(size)}D")
    for i, (one, two) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
        if one[1] != two[0]:
            shapes = [list(t.data_.shape) for t in tensors[i : i + 2]]
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {shapes[0]} and {shapes[1]} cannot be multiplied"
            )
    return view_ops.view(chain(parts, cheapest(sizes)), shape)


Order = int | tuple[Any, Any]


def cheapest(sizes: Sequence[Sequence[int]]) -> Order:
    """In which order to multiply: pairs of pairs of places."""
    if len(sizes) == 3:  # torch compares the two ways without a table
        (a, b), (_, c), (_, d) = sizes
        return ((0, 1), 2) if (a * c) * (b + d) <= (b * d) * (a + c) else (0, (1, 2))
    edges = [sizes[0][0], *(size[1] for size in sizes)]
    best: dict[tuple[int, int], tuple[int, Order]] = {(i, i): (0, i) for i in range(len(sizes))}
    for length in range(1, len(sizes)):
        for i in range(len(sizes) - length):
            j = i + length
            ask_room(length << 9)  # a look at each place to part them, which takes as long as so many numbers
            tries = [
                (best[i, k][0] + best[k + 1, j][0] + edges[i] * edges[k + 1] * edges[j + 1], k) for k in range(i, j)
            ]
            cost, k = min(tries, key=lambda found: found[0])
            best[i, j] = cost, (best[i, k][1], best[k + 1, j][1])
    return best[0, len(sizes) - 1][1]


def chain(parts: Sequence[Tensor], order: Order) -> Tensor:
    if isinstance(order, int):
        return parts[order]
    return mm(chain(parts, order[0]), chain(parts, order[1]))
